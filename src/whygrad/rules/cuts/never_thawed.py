"""PyTorch: networks that were frozen for another one's update and stayed so.

Around one network's loss the others are often frozen, and thawed behind it. Where that is forgotten, the first update
still trains them; after it their optimizer steps on with nothing, or with the rest alone. An optimizer that keeps
something to train may be meant to leave the rest alone (a trunk that is frozen after its first epochs): then the same
line is not reached again and again, with another network's update behind it each time.
"""

from __future__ import annotations

from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case, asked_once

_IN_VAIN = 2
"""So many steps without anything to apply: one may come in the middle of an update that the program did not end."""


@asked_once
def never_thawed(case: Case) -> set[int]:
    """What an optimizer holds, frozen since its last gradient, with steps that did not change it behind that."""
    recording, found = case.recording, set[int]()
    for optimizer in recording.optimizers.values():
        for last, off in _since(case, optimizer).items():
            after = [s for s in recording.steps if s.optimizer == optimizer.id and s.at > last]
            if len(after) > _IN_VAIN:  # the first one took that gradient
                found |= off if off == optimizer.holds else _for_another(case, optimizer, off, last)
    return found


def _since(case: Case, optimizer: Optimizer) -> dict[int, set[int]]:
    """What an optimizer holds and is frozen now, by its last gradient; without what was frozen from the beginning.

    The recording may end where others are frozen for a moment as well.
    """
    found: dict[int, set[int]] = {}
    for v in optimizer.holds:
        if not case.variable(v).trainable:
            last = max((b.at for b in case.recording.backwards if v in b.got), default=None)
            if last is not None:
                found.setdefault(last, set()).add(v)
    return found


def _for_another(case: Case, optimizer: Optimizer, off: set[int], last: int) -> set[int]:
    """Those that are frozen over and over, around a loss that trains others, while their own loss still reads them.

    That other loss need not read them: of two critics TD3 asks the first alone, and freezes both.
    """
    later = [b for b in case.recording.backwards if b.at > last]
    own = [b for b in later if b.got & optimizer.holds]
    others = [b for b in later if b.got and not b.got & optimizer.holds]

    def wanted(variable: int) -> bool:
        again = case.variable(variable).frozen_times > 1
        return again and len(others) >= _IN_VAIN and sum(case.reads(b, variable) for b in own) >= _IN_VAIN

    return {v for v in off if wanted(v)}
