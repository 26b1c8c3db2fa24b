"""Histograms of one variable, without unpacking those of all others twice.

A row of the store holds the histograms of all variables of a group; with hundreds of them, all rows at once would be
hundreds of megabytes. So this reads row by row, and keeps only what was asked for.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from whygrad.live import buckets, schema
from whygrad.live.reading import BadRecord


@dataclass(frozen=True, slots=True)
class VariableSpread:
    """The histogram of one variable over some updates."""

    first: int
    last: int
    count: int
    counts: Any


class SpreadMemory:
    """The last few variables that were asked for, so that a live page unpacks only new rows."""

    _MOST = 8

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[tuple[Path, int, int], dict[int, VariableSpread]] = {}

    def spreads(self, folder: Path, group: int, place: int) -> list[VariableSpread]:
        """All of one variable, in order."""
        key = (folder, group, place)
        with self._lock:
            held = self._held.pop(key, {})
            found = _read(folder, group, place, held)
            self._held[key] = {one.first: one for one in found}
            for old in list(self._held)[: -self._MOST]:
                del self._held[old]
        return found


def _read(folder: Path, group: int, place: int, held: dict[int, VariableSpread]) -> list[VariableSpread]:
    try:
        with closing(schema.look_into(folder)) as db:
            db.execute("BEGIN")  # all of it as it is now, whatever is written meanwhile
            rows = db.execute(
                "SELECT first, last, count FROM spreads WHERE grp = ? ORDER BY first", (group,)
            ).fetchall()
            return [_one(db, group, place, row, held.get(row[0])) for row in rows]
    except (sqlite3.Error, zlib.error, ValueError, IndexError, TypeError) as error:
        raise BadRecord(f"the histograms of {str(folder)!r} cannot be read: {error}.") from error


def _one(
    db: sqlite3.Connection, group: int, place: int, row: tuple[int, int, int], held: VariableSpread | None
) -> VariableSpread:
    first, last, count = row
    if held is not None and (held.last, held.count) == (last, count):
        return held
    (packed,) = db.execute("SELECT counts FROM spreads WHERE grp = ? AND first = ?", (group, first)).fetchone()
    begin = place * buckets.COUNT
    counts = np.frombuffer(zlib.decompress(packed), np.uint64)[begin : begin + buckets.COUNT]
    return VariableSpread(first, last, count, counts.astype(np.float64))
