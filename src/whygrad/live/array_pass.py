"""Statistics of many gradients in NumPy: where gradients lie in memory anyway, and as the reference for devices.

Gradients lie end to end in one flat array, and several looks are several rows of it: for a small network the calls cost
more than the numbers. Everything is done in blocks that stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from whygrad.live import buckets
from whygrad.live.looks import FIELDS, INDEX

BLOCK = 1 << 16
_MEASURED = INDEX["infs"] + 1
"""The first fields, up to this one, are what one pass over a gradient gives."""
_PRESENT, _NORM, _PEAK, _MEAN = INDEX["present"], INDEX["norm"], INDEX["peak"], INDEX["mean"]
_LARGEST, _ZEROS, _NANS, _INFS = INDEX["largest"], INDEX["zeros"], INDEX["nans"], INDEX["infs"]


class ArrayPass:
    """Looks at gradients of these sizes. `count` is `np.bincount` or something that does the same."""

    def __init__(self, sizes: Sequence[int], count: Callable[[Any, int], Any] | None = None) -> None:
        self.sizes = np.array(sizes, np.int64)
        self._count = count or _bincount
        self._filled = np.flatnonzero(self.sizes)  # those of no size have no numbers to reduce
        self._lengths = self.sizes[self._filled]
        self._ends = np.cumsum(self._lengths)
        self._total = int(self._ends[-1]) if len(self._ends) else 0
        self._places: Any = None

    def look(self, flat: Any) -> tuple[Any, Any]:
        """Of `(looks, numbers)` the rows of each look, and the histograms of all looks together."""
        rows = np.full((len(flat), len(self.sizes), len(FIELDS)), np.nan)
        rows[:, :, _PRESENT] = 1.0
        rows[:, :, [_NANS, _INFS]] = 0.0
        counts = np.zeros((len(self.sizes), buckets.COUNT), np.int64)
        with np.errstate(over="ignore", invalid="ignore"):
            if self._total > BLOCK:
                for at in range(len(flat)):
                    self._look_at_large(flat[at], rows[at], counts)
            elif self._total:
                step = max(1, BLOCK // self._total)
                for at in range(0, len(flat), step):
                    self._look_at_small(flat[at : at + step], rows[at : at + step], counts)
        return rows, counts

    def norms(self, flat: Any) -> Any:
        """Of `(looks, numbers)` the norm of each variable in each look."""
        found = np.zeros((len(flat), len(self.sizes)))
        if not self._total:
            return found
        with np.errstate(over="ignore", invalid="ignore"):
            if self._total > BLOCK:
                for at in range(len(flat)):
                    found[at, self._filled] = [_length(part) for part in np.split(flat[at], self._ends[:-1])]
            else:
                step = max(1, BLOCK // self._total)
                for at in range(0, len(flat), step):
                    exact = flat[at : at + step].astype(np.float64)
                    np.multiply(exact, exact, out=exact)
                    found[at : at + step, self._filled] = np.sqrt(self._sums(exact))
        return found

    def _sums(self, values: Any, kind: Any = np.float64) -> Any:
        starts = self._ends - self._lengths
        return np.add.reduceat(values, starts, axis=1, dtype=kind)

    def _look_at_small(self, flat: Any, rows: Any, counts: Any) -> None:
        if self._places is None or len(self._places) < len(flat):
            one = np.repeat(np.arange(len(self._filled)) * buckets.COUNT, self._lengths)
            self._places = np.tile(one, (len(flat), 1))
        places = buckets.places(flat)
        places += self._places[: len(flat)]
        found = self._count(places.reshape(-1), len(self._filled) * buckets.COUNT).reshape(-1, buckets.COUNT)
        counts[self._filled] += found
        exact = flat.astype(np.float64)
        block = np.ones((len(flat), len(self._filled), _MEASURED))
        block[..., _MEAN] = self._sums(exact) / self._lengths
        block[..., _ZEROS] = self._sums(flat == 0, np.int64) / self._lengths
        np.absolute(exact, out=exact)
        block[..., _LARGEST] = np.maximum.reduceat(exact, self._ends - self._lengths, axis=1)
        np.multiply(exact, exact, out=exact)
        block[..., _NORM] = block[..., _PEAK] = np.sqrt(self._sums(exact))
        if _not_finite(found).any():
            block[..., _NANS] = self._sums(np.isnan(flat), np.int64)
            block[..., _INFS] = self._sums(np.isinf(flat), np.int64)
        else:
            block[..., _NANS] = block[..., _INFS] = 0.0
        rows[:, self._filled, :_MEASURED] = block

    def _look_at_large(self, flat: Any, rows: Any, counts: Any) -> None:
        for place, part in zip(self._filled, np.split(flat, self._ends[:-1]), strict=True):
            self._look_at_one(part, rows[place], counts[place])

    def _look_at_one(self, part: Any, row: Any, counts: Any) -> None:
        total = squares = largest = 0.0
        zeros = nans = infs = 0
        for at in range(0, len(part), BLOCK):
            piece = part[at : at + BLOCK]
            found = self._count(buckets.places(piece), buckets.COUNT)
            counts += found
            if _not_finite(found[None]).any():
                nans += int(np.isnan(piece).sum())
                infs += int(np.isinf(piece).sum())
            exact = piece.astype(np.float64)
            total += float(exact.sum())
            zeros += len(piece) - int(np.count_nonzero(piece))
            np.absolute(exact, out=exact)
            largest = float(np.maximum(largest, exact.max()))  # which keeps NaN
            np.multiply(exact, exact, out=exact)  # not `dot`, whose threads would wait for those of the training
            squares += float(exact.sum())
        size, norm = len(part), float(np.sqrt(squares))
        row[:_MEASURED] = (1.0, norm, norm, total / size, largest, zeros / size, nans, infs)


def _bincount(places: Any, length: int) -> Any:
    return np.bincount(places, minlength=length)


def _not_finite(counts: Any) -> Any:
    return counts[:, buckets.NOT_FINITE] + counts[:, buckets.NEGATIVE + buckets.NOT_FINITE]


def _length(array: Any) -> float:
    squares = 0.0
    for at in range(0, len(array), BLOCK):
        exact = array[at : at + BLOCK].astype(np.float64)
        np.multiply(exact, exact, out=exact)
        squares += float(exact.sum())
    return float(np.sqrt(squares))
