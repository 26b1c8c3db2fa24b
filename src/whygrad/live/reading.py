"""Reading a watched run, also while it is being written. Plain data comes out: lists, numbers, arrays of them."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whygrad.live import schema
from whygrad.live.looks import Looks
from whygrad.live.scalars import Scalar
from whygrad.live.spreads import Spread
from whygrad.live.store import Variable
from whygrad.live.tables import LOOKS, SCALARS, SPREADS


class BadRecord(ValueError):
    """A folder without the record of a watched run, or one that cannot be read."""


@dataclass(frozen=True, slots=True)
class Group:
    """Variables that one optimizer updates."""

    id: int
    name: str
    updates: int
    looks: int
    every: int
    variables: tuple[Variable, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """An event as it was stored."""

    id: int
    group: int
    at: int
    time: float
    kind: str
    code: str
    variable: str
    text: str
    worker: str


class Reading:
    """A look into the record of one run. Each question opens it anew, so that nothing is held while it is written."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not (self.folder / schema.FILE).is_file():
            raise BadRecord(f"{str(folder)!r} has no {schema.FILE}: nothing was watched there.")

    def about(self) -> dict[str, Any]:
        """The facts of the run."""
        with self._open() as db:
            return {key: json.loads(value) for key, value in db.execute("SELECT key, value FROM about")}

    def groups(self) -> list[Group]:
        """All groups with their variables."""
        with self._open() as db:
            held: dict[int, list[Variable]] = {}
            for group, name, network, shape in db.execute(
                "SELECT grp, name, network, shape FROM variables ORDER BY grp, place"
            ):
                held.setdefault(group, []).append(Variable(name, network, tuple(json.loads(shape))))
            rows = db.execute("SELECT id, name, updates, looks, every FROM groups ORDER BY id")
            return [
                Group(number, name, updates, looks, every, tuple(held.get(number, ())))
                for number, name, updates, looks, every in rows
            ]

    def looks(self, group: int, since: int = -1) -> list[Looks]:
        """What was seen of a group after an update."""
        with self._open() as db:
            return LOOKS.rows(db, group, since)

    def spreads(self, group: int, since: int = -1) -> list[Spread]:
        """Histograms of a group after an update."""
        with self._open() as db:
            return SPREADS.rows(db, group, since)

    def scalars(self, since: int = -1) -> dict[str, list[Scalar]]:
        """All other numbers over time, by name."""
        with self._open() as db:
            names = [name for (name,) in db.execute("SELECT DISTINCT name FROM scalars ORDER BY name")]
            return {name: SCALARS.rows(db, name, since) for name in names}

    def events(self, since: int = 0) -> list[Told]:
        """What happened, in the order in which it was noticed; only those with a number above `since`."""
        with self._open() as db:
            rows = db.execute(
                "SELECT id, grp, at, time, kind, code, variable, text, worker FROM events WHERE id > ? ORDER BY id",
                (since,),
            )
            return [Told(*row) for row in rows]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            db = schema.look_into(self.folder)
            try:
                yield db
            finally:
                db.close()
        except sqlite3.Error as error:
            raise BadRecord(f"{str(self.folder / schema.FILE)!r} cannot be read: {error}.") from error
