"""How looks, spreads and scalars lie in the tables: to a row and back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live import buckets, looks, scalars, spreads
from whygrad.live.looks import FIELDS, Looks
from whygrad.live.scalars import Scalar
from whygrad.live.spreads import Spread


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of thing that comes over time, belongs to a key, and is merged when there is too much of it."""

    name: str
    key: str
    columns: tuple[str, ...]
    cap: int
    merged: Callable[[Sequence[Any]], Any]
    values: Callable[[Any], tuple[Any, ...]]
    read: Callable[..., Any]

    def put(self, db: sqlite3.Connection, key: Any, items: Sequence[Any]) -> None:
        """Write rows; one that begins at the same update as an older one takes its place."""
        places = ", ".join("?" * (len(self.columns) + 1))
        db.executemany(
            f"INSERT OR REPLACE INTO {self.name} ({self.key}, {', '.join(self.columns)}) VALUES ({places})",
            [(key, *self.values(item)) for item in items],
        )

    def rows(self, db: sqlite3.Connection, key: Any, since: int = -1) -> list[Any]:
        """All rows of a key that end after `since`, in order."""
        found = db.execute(
            f"SELECT {', '.join(self.columns)} FROM {self.name} WHERE {self.key} = ? AND last > ? ORDER BY first",
            (key, since),
        )
        return [self.read(*row) for row in found]

    def clear(self, db: sqlite3.Connection, key: Any) -> None:
        """Forget all rows of a key."""
        db.execute(f"DELETE FROM {self.name} WHERE {self.key} = ?", (key,))

    def forget_after(self, db: sqlite3.Connection, step: int) -> None:
        """Forget what came after a step, of every key: a resumed run goes on from there."""
        db.execute(f"DELETE FROM {self.name} WHERE first > ?", (step,))


def _look_values(look: Looks) -> tuple[Any, ...]:
    return look.first, look.last, look.count, look.time, look.rows.astype("<f4").tobytes()


def _read_look(first: int, last: int, count: int, time: float, rows: bytes) -> Looks:
    return Looks(first, last, count, time, np.frombuffer(rows, "<f4").reshape(-1, len(FIELDS)).astype(np.float64))


def _spread_values(spread: Spread) -> tuple[Any, ...]:
    return spread.first, spread.last, spread.count, buckets.pack(spread.counts)


def _read_spread(first: int, last: int, count: int, counts: bytes) -> Spread:
    return Spread(first, last, count, buckets.unpack(counts))


def _scalar_values(scalar: Scalar) -> tuple[Any, ...]:
    return scalar.first, scalar.last, scalar.count, scalar.time, scalar.low, scalar.mean, scalar.high


LOOKS = Table("looks", "grp", ("first", "last", "count", "time", "rows"), 2048, looks.merged, _look_values, _read_look)
SPREADS = Table(
    "spreads", "grp", ("first", "last", "count", "counts"), 256, spreads.merged, _spread_values, _read_spread
)
SCALARS = Table(
    "scalars",
    "name",
    ("first", "last", "count", "time", "low", "mean", "high"),
    4096,
    scalars.merged,
    _scalar_values,
    Scalar,
)
