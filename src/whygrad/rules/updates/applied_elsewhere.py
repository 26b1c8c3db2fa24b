"""JAX: the gradient is taken at parameters that nobody updates, and applied to others that no loss reads.

Where the program computes nothing with those others, they are what it has left behind (W202). Where it does, if only to
see how well they do, they are what it means to train, and the gradient was asked of the wrong ones (W204).
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case, asked_once
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.older_content import read_for
from whygrad.rules.updates.taken_at_copies import taken_at_copies
from whygrad.rules.wording import at_line, subject

_ROUNDS = 3
_MOVES = frozenset({"add", "sub"})


@dataclass(slots=True)
class Elsewhere:
    """Variables that stay as they are, the request for their gradient, and the updates that use it for others."""

    variables: set[int]
    backward: Backward
    steps: list[Step]
    in_use: bool
    """Whether the program computes something with what the updates change."""


@asked_once
def applied_elsewhere(case: Case) -> list[Elsewhere]:
    """By the place of the update."""
    recording = case.recording
    if not recording.astray:
        return []
    moved = {v for s in recording.steps for v in (*s.applied, *s.without)} | recording.moved_later
    moved |= {v for one in taken_at_copies(case) for v in one.variables}  # of a copy of what is updated
    others = [op for op in recording.ops.values() if op.name not in _MOVES]
    in_use = {v for op in others if not op.inside for v in op.inputs}
    places: dict[int, list[Step]] = {}
    remembered = _remembered(case)
    for step in [s for s in recording.astray if s.applied and not remembered & set(s.after.values())]:
        places.setdefault(step.stack, []).append(step)
    found = []
    for steps in places.values():
        members, asked = set[int](), None
        for variable in steps[0].applied - moved:
            chain = [s for s in steps if variable in s.before]
            reads = [read_for(case, variable, s) for s in chain]
            still = len({b.read[variable] for b in reads if b is not None}) == 1 and None not in reads
            moves = all(b.before[variable] != a.before[variable] for a, b in pairwise(chain))
            if len(chain) >= _ROUNDS and still and moves:
                members.add(variable)
                asked = reads[-1]
        if members and asked is not None:
            used = any(s.after.get(v) in in_use for v in members for s in steps)
            found.append(Elsewhere(members, asked, steps, used))
    return found


def _remembered(case: Case) -> set[int]:
    """Values that an optimizer goes on calculating with before the next gradient: what it remembers is a sum, too.

    A decay of the weights takes the new ones, but in the next update.
    """
    asked = sorted(b.at for b in case.recording.backwards)
    born: dict[int, int] = {v: bisect(asked, s.at) for s in case.recording.astray for v in s.after.values()}
    works = [op for op in case.recording.ops.values() if op.inside and op.name not in _MOVES]
    return {v for op in works for v in op.inputs if v in born and bisect(asked, op.at) == born[v]}


def of_the_wrong_ones(case: Case) -> Iterator[Finding]:
    """W204, one for each place: the program uses what is updated, and asks for the gradient of something else."""
    for one in applied_elsewhere(case):
        if not one.in_use:
            continue
        where, taken = case.site(one.steps[0].stack), case.site(one.backward.stack)
        yield Finding(
            code="W204", rule="crossed-wires", severity="error",
            message=f"the gradient of {subject(case, one.variables)} is applied{at_line(where)} to other parameters, "
            "which it is not the gradient of",
            why=f"The gradient{at_line(taken, where)} is taken at the same values each time. What the update changes "
            "is another set of arrays of the same shapes, which the program uses and never differentiates at.",
            fix="take the gradient at the parameters that the update changes",
            variables=case.names(one.variables), where=where, label="the gradient is not that of these parameters",
            loss=case.loss_site(one.backward), seen=len(one.steps),
            path=stations((taken, "grad", "the gradient is taken here"), (where, "update", "and applied to others")),
        )  # fmt: skip
