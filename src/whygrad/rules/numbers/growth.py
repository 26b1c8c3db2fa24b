"""Magnitude over time: whether gradients and weights grow from update to update until nothing fits any more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Edit, Step
from whygrad.flow.operations import Numbers
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import Trouble, numbers_of

_TOTAL = 1e4
_EACH = 4.0
_STEADY = 3.0
_LONG = 16
_AT_ONCE = 1e8
_FAR = 100.0
_PARTS, _PART = 5, 8
_DOUBLES = 2.0


@dataclass(slots=True)
class Growth:
    """The norms of one optimizer's gradients, update by update, and whether they ended in overflow."""

    optimizer: int
    norms: list[float]
    steps: list[Step]
    overflow: bool
    until: int = 0
    """The update in which it was last looked at."""
    slow: bool = False
    """A little in every update: the loss itself grows."""


def norm_of(numbers: dict[int, Numbers]) -> float:
    """The norm of several tensors together."""
    return math.sqrt(sum(min(n.norm, 1e150) ** 2 for n in numbers.values()))


def blown_up(case: Case, trouble: Trouble | None) -> Growth | None:
    """Gradients that grow by orders of magnitude over the updates, each more than the one before.

    Of several, those that grew first: what a network is told by another that runs away grows too, an update later.
    """
    return min(_blown_up(case, trouble), key=_leap, default=None)


def _leap(growth: Growth) -> float:
    """When the gradients first were far larger than in the beginning."""
    sizes = [(step.at, norm_of(step.gradients)) for step in growth.steps]
    return next((at for at, norm in sizes if norm > _FAR * sizes[0][1]), math.inf)


def _blown_up(case: Case, trouble: Trouble | None) -> Iterator[Growth]:
    recording = case.recording
    for optimizer in recording.optimizers:
        steps = [s for s in recording.steps if s.optimizer == optimizer and s.gradients]
        norms = [norm_of(s.gradients) for s in steps if all(n.finite for n in s.gradients.values())]
        later = [r for r in recording.readings if r.optimizer == optimizer]
        norms += [r.norm for r in later if r.finite]
        overflow = trouble is not None or any(not r.finite for r in later)
        last = later[-1].update if later else len(steps)
        if overflow:
            norms = _rise(norms)
        if len(norms) < 2 or norms[0] <= 0:
            continue
        rising = sum(1 for a, b in pairwise(norms) if b > _EACH * a)
        total = norms[-1] / norms[0]
        if overflow and (total > _TOTAL or norms[-1] > 1e12) and rising >= max(1, (len(norms) - 1) // 2):
            yield Growth(optimizer, norms, steps, True, last)
        elif (
            (len(norms) >= 3 and rising == len(norms) - 1 and total > _TOTAL * 100)
            or (len(norms) >= 4 and all(b > _STEADY * a for a, b in pairwise(norms)) and _losses_grow(case, steps))
            or (max(norms) > _AT_ONCE * max(norms[0], 1.0) and _lost(losses_of(case, steps)))
        ):
            yield Growth(optimizer, norms, steps, False, last)
        elif (total > _TOTAL and _rises(norms) and _rises_far(losses_of(case, steps))) or (
            _climbs([norm_of(s.gradients) for s in steps]) and _climbs(losses_of(case, steps))
        ):
            yield Growth(optimizer, norms, steps, False, last, slow=True)


def beyond_clipping(case: Case) -> tuple[Edit, Backward] | None:
    """A clipping that found no finite norm of gradients whose every entry is finite, and the pass these come from."""
    for edit in case.recording.edits:
        if edit.kind != "clip" or edit.norm is None or math.isfinite(edit.norm):
            continue
        passes = [b for b in case.recording.backwards if b.at < edit.at and b.got & edit.variables]
        given = [n for v in edit.variables if passes and (n := passes[-1].gradients.get(v)) is not None]
        if given and all(n.finite for n in given):
            return edit, passes[-1]
    return None


def _rise(norms: list[float]) -> list[float]:
    """The end of a series from where it only goes up; all of it where that is short."""
    first = max(0, len(norms) - 1)
    while first > 0 and norms[first - 1] < norms[first]:
        first -= 1
    return norms[first:] if len(norms) - first >= 4 else norms


def _rises(numbers: list[float]) -> bool:
    """Nearly every number is larger than the one before."""
    return len(numbers) >= _LONG and sum(1 for a, b in pairwise(numbers) if b > a > 0) >= 0.9 * (len(numbers) - 1)


def _rises_far(numbers: list[float]) -> bool:
    return _rises(numbers) and numbers[-1] > _TOTAL * numbers[0]


def _climbs(numbers: list[float]) -> bool:
    """Up and down from batch to batch, and in each fifth of the time several times what it was in the one before.

    From below 1 it is counted from 1: where rewards are rare, the first losses are nearly zero.
    """
    part = len(numbers) // _PARTS
    if part < _PART:
        return False
    middles = [sorted(numbers[i * part : (i + 1) * part])[part // 2] for i in range(_PARTS)]
    steadily = all(b > _DOUBLES * a > 0 for a, b in pairwise(middles))
    return steadily and middles[-1] > _TOTAL * max(middles[0], 1.0)


def _lost(losses: list[float]) -> bool:
    """Whether one step was enough: the loss is beyond all comparison with the first one, and stays there."""
    return len(losses) > 1 and min(losses[1:]) > _AT_ONCE * max(losses[0], 1.0)


def _losses_grow(case: Case, steps: list[Step]) -> bool:
    """Whether the loss, too, is several times the last one in every update."""
    losses = losses_of(case, steps)
    return len(losses) >= 4 and all(b > _STEADY * a > 0 for a, b in pairwise(losses))


def losses_of(case: Case, steps: list[Step]) -> list[float]:
    """The size of the loss in each update, 0 where it is not known."""
    return [abs(loss) for loss in signed_losses(case, steps)]


def signed_losses(case: Case, steps: list[Step]) -> list[float]:
    """The loss in each update, 0 where it is not known."""
    losses = []
    for step in steps:
        passes = [b for b in case.recording.backwards if b.at < step.at and b.got & step.applied]
        numbers = numbers_of(case, passes[-1].loss) if passes else None
        losses.append(numbers.high if numbers is not None and numbers.size == 1 else 0.0)
    return losses
