"""Histograms of all variables of a group over some updates. Merging is adding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Spread:
    """`counts` is `(variables, buckets.COUNT)`; `count` says of how many looks it is the sum."""

    first: int
    last: int
    count: int
    counts: Any


def merged(spreads: Sequence[Spread]) -> Spread:
    """Neighbours in time as one."""
    return Spread(
        spreads[0].first,
        spreads[-1].last,
        sum(one.count for one in spreads),
        sum((one.counts for one in spreads[1:]), spreads[0].counts),
    )
