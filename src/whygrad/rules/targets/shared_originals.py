"""Two targets that follow one network, while a second network, trained beside the first, has no target that follows it.

`target_2.load_state_dict(critic_1.state_dict())`: both targets move, so that neither is one that never follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Copy
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import objectives
from whygrad.rules.targets.twin import Twin
from whygrad.rules.targets.twins import groups, target_networks

_ROUNDS = 2


@dataclass(slots=True)
class Misled:
    """A target that follows another's network, the target that does so rightly, and the network that is left over."""

    twin: Twin
    other: Twin
    left: str
    copies: list[Copy]


def misled(case: Case) -> Iterator[Misled]:
    """Told of the later of the two lines, where both run again and again."""
    twins = target_networks(case)
    followed = {v for twin in twins for v in twin.originals}
    for index, one in enumerate(twins):
        for two in twins[index + 1 :]:
            if one.originals != two.originals or one.members & two.members:
                continue
            late = [(twin, _late(case, twin)) for twin in (one, two)]
            left = _left_over(case, two, followed)
            if left is None or any(len(copies) < _ROUNDS * len(twin.members) for twin, copies in late):
                continue
            (first, _), (second, copies) = sorted(late, key=lambda pair: _line(case, pair[1][0]))
            if _line(case, copies[0]) > _line(case, _late(case, first)[0]):
                yield Misled(second, first, left, copies)


def _late(case: Case, twin: Twin) -> list[Copy]:
    """What is written into a target during training, all of it from one network or from the target of that one."""
    into = [c for c in case.recording.copies if c.target in twin.members and c.at > twin.begun]
    return into if all(c.source in twin.originals or c.source not in case.trained for c in into) else []


def _line(case: Case, copy: Copy) -> int:
    site = case.site(copy.stack)
    return site.line if site is not None else 0


def _left_over(case: Case, twin: Twin, followed: set[int]) -> str | None:
    """A trained network of the same build that no target follows, fitted to what these targets make."""
    shapes = sorted(str(case.variable(v).shape) for v in twin.originals)
    for name, members in groups(case).items():
        if members & followed or not members <= case.trained:
            continue
        if sorted(str(case.variable(v).shape) for v in members) != shapes:
            continue
        for objective in objectives(case):
            together = members <= objective.bits.keys() and twin.members <= objective.bits.keys()
            if together and members <= objective.variables(objective.trained):
                return name
    return None
