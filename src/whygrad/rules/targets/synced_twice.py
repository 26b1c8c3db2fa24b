"""A sync that was written for one target and names another, which was synced just before: a line that was copied."""

from __future__ import annotations

from whygrad.flow.events import Copy
from whygrad.rules.case import Case
from whygrad.rules.targets.twin import Twin
from whygrad.rules.targets.twins import target_networks


def synced_twice(case: Case, twin: Twin) -> list[Copy]:
    """Copies of another pair of networks of the same build that had just been made, at a line of their own."""
    shapes = sorted(str(case.variable(v).shape) for v in twin.members)
    late = [c for c in case.recording.copies if c.at > twin.begun and c.share != 0.0 and c.target not in twin.members]
    before: dict[int, Copy] = {}
    found: list[Copy] = []
    for copy in late:
        last = before.get(copy.target)
        between = last is not None and any(last.at < s.at < copy.at for s in case.recording.steps)
        if last is not None and not between and last.source == copy.source and last.stack != copy.stack:
            found.append(copy)
        before[copy.target] = copy
    targets = {c.target for c in found}
    return found if sorted(str(case.variable(v).shape) for v in targets) == shapes else []


def into_another_target(case: Case, twin: Twin) -> list[Copy]:
    """Copies of the trained network, made during training, into the target of another one, all of it."""
    others = [t for t in target_networks(case) if t.members != twin.members and t.originals != twin.originals]
    members = {v for other in others for v in other.members}
    found = [c for c in case.recording.copies if c.at > twin.begun and c.source in twin.originals]
    found = [c for c in found if c.target in members]
    return found if {c.source for c in found} >= {v for v in twin.originals if case.variable(v).shape} else []
