"""From a ring that a compiled training writes to looks, spreads and progress.

A compiled function cannot call us for every update without being slowed down by that. So it writes each look into the
next row of a ring, with the number of its update, and the store's thread reads the ring twice a second. Each row says
itself what it is: rows that were read before are passed over, and what was overwritten before anybody came is missing
from the count of looks, not made up.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live.budget import Budget
from whygrad.live.detecting import StandingTarget
from whygrad.live.looks import FIELDS, INDEX, Looks
from whygrad.live.packing import LANES
from whygrad.live.spreads import Spread
from whygrad.live.watched_run import Group, WatchedRun

WRITTEN = ("total", "squares", "zeros", "infs", "broken", "steps", "lengths", "later", "largest", "scale")
"""What a row holds of each variable, in this order: sums over its numbers. What follows from them is reckoned here,
because a compiled step would pay for each of these small operations.

`total` and `squares` are of the gradient divided by `scale`, `later` squares of the clipped one; a scale of zero says
that there was no gradient. `broken` counts NaN and infinite ones. `steps` and `lengths` are squares of the step and of
the weights, which may be unknown.
"""
BEFORE_MEASURED = 16
"""The distance between looks until it is known what one costs."""
_MEMORY = 1 << 22
_LEAST, _MOST = 64, 4096
_REMEMBERED = 8


@dataclass(slots=True)
class Snapshot:
    """A ring as it was at one moment. `updates` and `looked` count from the beginning, `counts` adds up from there."""

    updates: int
    looked: int
    at: Any  # (rows), the update of each row, negative for one that was not written yet
    rows: Any  # (rows, variables, FIELDS)
    counts: Any  # (variables, buckets)


def rows_for(variables: int, memory: int = _MEMORY, least: int = _LEAST) -> int:
    """How many rows a ring has: enough for a second of a fast training, within a little memory."""
    return int(np.clip(memory // (max(variables, 1) * len(WRITTEN) * 8), least, _MOST))


class RingReader:
    """Hands over to the run what is new in a ring. All of it happens in the store's thread."""

    def __init__(
        self,
        run: WatchedRun,
        group: Group,
        budget: Budget,
        fixed: bool,
        targets: Mapping[str, Callable[[], float]] | None = None,
    ) -> None:
        self.group, self.fixed = group, fixed
        self._run, self._budget, self._targets = run, budget, dict(targets or {})
        group.targets.update({name: StandingTarget(name) for name in self._targets})
        self.last = -1
        self.looks = 0
        self._looked = 0
        self._counts: Any = 0
        self._time, self._updates = time.time(), 0
        self._clock: tuple[float, int, int] | None = None
        self._took: deque[float] = deque(maxlen=_REMEMBERED)
        if not fixed:
            budget.every = BEFORE_MEASURED

    def take(self, found: Snapshot) -> None:
        """One more snapshot; an older one than the last has nothing new in it."""
        now = time.time()
        order = np.argsort(found.at, kind="stable")
        order = order[found.at[order] > self.last]
        if len(order):
            at, rows = found.at[order], found.rows[order]
            share = (at - self._updates + 1) / max(found.updates - self._updates, 1)
            times = self._time + np.clip(share, 0, 1) * (now - self._time)
            seen = [Looks(int(a), int(a), 1, float(t), row) for a, t, row in zip(at, times, rows, strict=True)]
            new = found.looked - self._looked
            spread = Spread(self.last + 1, seen[-1].last, new, found.counts - self._counts) if new > 0 else None
            self._run.take(self.group, seen, spread)
            self.last, self._looked, self._counts = seen[-1].last, found.looked, found.counts
            self.looks += len(seen)
        if found.updates > self._updates or len(order):  # an update is counted first and looked at after that
            self._run.store.progress(self.group.id, found.updates, self.looks, self._budget.every)
        if found.updates > self._updates:
            self._time, self._updates = now, found.updates
            for name, mark in self._targets.items():
                self._run.tell(self.group, self.group.targets[name].take(found.updates, mark()))

    def paced(self, updates: int, looked: int, cost: float) -> int:
        """The distance between looks from now on: from how far the training came and what one look costs."""
        now = time.perf_counter()
        before, self._clock = self._clock, (now, updates, looked)
        if before is not None and not self.fixed and updates > before[1]:
            spent = now - before[0] - (looked - before[2]) * cost
            self._took.append(max(spent, 0.1 * (now - before[0])) / (updates - before[1]))
            # In some of these times the training stood still: for an evaluation, for another training.
            self._budget.polled(min(self._took), cost)
        return self._budget.every


def filled(written: Any, sizes: Any) -> Any:
    """The fields of looks from what was written of them."""
    total, squares, zeros, infs, broken, steps, lengths, later, largest, scale = np.moveaxis(written, -1, 0)
    present, nans = scale != 0, broken - infs
    with np.errstate(divide="ignore", invalid="ignore"):
        norm = np.where((squares > 0) | (largest == 0), np.sqrt(squares) * scale, largest)
        norm = np.where(nans > 0, np.nan, norm)
        found = {
            "norm": norm,
            "peak": norm,
            "mean": total * scale / sizes,
            "largest": np.where(nans > 0, np.nan, largest),
            "zeros": (zeros - -sizes % LANES) / sizes,  # those that fill up rows do not count
            "applied": np.where(later == squares, norm, np.sqrt(later) * scale),
        }
        weights = np.sqrt(lengths)
        ratio = np.where(weights > 0, np.sqrt(steps) / weights, np.nan)
    rows = np.full((*written.shape[:-1], len(FIELDS)), np.nan)
    for name, values in found.items():
        rows[..., INDEX[name]] = np.where(present & (sizes > 0), values, np.nan)
    for name, values in {"present": present, "nans": nans * present, "infs": infs * present}.items():
        rows[..., INDEX[name]] = values
    rows[..., INDEX["ratio"]], rows[..., INDEX["weights"]] = ratio, weights
    return rows
