"""Inner loops whose result the outer loss does not use: it is computed with the weights from before them.

`adapted = w - rate * g`, once or in a chain of steps, and then a loss of `w`: the update is the same as without them.
What is adapted in another function, to be judged or shown, is no part of the loss.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Stack
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import applied_after
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.dropped_updates import updates
from whygrad.rules.wording import at_line, plain_subject, quoted

CODE, NAME = "W206", "update-discarded"

_TWICE = 2


@dataclass(slots=True)
class Unused:
    """The inner steps before a loss, and the operation that takes the old weights in place of the new ones."""

    backward: Backward
    variables: set[int]
    adapted: Op
    taken: Op


def unused_inner_loops(case: Case) -> Iterator[tuple[set[int], Finding]]:
    """Losses that pass an inner loop over in each of their updates that were looked at, with the adapted variables."""
    given = {value: variable for b in case.recording.backwards for variable, value in b.given.items()}
    if not given:
        return
    losses: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values:
            losses.setdefault(backward.stack, []).append(backward)
    for passes in losses.values():
        trained = [(b, variables) for b in passes if (variables := applied_after(case, b))]
        found = [_passed_over(case, backward, variables, given) for backward, variables in trained]
        told = [one for one in found if one is not None]
        if len(told) >= _TWICE and len(told) == len(found):
            yield told[0].variables, _finding(case, told[0], len(told))


def _passed_over(case: Case, backward: Backward, trained: set[int], given: dict[int, int]) -> Unused | None:
    since = max((s.at for s in case.recording.steps if s.at < backward.at and s.applied & trained), default=0)
    loss = case.loss_site(backward)
    place = (loss.file, loss.function) if loss is not None else None
    ops = case.recording.ops
    stored = {v for w in case.recording.writes for v in (*w.given, *(ops[w.at].inputs if w.at in ops else ()))}
    steps: list[tuple[Op, set[int]]] = []
    made: set[int] = set()
    for at, op in ops.items():
        if not since < at < backward.at or op.kind != "compute" or stored.intersection(op.outputs):
            continue
        new = updates(case, op, given) & trained if _function(case.stack(op.stack)) == place else set()
        if new:
            steps.append((op, new))
        if new or any(v in made for v in op.inputs):
            made.update(op.outputs)
    variables = {v for _, new in steps for v in new}
    part = case.slice(backward, reach.CERTAIN)
    if not variables or not variables <= case.used_by(backward) or made & part.values:
        return None
    last = max(op.at for op, _ in steps)
    taken = [op for op in part.ops if op.at > last and any(case.content.get(v) in variables for v in op.inputs)]
    return Unused(backward, variables, steps[-1][0], taken[0]) if taken else None


def _function(stack: Stack) -> tuple[str, str] | None:
    """The function that an operation stands in, comprehensions and lambdas left out."""
    for site in stack:
        name = site.function.rpartition(".")[2]
        if name == "<module>" or not name.startswith("<"):
            return site.file, site.function
    return None


def _finding(case: Case, one: Unused, seen: int) -> Finding:
    """A loss that is computed with the old values, though an inner loop has made new ones for it."""
    where, loss = case.seen_from(one.taken.stack, one.backward.stack), case.loss_site(one.backward)
    made, network = case.seen_from(one.adapted.stack, one.backward.stack), plain_subject(case, one.variables)
    stations = [(made, one.adapted.name, "the inner step makes new values here"),
                (where, one.taken.name, "the old ones are used here"), (loss, "loss", "the loss")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{quoted(where)} uses the values of {network} from before the inner loop; the adapted ones go into no "
        "loss",
        why="An inner step makes new tensors. Where the outer loss is not computed with them, the outer update is the "
        "same as without the inner loop.",
        fix=f"compute {quoted(where)} with the new values{at_line(made, where)}",
        variables=case.names(one.variables), where=where, label="computed with the old values", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=seen,
    )  # fmt: skip
