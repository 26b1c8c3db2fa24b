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


def replaced(recording: Recording, asked: set[int], unheld: set[int]) -> Replaced:
    """Old variables that an optimizer still holds and new ones, made later, that took their place in the model."""
    variables = recording.variables
    made_late = [v for v in unheld if variables[v].born]
    if not asked or not made_late:
        return NOTHING
    fresh_since = min(variables[v].born for v in made_late)
    values = recording.values
    read = {
        values[v].variable
        for op in recording.ops.values()
        if op.kind != "write" and op.at > fresh_since
        for v in op.inputs
        if v in values
    }
    torch = recording.framework == "torch"
    stale = {v for v in asked if v not in read and (variables[v].network == UNNAMED or not torch)}
    stale = {v for v in stale if variables[v].born < fresh_since}
    holders = [o.at for o in recording.optimizers.values() if o.holds & stale]
    if torch and holders:  # a torch optimizer took its list when it was built
        made_late = [v for v in made_late if variables[v].born > min(holders)]
    return Replaced(frozenset(stale), frozenset(made_late)) if stale and made_late else NOTHING
