"""JAX: an inner update that the loss goes past: `adapted = p - rate * grads`, and then a loss of `p`.

Told by values, as nothing inside of a differentiated function is a variable's content: an update of every value that an
inner gradient was asked for, of which nothing is made, and whose name nothing reads.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.inner_updates import asked_for, gradients_asked
from whygrad.rules.updates.let_fall import let_fall
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W206", "update-discarded"
_TWICE = 2
_LOOKED_AT = 512


def findings(case: Case) -> Iterator[Finding]:
    """One for each line that lets such an update fall."""
    gradients, ops = gradients_asked(case), case.recording.ops
    used = {v for op in ops.values() for v in op.inputs} | {b.loss for b in case.recording.backwards}
    idle: dict[int, tuple[Op, list[Op]]] = {}
    looked = 0
    for op in ops.values() if gradients else ():
        if not op.tapes or op.name not in ("sub", "add") or len(op.inputs) != 2 or used & set(op.outputs):
            continue
        looked += 1
        if looked > _LOOKED_AT:
            break
        request, leaves = asked_for(case, gradients, op.inputs[1])
        if request is not None and op.inputs[0] in leaves:
            idle.setdefault(request.at, (request, []))[1].append(op)
    places: dict[Site, list[tuple[Op, Op]]] = {}
    for request, updates in idle.values():
        all_of_it = len(updates) >= len(request.outputs)
        fallen = let_fall(case.stack(updates[0].stack)) if all_of_it else None
        if fallen is not None:
            places.setdefault(fallen, []).append((request, updates[0]))
    for where, pairs in places.items():
        if len(pairs) >= _TWICE:
            yield _finding(case, where, *pairs[0], seen=len(pairs))


def _finding(case: Case, where: Site, request: Op, update: Op, seen: int) -> Finding:
    asked, made = case.site(request.stack), case.site(update.stack)
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"what {quoted(where)} makes goes into no loss: the inner update is computed and dropped",
        why=f"An inner step{at_line(made, where)} makes new arrays. Where the outer loss is not computed with them, "
        "the outer update is the same as without the inner loop.",
        fix="compute the loss with the new values, in the place of those from before the inner step",
        variables=(), where=where, label="the new values, which nothing uses", seen=seen,
        path=stations((asked, "grad", "the inner gradient"), (made, update.name, "the inner step"),
                      (where, "=", "let fall here")),
    )  # fmt: skip
