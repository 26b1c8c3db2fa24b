"""JAX: the gradient is taken at a copy, the target, and applied to what it was copied from.

`value_and_grad(loss)(state.target_params)`, then `state.apply_gradients(grads=grads)`: the two trees are alike, and
nothing complains. A copy that is made anew for each gradient is meant so: weights that were adapted, a worker's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case, asked_once
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.older_content import read_for
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W204", "crossed-wires"
_AGAIN = 2
_FAR = 200


@dataclass(slots=True)
class TakenAtCopy:
    """Variables that stay what was copied, the request for their gradient, and the updates that use it elsewhere."""

    variables: set[int]
    backward: Backward
    steps: list[Step]


@asked_once
def taken_at_copies(case: Case) -> list[TakenAtCopy]:
    """By the place of the update."""
    recording = case.recording
    moved = {v for s in recording.steps for v in (*s.applied, *s.without)} | recording.moved_later
    places: dict[int, list[Step]] = {}
    for step in recording.astray:
        places.setdefault(step.stack, []).append(step)
    found = []
    for steps in places.values():
        members, asked = set(), None
        for variable in steps[0].applied - moved:
            chain = [s for s in steps if variable in s.before]
            reads = [b for s in chain if (b := read_for(case, variable, s)) is not None]
            moves = all(b.before[variable] == a.after[variable] for a, b in pairwise(chain))
            again = sum(a.read[variable] == b.read[variable] for a, b in pairwise(reads))
            if len(reads) < len(chain) or not moves or again < _AGAIN:
                continue
            originals = {n for s in chain for n in (s.before[variable], s.after[variable])}
            if any(case.is_made_of(b.read[variable], originals, _FAR) for b in reads):
                members.add(variable)
                asked = reads[0]
        if asked is not None:
            found.append(TakenAtCopy(members, asked, steps))
    return found


def findings(case: Case) -> Iterator[Finding]:
    """One for each place."""
    for one in taken_at_copies(case):
        where, applied = case.site(one.backward.stack), case.site(one.steps[0].stack)
        stations: list[tuple[Site | None, str, str]] = [
            (where, "grad", "the gradient of the copy"), (applied, "update", "applied to the original"),
        ]  # fmt: skip
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the gradient is taken at {subject(case, one.variables)}, and applied{at_line(applied, where)} to "
            f"what {verb(one.variables, case, 'it is a copy', 'they are copies')} of",
            why="The update changes other arrays than those that the loss is computed with. While the copy stays as it "
            "is, the loss does not see what the steps have changed.",
            fix="take the gradient at the parameters that the update changes; keep the copy for the targets",
            variables=case.names(one.variables), where=where, label="takes the gradient of a copy",
            loss=case.loss_site(one.backward), seen=len(one.steps),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip
