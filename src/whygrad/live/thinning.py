"""Series that never grow beyond a size: when one is full, neighbours are merged two by two, and from then on each row
takes in twice as many items. Ten million updates leave as many rows as ten thousand."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from whygrad.live.tables import Table


class Thinned:
    """One series in a table. The row that is still being filled is written, too, each time there is more of it."""

    def __init__(self, db: sqlite3.Connection, table: Table, key: Any) -> None:
        self._db, self._table, self._key = db, table, key
        rows = table.rows(db, key)
        self._rows = len(rows)
        self._stride = max((row.count for row in rows), default=1)
        self._open = rows[-1] if rows else None

    def add(self, items: Sequence[Any]) -> None:
        """Take in what came, in the order of time."""
        done, left = [], list(items)
        while left:
            if self._open is None or self._open.count >= self._stride:
                self._open = None
                self._rows += 1
            here = self._room(left)
            self._open = self._table.merged(here if self._open is None else [self._open, *here])
            done.append(self._open)
            left = left[len(here) :]
            if self._rows > self._table.cap:
                self._table.put(self._db, self._key, done)
                self._halve()
                done = []
        self._table.put(self._db, self._key, done)

    def _room(self, items: list[Any]) -> list[Any]:
        """As many items as the open row still takes, but at least one."""
        room = self._stride - (self._open.count if self._open is not None else 0)
        for at, item in enumerate(items):
            room -= item.count
            if room <= 0:
                return items[: at + 1]
        return items

    def _halve(self) -> None:
        rows = self._table.rows(self._db, self._key)
        kept = [self._table.merged(rows[at : at + 2]) for at in range(0, len(rows), 2)]
        self._table.clear(self._db, self._key)
        self._table.put(self._db, self._key, kept)
        self._stride *= 2
        self._rows, self._open = len(kept), kept[-1]
