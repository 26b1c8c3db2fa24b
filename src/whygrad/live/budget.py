"""Which updates are looked at, so that looking costs no more than a share of the training's time."""

from __future__ import annotations

import math

FIRST = 8
"""So many updates are looked at in any case: what is wrong from the start shows there."""
_FORGET = 0.1


class Budget:
    """Distances between looks, from what a look costs and how long an update takes.

    `every` fixes the distance. Otherwise it grows and shrinks with the two times, which are averaged so that one pause
    (a checkpoint, an evaluation) does not count for much.
    """

    def __init__(self, share: float = 0.02, every: int | None = None) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"budget is the share of time that watching may take, above 0 and up to 1, got {share!r}")
        if every is not None and every < 1:
            raise ValueError(f"every is a number of updates, 1 or more, got {every!r}")
        self.every = every or 1
        self._share, self._fixed = share, every is not None
        self._cost = self._update = 0.0
        self._last: float | None = None
        self._next = 0

    def due(self, update: int) -> bool:
        """Whether an update is looked at."""
        return update >= self._next

    def ended(self, update: int, now: float, cost: float) -> None:
        """An update is over; `cost` is what looking at it took, 0 when it was not looked at."""
        if self._last is not None:
            self._update = _nearer(self._update, max(now - self._last - cost, 1e-9))
        self._last = now
        if cost:
            self._cost = _nearer(self._cost, cost)
            if not self._fixed and update + 1 >= FIRST and self._update:
                self.every = max(1, math.ceil(self._cost / (self._share * self._update)))
            self._next = update + (self.every if update + 1 >= FIRST or self._fixed else 1)

    def polled(self, update: float, cost: float) -> None:
        """For updates that cannot be timed one by one: how long one takes, and what a look costs."""
        self._update, self._cost = max(update, 1e-9), cost
        if not self._fixed:
            self.every = max(1, math.ceil(self._cost / (self._share * self._update)))


def _nearer(mean: float, value: float) -> float:
    if not mean:
        return value
    # Much longer ones are pauses, not updates: they count as if they were not quite so long.
    return mean + _FORGET * (min(value, 4 * mean) - mean)
