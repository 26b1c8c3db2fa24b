"""Looks at many updates, as few columns as a screen has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live.looks import INDEX, Looks

MOST = 400
"""Columns, at most: a screen has no room for more."""


@dataclass(frozen=True, slots=True)
class Span:
    """Updates from the first to the last, cut into columns of the same width."""

    first: int
    last: int
    columns: int

    def of(self, updates: Any) -> Any:
        """The column of each update."""
        width = (self.last - self.first + 1) / self.columns
        return np.clip(((np.asarray(updates) - self.first) / width).astype(np.int64), 0, self.columns - 1)

    def middles(self) -> list[float]:
        """The update in the middle of each column."""
        width = (self.last - self.first + 1) / self.columns
        return [self.first + (at + 0.5) * width - 0.5 for at in range(self.columns)]


def span(looks: Sequence[Sequence[Looks]], begin: int | None, end: int | None, most: int = MOST) -> Span | None:
    """The updates that some groups were looked at, or the part of them that is asked for; None without any."""
    full = [some for some in looks if some]
    if not full:
        return None
    first = min(some[0].first for some in full) if begin is None else begin
    last = max(some[-1].last for some in full) if end is None else end
    last = max(first, last)
    inside = max(sum(1 for one in some if one.last >= first and one.first <= last) for some in full)
    return Span(first, last, max(1, min(most, last - first + 1, inside)))


@dataclass(frozen=True, slots=True)
class Columns:
    """For each variable and column: a value, and what else is to be seen there."""

    values: Any
    """(variables, columns); NaN where nothing is known."""
    present: Any
    """Whether there was a gradient in any of the looks."""
    known: Any
    """(columns): whether there was a look at all, here or not long before."""
    broken: Any
    """Whether a number was not finite in any of the looks."""


def gather(looks: Sequence[Looks], field: str, over: Span, variables: int) -> Columns:
    """The mean of a field in each column; of the largest values, the largest."""
    inside = [one for one in looks if one.last >= over.first and one.first <= over.last and len(one.rows) == variables]
    shape = (variables, over.columns)
    if not inside:
        nothing = np.zeros(shape, bool)
        return Columns(np.full(shape, np.nan), nothing, np.zeros(over.columns, bool), nothing)
    # Only what is needed here: with hundreds of variables, all fields of all looks are tens of megabytes.
    needed = [INDEX[name] for name in (field, "present", "nans", "infs")]
    rows = np.stack([one.rows.take(needed, axis=1) for one in inside])
    weights = np.array([float(one.count) for one in inside])[:, None]
    at = over.of([(max(one.first, over.first) + min(one.last, over.last)) / 2 for one in inside])
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    values = rows[:, :, 0]
    finite = np.isfinite(values)
    if field in ("peak", "largest"):
        found = np.fmax.reduceat(values, starts)
    else:
        total = np.add.reduceat(finite * weights, starts)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = np.add.reduceat(np.where(finite, values * weights, 0.0), starts) / total
    there = np.maximum.reduceat(rows[:, :, 1], starts) > 0
    bad = rows[:, :, 2] + rows[:, :, 3]
    broken = np.add.reduceat(np.nan_to_num(bad), starts) > 0
    # Between two looks the last one holds: what was not looked at is not white.
    fill = np.searchsorted(at[starts], np.arange(over.columns), side="right") - 1
    end = int(over.of(min(inside[-1].last, over.last)))
    known = (fill >= 0) & (np.arange(over.columns) <= end)
    fill = np.clip(fill, 0, None)
    exact = np.isin(np.arange(over.columns), at[starts])  # a number that is not finite is told once, not held
    return Columns(
        np.where(known, found[fill].T, np.nan),
        (there[fill] & known[:, None]).T,
        known,
        (broken[fill] & exact[:, None]).T,
    )
