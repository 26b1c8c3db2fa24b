"""How small variables lie in one table, so that a compiled look at many of them takes few operations.

Each variable is filled up with zeros to whole rows of `LANES` numbers. A row belongs to one variable: sums along rows,
then over the rows of a variable, are sums of that variable. Large variables are worth operations of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live import buckets

LANES = 64
LARGE = 1 << 16


@dataclass(frozen=True, slots=True)
class Table:
    """Variables that are looked at together, by their places in the group."""

    places: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def pads(self) -> list[int]:
        """How many zeros follow each variable."""
        return [-size % LANES for size in self.sizes]

    @property
    def rows(self) -> int:
        """How many there are."""
        return sum(-(-size // LANES) for size in self.sizes)

    @property
    def large(self) -> bool:
        """Whether this is one large variable."""
        return max(self.sizes) > LARGE

    @property
    def owners(self) -> Any:
        """The variable of each row, counted within this table."""
        return np.repeat(np.arange(len(self.sizes)), [-(-size // LANES) for size in self.sizes]).astype(np.int32)

    @property
    def shelves(self) -> Any:
        """Where the histogram of each row's variable begins, as a column."""
        return (self.owners * buckets.COUNT)[:, None].astype(np.int32)


def tables(sizes: Sequence[int]) -> list[Table]:
    """The small ones of these variables in one table, each large one in its own. Those of no size are in none."""
    small = [place for place, size in enumerate(sizes) if 0 < size <= LARGE]
    found = [Table(tuple(small), tuple(sizes[place] for place in small))] if small else []
    return found + [Table((place,), (size,)) for place, size in enumerate(sizes) if size > LARGE]
