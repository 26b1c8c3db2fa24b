"""Which variables were replaced behind an optimizer's back. Shared by W201, W202 and the search for lost gradients."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.recording import Recording

UNNAMED = "unnamed parameters"


@dataclass(frozen=True, slots=True)
class Replaced:
    """`stale`: held by an optimizer, used by nobody. `fresh`: used and given a gradient, held by nobody."""

    stale: frozenset[int]
    fresh: frozenset[int]


NOTHING = Replaced(frozenset(), frozenset())


def unheld(recording: Recording) -> set[int]:
    """Variables that receive a gradient and belong to no optimizer."""
    held = {v for o in recording.optimizers.values() for v in o.holds}
    got = {v for b in recording.backwards if not b.implicit for v in b.got}
    known = recording.variables
    return {v for v in got - held if known[v].trainable and (known[v].parameter or not known[v].registered)}


def replaced(recording: Recording, held: set[int], trained: set[int]) -> Replaced:
    """Old variables that an optimizer still holds and new ones, made later, that took their place in the model."""
    values = recording.values
    built = min((o.at for o in recording.optimizers.values()), default=0)
    reading = [op for op in recording.ops.values() if op.kind != "write" and op.at > built]
    read = {values[v].variable for op in reading for v in op.inputs if v in values}
    stale = {v for v in held - trained if v not in read and recording.variables[v].network == UNNAMED}
    holders = [o for o in recording.optimizers.values() if o.holds & stale]
    if not holders:
        return NOTHING
    since = min(o.at for o in holders)
    fresh = {v for v in unheld(recording) if not recording.variables[v].born or recording.variables[v].born > since}
    return Replaced(frozenset(stale), frozenset(fresh)) if fresh else NOTHING
