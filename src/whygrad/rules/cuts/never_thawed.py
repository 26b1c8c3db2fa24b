"""PyTorch: networks that were frozen for another one's update and stayed so.

Around one network's loss the others are often frozen, and thawed behind it. Where that is forgotten, the first update
still trains them; after it their optimizer steps on with nothing. An optimizer that keeps something to train was meant
to leave the rest alone (a trunk that is frozen after its first epochs).
"""

from __future__ import annotations

from whygrad.rules.case import Case, asked_once

_IN_VAIN = 2
"""So many steps without anything to apply: one may come in the middle of an update that the program did not end."""


@asked_once
def never_thawed(case: Case) -> set[int]:
    """All that an optimizer holds, frozen since its last gradient, with steps that changed nothing behind it."""
    recording, found = case.recording, set[int]()
    for optimizer in recording.optimizers.values():
        if not optimizer.holds or any(recording.variables[v].trainable for v in optimizer.holds):
            continue
        last = max((b.at for b in recording.backwards if b.got & optimizer.holds), default=None)
        if last is None:
            continue  # frozen from the beginning
        after = [s for s in recording.steps if s.optimizer == optimizer.id and s.at > last]
        if len(after) > _IN_VAIN:  # the first one took that gradient
            found |= optimizer.holds
    return found
