"""A network that makes targets, beside the one of the same build that is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from whygrad.flow.events import Copy
from whygrad.rules.targets.objective import Objective


@dataclass(slots=True)
class Twin:
    """A network that makes targets and is not trained, and the trained one of the same build."""

    name: str
    members: frozenset[int]
    online: str
    originals: frozenset[int]
    objective: Objective
    into: list[Copy] = field(default_factory=list)
    """Copies from the trained network into this one."""
    out_of: list[Copy] = field(default_factory=list)
    """Copies from this one into the trained network."""
    itself: list[Copy] = field(default_factory=list)
    begun: int = 0
    """When the trained network was first changed by an optimizer."""
