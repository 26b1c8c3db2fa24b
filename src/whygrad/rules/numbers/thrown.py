"""Networks that their first steps throw far away: the weights are many times what they were, and the loss stays up.

A learning rate that is a thousand times too large need not end in infinity. Adam goes just as far in each step, dead
units stop the rest, and what is left to see is a gradient of zero.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Step
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case, asked_once
from whygrad.rules.numbers.growth import norm_of, signed_losses

_WEIGHTS, _LOSS, _STAYS, _AFTER = 10.0, 10.0, 2.0, 3
"""How many times the weights and, at its worst, the loss; how many times the loss usually, and in how many updates."""


@dataclass(slots=True)
class Thrown:
    """An optimizer whose first steps did that, the norms of the weights before and after, and the losses."""

    optimizer: Optimizer
    steps: list[Step]
    weights: tuple[float, float]
    losses: tuple[float, float]


@asked_once
def thrown(case: Case) -> Thrown | None:
    """The first optimizer of that kind. A loss that only begins to grow, or that comes back, is no such case.

    Nor is one that falls below zero: a score that is made as large as it gets has no floor, and may take weights far.
    """
    for optimizer in case.recording.optimizers.values():
        steps = [s for s in case.recording.steps if s.optimizer == optimizer.id and s.gradients and s.error is None]
        known = [s for s in steps if s.weights and s.weights.keys() == steps[0].weights.keys()]
        losses = signed_losses(case, steps)
        if len(known) < 2 or known[0] is not steps[0] or min(losses) <= 0:
            continue
        first = norm_of(known[0].weights)
        far = next((s for s in known if norm_of(s.weights) > _WEIGHTS * max(first, 1.0)), None)
        after = losses[steps.index(far) :] if far is not None else []
        if far is None or len(after) < _AFTER:
            continue
        middle = sorted(after)[len(after) // 2]
        if min(after) > losses[0] and middle > _STAYS * losses[0] and max(after) > _LOSS * losses[0]:
            return Thrown(optimizer, steps, (first, norm_of(far.weights)), (losses[0], middle))
    return None
