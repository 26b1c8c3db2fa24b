"""JAX: a target that the program comes to call by another name.

What a state was made with is at first known by its place in there. Once a sync has bound new arrays to a name beside
the state, the same loss is computed with what that name holds: it is one target, and it follows.
"""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.twin import Twin


def goes_by_another_name(case: Case, twin: Twin) -> bool:
    """Whether the last of the target's losses is computed with copies of the trained network in its stead."""
    if case.recording.framework != "jax":
        return False
    place = case.place(twin.objective.backward)
    last = [b for b in case.recording.backwards if case.place(b) == place and b.error is None][-1:]
    copies = {c.target for c in case.recording.copies if c.at > twin.begun and c.source in twin.originals}
    return any(not used & twin.members and used & (copies - twin.members) for used in map(case.used_by, last))
