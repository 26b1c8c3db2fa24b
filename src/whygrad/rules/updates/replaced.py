"""Which variables were replaced behind an optimizer's back. Shared by W201, W202 and the search for lost gradients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.flow.recording import Recording

UNNAMED = "unnamed parameters"


@dataclass(frozen=True, slots=True)
class Replaced:
    """`stale`: held by an optimizer, used by nobody. `fresh`: used and given a gradient, held by nobody."""

    stale: frozenset[int]
    fresh: frozenset[int]


NOTHING = Replaced(frozenset(), frozenset())


def replaced(recording: Recording, unheld: set[int], uses: Callable[[Backward, int], bool]) -> Replaced:
    """Old variables that an optimizer still holds and new ones, made later, that took their place in the model."""
    groups: dict[str, set[int]] = {}
    for v in unheld:
        if recording.variables[v].born:
            groups.setdefault(recording.variables[v].network, set()).add(v)
    latest_first = sorted(groups.values(), key=lambda group: -min(recording.variables[v].born for v in group))
    found = _taken_over(recording, unheld, latest_first[0], uses) if latest_first else NOTHING
    # What took the place of another came last. More may have been made anew with it: each of them by its like.
    for group in latest_first[1:] if found.stale else ():
        begun = min(recording.variables[v].born for v in group)
        waiting = [o for o in recording.optimizers.values() if o.at < begun and o.holds and o.holds <= found.stale]
        if any(_shapes(recording, o.holds) == _shapes(recording, group) for o in waiting):
            found = Replaced(found.stale, found.fresh | group)
    return found


def _shapes(recording: Recording, variables: set[int]) -> list[str]:
    return sorted(str(recording.variables[v].shape) for v in variables)


def _taken_over(
    recording: Recording, unheld: set[int], made_late: set[int], uses: Callable[[Backward, int], bool]
) -> Replaced:
    variables = recording.variables
    since = min(variables[v].born for v in made_late)
    later = [b for b in recording.backwards if b.at > since and not b.implicit and b.loss is not None]
    if not later:
        return NOTHING
    asked = {v for b in later for v in b.wanted} | {
        v for s in recording.steps if s.at > since for v in s.applied | s.without
    }
    # A name that now belongs to something else, one in a list alone, or none: a target network keeps a name of its own,
    # and so does a temperature whose exponential is kept beside it.
    taken = {variables[v].network for v in made_late} | {UNNAMED}
    beside = max(variables[v].found for v in made_late)
    stale = {
        v
        for v in asked
        if variables[v].born < since
        and (variables[v].network in taken or (not variables[v].model and "[" in variables[v].name))
        and not (beside and variables[v].found == beside)  # the program has both, each in a place of its own
        and not any(v in b.got or uses(b, v) for b in later)
    }
    stale.difference_update(*(variables[v].derived_from for v in unheld))  # not replaced: copies are computed from them
    if stale and not any(variables[v].model for v in stale):
        stale -= _read_since(recording, since)  # a temperature that the program still takes its numbers from
    holders = [o.at for o in recording.optimizers.values() if o.holds & stale]
    if recording.framework == "torch" and holders and not _listed_before(recording, stale, made_late):
        # a torch optimizer took its list when it was built
        made_late = {v for v in made_late if variables[v].born > min(holders)}
    return Replaced(frozenset(stale), frozenset(made_late)) if stale and made_late else NOTHING


def _read_since(recording: Recording, since: int) -> set[int]:
    """TensorFlow: variables whose content an operation takes in under a tape, after the others were made."""
    inputs = {v for op in recording.ops.values() if op.at > since and op.tapes for v in op.inputs}
    return {v for n in inputs if n in recording.values and (v := recording.values[n].variable) is not None}


def _listed_before(recording: Recording, stale: set[int], fresh: set[int]) -> bool:
    """PyTorch: whether the optimizer was given an old list: each new parameter has one that no model has any more."""
    variables = recording.variables
    gone = [variables[v] for v in sorted(stale)]
    new = [variables[v] for v in sorted(fresh)]
    alone = all(v.parameter and not v.model for v in gone) and all(v.model for v in new)
    return alone and [len(v.shape) for v in gone] == [len(v.shape) for v in new]
