"""JAX: a part of a target's tree that stays behind while the rest of the tree is synced at every update."""

from __future__ import annotations

from whygrad.flow.events import Copy
from whygrad.rules.case import Case
from whygrad.rules.targets.twin import Twin
from whygrad.rules.targets.twins import target_networks

_UPDATES = 2


def synced_beside(case: Case, twin: Twin) -> list[Copy]:
    """The copies that keep the other parts of a target's tree in step, where none is ever made of this one."""
    if case.recording.framework != "jax" or twin.into or twin.itself or "[" not in twin.name:
        return []
    tree = twin.name.partition("[")[0]
    found: list[Copy] = []
    for other in target_networks(case):
        if other is twin or not other.name.startswith(f"{tree}["):
            continue
        steps = sum(1 for s in case.recording.steps if s.applied & other.originals)
        late = [c for c in other.into if c.at > other.begun and c.share != 0.0]
        rounds = min((sum(c.target == v for c in late) for v in other.members), default=0)
        if steps > _UPDATES and rounds >= steps - 1:
            found += late
    return found
