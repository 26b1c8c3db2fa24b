"""Networks that have learned already, compared with one that is to learn from them.

Found by structure. A loss is nothing but the difference of two networks' outputs for the same inputs, with no data of
its own, and one of the two was trained before by another loss, which has ended. Applied to that one as well, the
difference also shrinks where it forgets what it knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.roles import fed_with
from whygrad.rules.targets.objective import Objective, objectives, size
from whygrad.rules.updates.history import history


@dataclass(slots=True)
class Taught:
    """A loss that compares a teacher with a student, and the loss from which the teacher had learned."""

    backward: Backward
    teacher: set[int]
    student: set[int]
    earlier: Backward


def teachers(case: Case) -> Iterator[Taught]:
    """Each loss that moves a teacher along with its student."""
    told = history(case)
    done: set[int] = set()
    for objective in objectives(case):
        backward = objective.backward
        moved = {v for v in backward.got if (backward.at, v) in told.applied}
        for earlier in case.recording.backwards:
            if earlier.at >= backward.at or backward.stack in done or earlier.stack == backward.stack:
                continue
            teacher = {v for v in earlier.got & moved if (earlier.at, v) in told.applied}
            student = moved - earlier.got
            if not teacher or not student or any(case.uses(earlier, v) for v in student):
                continue
            if ended(case, earlier, backward) and _compares(case, objective, teacher, student):
                done.add(backward.stack)
                yield Taught(backward, teacher, student, earlier)


def ended(case: Case, earlier: Backward, backward: Backward) -> bool:
    """Whether the one loss had its last turn before the other had its first, and neither was a single try."""
    backwards = case.recording.backwards
    mine = [b.at for b in backwards if b.stack == backward.stack]
    theirs = [b.at for b in backwards if b.stack == earlier.stack]
    return len(mine) > 1 and len(theirs) > 1 and max(theirs) < min(mine)


def _compares(case: Case, objective: Objective, teacher: set[int], student: set[int]) -> bool:
    """Whether the loss is made of the two networks' outputs alone, and both were given the same."""
    one = sum(objective.bits[v] for v in teacher if v in objective.bits)
    two = sum(objective.bits[v] for v in student if v in objective.bits)
    met = False
    for op in objective.part.ops:
        masks = [(v, objective.live.get(v, 0)) for v in op.inputs]
        joint = 0
        for _, mask in masks:
            joint |= mask
        if not (joint & one and joint & two):
            continue
        apart = any(m & one and not m & two for _, m in masks) and any(m & two and not m & one for _, m in masks)
        met = met or (apart and not any(v in case.content for v in op.inputs))
        data = [v for v, mask in masks if not mask and v not in case.content]
        if any(case.recording.values[v].floating and size(case, v) > 1 and not objective.read.get(v, 0) for v in data):
            return False  # labels, rewards, a mask: the loss has something of its own
        if any(v in case.content for v in op.inputs):
            return False  # one network is computed from the other
    ops = objective.part.ops
    return met and fed_with(case, teacher, ops) == fed_with(case, student, ops)
