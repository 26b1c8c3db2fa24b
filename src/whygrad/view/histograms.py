"""Histograms over powers of two as the page draws them: one at a time, and all of a run side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whygrad.live import buckets
from whygrad.live.heat import packed
from whygrad.live.spread_rows import VariableSpread

_BIAS = 127
_MOST = 160
"""Columns of a timeline."""
_FEWEST = 8
"""Exponents that are shown even where there is less to see."""


def histogram(spread: VariableSpread) -> dict[str, Any]:
    """Counts by exponent on either side of zero. `low` is the smallest exponent shown."""
    below, above, low = _sides(spread.counts)
    return {
        "first": spread.first,
        "last": spread.last,
        "looks": spread.count,
        "low": low,
        "negative": below.astype(int).tolist(),
        "positive": above.astype(int).tolist(),
        "zero": int(spread.counts[buckets.SMALLEST] + spread.counts[buckets.NEGATIVE]),
        "broken": int(spread.counts[buckets.NOT_FINITE] + spread.counts[buckets.NEGATIVE + buckets.NOT_FINITE]),
    }


def timeline(spreads: Sequence[VariableSpread]) -> dict[str, Any]:
    """All histograms side by side: for each, from the most negative to the most positive, the share of its numbers."""
    if not spreads:
        return {"columns": 0, "height": 0, "cells": "", "edges": []}
    some = _thinned(spreads)
    _, above, low = _sides(np.sum([one.counts for one in some], axis=0))
    places = _places(low, len(above))
    shares = np.zeros((len(some), len(places)))
    for at, one in enumerate(some):
        counts = one.counts[places].copy()
        counts[len(above)] += one.counts[buckets.NEGATIVE]  # zero is in the middle, with and without a sign
        total = counts.sum() + one.counts[buckets.NOT_FINITE] + one.counts[buckets.NEGATIVE + buckets.NOT_FINITE]
        shares[at] = counts / total if total else 0.0
    top = shares.max() or 1.0
    level = np.round(np.sqrt(shares / top) * 255)  # the square root: rare sizes are to be seen, too
    return {
        "columns": len(some),
        "height": len(places),
        "low": low,
        "cells": packed(level[:, ::-1].T),
        "edges": [[one.first, one.last] for one in some],
    }


def _places(low: int, count: int) -> list[int]:
    """The buckets of a timeline, from the most negative to the most positive, zero in the middle."""
    exponents = [low + _BIAS + at for at in range(count)]
    return [*(buckets.NEGATIVE + e for e in reversed(exponents)), buckets.SMALLEST, *exponents]


def _sides(counts: Any) -> tuple[Any, Any, int]:
    """The counts below and above zero over the exponents that are used, and the smallest of these."""
    above = counts[buckets.SMALLEST + 1 : buckets.NOT_FINITE]
    below = counts[buckets.NEGATIVE + 1 : buckets.NEGATIVE + buckets.NOT_FINITE]
    used = np.flatnonzero(above + below)
    first, last = (int(used[0]), int(used[-1])) if used.size else (_BIAS - 5, _BIAS - 5)
    while last - first + 1 < _FEWEST:
        first, last = max(first - 1, 0), min(last + 1, len(above) - 1)
    return below[first : last + 1], above[first : last + 1], first + 1 - _BIAS


def _thinned(spreads: Sequence[VariableSpread]) -> list[VariableSpread]:
    size = -(-len(spreads) // _MOST)
    parts = [spreads[at : at + size] for at in range(0, len(spreads), size)]
    return [
        VariableSpread(p[0].first, p[-1].last, sum(o.count for o in p), np.sum([o.counts for o in p], axis=0))
        for p in parts
    ]
