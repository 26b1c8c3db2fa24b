"""Which variables were replaced behind an optimizer's back. Shared by W105, W201 and W202."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.rules.case import Case

UNNAMED = "unnamed parameters"


@dataclass(frozen=True, slots=True)
class Replaced:
    """`stale`: held by an optimizer, used by nobody. `fresh`: used and given a gradient, held by nobody."""

    stale: frozenset[int]
    fresh: frozenset[int]


def unheld(case: Case) -> set[int]:
    """Variables that receive a gradient and belong to no optimizer, nor are updated by hand."""
    recording = case.recording
    held = {v for o in recording.optimizers.values() for v in o.holds}
    got = {v for b in recording.backwards if not b.implicit for v in b.got}
    return {
        v
        for v in got - held - recording.hand_updated
        if recording.variables[v].trainable and recording.variables[v].parameter
    }


def replaced(case: Case) -> Replaced:
    """Old variables that an optimizer still holds and new ones that took their place in the model."""
    recording = case.recording
    read = {recording.values[v].variable for op in recording.ops.values() for v in op.inputs if v in recording.values}
    idle = {v for v in case.held - case.trained if v not in read}
    stale = {v for v in idle if recording.variables[v].network == UNNAMED}
    fresh = unheld(case)
    if not stale or not fresh:
        return Replaced(frozenset(), frozenset())
    return Replaced(frozenset(stale), frozenset(fresh))
