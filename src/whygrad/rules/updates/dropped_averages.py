"""Averages of a trained network with another one of its build that are computed at every update and never stored.

Where a loss takes its targets from the other network, W503 says so. This is for the one that is there to be evaluated:
an average of the weights. Nothing of the training depends on it, so the loss looks healthy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import PRODUCT, SUM
from whygrad.rules.targets.twins import other_targets, target_networks


@dataclass(slots=True)
class DroppedAverage:
    """One line that averages, and the variables that should have been given the average."""

    op: Op
    targets: set[int] = field(default_factory=set)
    sources: set[int] = field(default_factory=set)
    times: int = 0


def dropped_averages(case: Case) -> list[DroppedAverage]:
    """Shares of a trained variable and of one that never moves, added up again and again with nobody to take them."""
    recording = case.recording
    begun = min((s.at for s in recording.steps), default=None)
    if begun is None or recording.framework == "jax":
        return []
    still = _unmoved(case)
    used = {v for op in recording.ops.values() for v in op.inputs} | {v for w in recording.writes for v in w.given}
    found: dict[int, DroppedAverage] = {}
    kept: set[int] = set()
    for op in recording.ops.values():
        pair = _shares(case, op) if op.at > begun else None
        if pair is None:
            continue
        if any(v in used for v in op.outputs):
            kept.add(op.stack)
            continue
        one, other = pair if pair[0] in case.trained else pair[::-1]
        if one in case.trained and other in still:
            line = found.setdefault(op.stack, DroppedAverage(op))
            line.sources.add(one)
            line.targets.add(other)
            line.times += 1
    # A program that only looks at the average would do something with it; one that runs once says nothing.
    return [one for stack, one in found.items() if stack not in kept and one.times >= 2 * len(one.targets)]


def _unmoved(case: Case) -> set[int]:
    """Variables that nothing has changed since training began, and that make no target for a loss."""
    recording = case.recording
    begun = min(s.at for s in recording.steps)
    moved = {w.variable for w in recording.writes if w.at > begun} | recording.moved_later | case.trained
    moved |= {c.target for c in recording.copies if c.at > begun}
    targets = {v for twin in (*target_networks(case), *other_targets(case)) for v in twin.members}
    return {v.id for v in recording.variables.values() if v.parameter and v.shape} - moved - targets


def _shares(case: Case, op: Op) -> tuple[int, int] | None:
    """The two variables of one shape of whose contents an operation adds shares: `a * x + (1 - a) * y`."""
    if op.name not in SUM or op.kind != "compute" or len(op.inputs) != 2:
        return None
    found = []
    for value in op.inputs:
        made = case.made_by.get(value)
        scaled = made is not None and made.name in PRODUCT
        contents = [case.content[v] for v in made.inputs if v in case.content] if made is not None and scaled else []
        if len(contents) != 1:
            return None
        found.append(contents[0])
    one, other = found
    return (one, other) if one != other and case.variable(one).shape == case.variable(other).shape else None
