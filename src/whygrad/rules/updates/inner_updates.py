"""JAX: an update inside of a differentiated function, made with the gradient of something else than what it is for.

A meta-learner updates its weights within its own loss. Nothing there is a variable's content, so what was asked for is
told by values: the gradient must have been asked at the very value that the update is added to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.wording import quoted

CODE, NAME = "W204", "crossed-wires"
_APPLIES = "apply_updates"
_ENOUGH = 2
_LOOKED_AT = 8


def findings(case: Case) -> Iterator[Finding]:
    """One for each line that asks for such gradients."""
    if case.recording.framework != "jax":
        return
    found: dict[int, list[tuple[Op, Op]]] = {}
    gradients = gradients_asked(case)
    looked = Counter[int]()
    for op in case.recording.ops.values():
        inner = op.inside == _APPLIES and op.name == "add" and op.tapes and len(op.inputs) == 2
        looked[op.stack] += bool(inner)
        if inner and looked[op.stack] <= _LOOKED_AT:
            for asked in _of_others(case, gradients, op):
                found.setdefault(asked.stack, []).append((asked, op))
    for pairs in found.values():
        if len(pairs) >= _ENOUGH:
            yield _finding(case, *pairs[0], seen=len(pairs))


def gradients_asked(case: Case) -> dict[int, Op]:
    """JAX: for each value that is a gradient, the request that it came from."""
    return {v: op for op in case.recording.ops.values() if op.name == "gradient" for v in op.outputs}


def asked_for(case: Case, gradients: dict[int, Op], change: int) -> tuple[Op | None, set[int]]:
    """The last request that a change is made of, and the values that it was for."""
    asked = dict(_asked(case, gradients, change))
    return asked[max(asked)] if asked else (None, set())  # an optimizer's state is made of those before


def _of_others(case: Case, gradients: dict[int, Op], update: Op) -> Iterator[Op]:
    """The request that an update is made of, where it was not for what it is added to, though that was there to ask."""
    old, change = update.inputs
    request, leaves = asked_for(case, gradients, change)
    if request is None:
        return
    before = _behind(case, old, update.at)
    apart = not leaves & before and not any(old in _behind(case, leaf, update.at) for leaf in leaves)
    if apart and old in _behind(case, request.inputs[0], request.at):
        yield request


def _asked(case: Case, gradients: dict[int, Op], change: int) -> Iterator[tuple[int, tuple[Op, set[int]]]]:
    """By their moments, the requests that a change is made of, and the values that they were for."""
    found: dict[int, set[int]] = {}
    todo, seen = [change], {change}
    while todo:
        value = todo.pop()
        request, made = gradients.get(value), case.made_by.get(value)
        if request is not None:
            inner = request.inputs[1:][request.outputs.index(value)]
            read = case.made_by.get(inner)
            leaves = found.setdefault(request.at, set())
            leaves.update(read.inputs if read is not None and read.name == "read_value" else (inner,))
            yield request.at, (request, leaves)
        elif made is not None:
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo += fresh


def _behind(case: Case, value: int, until: int) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, until, reach.CERTAIN)
    return {*part.values, value}


def _finding(case: Case, asked: Op, update: Op, seen: int) -> Finding:
    where, applied = case.site(asked.stack), case.site(update.stack)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{quoted(applied, 'an inner update')} is made with a gradient that was asked of something else",
        why="The function was computed with what is updated here, and is differentiated with respect to another of its "
        "arguments. The shapes happen to fit.",
        fix=f"name the argument that is updated: argnums, or the order of the arguments, in {quoted(where)}",
        variables=(), where=where, label="the gradient of another argument", seen=seen,
        path=stations((where, "grad", "the gradient comes from here"), (applied, "update", "and is applied here")),
    )  # fmt: skip
