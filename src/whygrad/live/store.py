"""Writing a watched run: a queue, and a thread that commits what is in it twice a second.

The training only appends to a list. What `flush` has returned for is on its way to the disk in a committed transaction:
the end of the process, however it comes, does not take it back.
"""

from __future__ import annotations

import atexit
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whygrad.live import schema
from whygrad.live.event import Event
from whygrad.live.looks import Looks
from whygrad.live.scalars import scalar
from whygrad.live.spreads import Spread
from whygrad.live.tables import LOOKS, SCALARS, SPREADS, Table
from whygrad.live.thinning import Thinned

PAUSE = 0.5
"""Seconds between two commits: what a killed process may lose."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable as the store knows it."""

    name: str
    network: str
    shape: tuple[int, ...]


class Store:
    """The database of one run, open for writing. One process writes; `reading` reads from any other."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._todo: list[Callable[[sqlite3.Connection], None]] = []
        self._items: dict[tuple[str, Any], list[Any]] = {}
        self._series: dict[tuple[str, Any], Thinned] = {}
        self._sources: list[Callable[[], None]] = []
        self._wake, self._done = threading.Event(), threading.Condition()
        self._asked = self._answered = 0
        self._closing = False
        self._trouble: str | None = None
        self._groups = 0
        with schema.connect(self._folder) as db:  # fails here and now when the folder cannot be written
            self._groups = db.execute("SELECT COALESCE(MAX(id), 0) FROM groups").fetchone()[0]
        db.close()
        self._thread = threading.Thread(target=self._work, name="whygrad-store", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def about(self, **facts: Any) -> None:
        """Facts of the run, as JSON; later ones take the place of earlier ones."""
        rows = [(key, json.dumps(value)) for key, value in facts.items()]
        self._do(lambda db: db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", rows))

    def group(self, name: str, variables: Sequence[Variable]) -> int:
        """Variables that one optimizer updates, and their number from now on. A group of this name is gone on with."""
        names = [(place, v.name, v.network, json.dumps(list(v.shape))) for place, v in enumerate(variables)]
        with schema.connect(self._folder) as db:
            old = db.execute("SELECT id FROM groups WHERE name = ?", (name,)).fetchone()
            number = old[0] if old else self._groups + 1
            held = db.execute(
                "SELECT place, name, network, shape FROM variables WHERE grp = ? ORDER BY place", (number,)
            )
            if old and held.fetchall() != names:
                number, name = self._groups + 1, f"{name} ({self._groups + 1})"
                old = None
            if not old:
                db.execute("INSERT INTO groups VALUES (?, ?, 0, 0, 1)", (number, name))
                db.executemany(f"INSERT INTO variables VALUES ({number}, ?, ?, ?, ?)", names)
        db.close()
        self._groups = max(self._groups, number)
        return int(number)

    def progress(self, group: int, updates: int, looks: int, every: int) -> None:
        """How many updates there were, how many were looked at, and how far apart they are now."""
        row = (updates, looks, every, group)
        self._do(lambda db: db.execute("UPDATE groups SET updates = ?, looks = ?, every = ? WHERE id = ?", row))

    def looks(self, group: int, looks: Sequence[Looks]) -> None:
        """What was seen, in the order of updates."""
        self._add(LOOKS, group, looks)

    def spread(self, group: int, spread: Spread) -> None:
        """Histograms over the looks since the last ones."""
        self._add(SPREADS, group, [spread])

    def scalar(self, name: str, step: int, value: float) -> None:
        """One number of a series, for example a loss."""
        self._add(SCALARS, name, [scalar(step, time.time(), float(value))])

    def event(self, group: int, event: Event) -> None:
        """Something to tell."""
        row = (group, event.at, time.time(), event.kind, event.code, event.variable, event.text, event.worker)
        columns = "grp, at, time, kind, code, variable, text, worker"
        self._do(lambda db: db.execute(f"INSERT INTO events ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row))

    def rewind(self, step: int, update: int) -> None:
        """Forget scalars after a step and gradients after an update: a run goes on from its checkpoint there."""
        self.flush()

        def forget(db: sqlite3.Connection) -> None:
            SCALARS.forget_after(db, step)
            for table in (LOOKS, SPREADS):
                table.forget_after(db, update)
            db.execute("DELETE FROM events WHERE at > ?", (update,))
            self._series.clear()

        self._do(forget)
        self.flush()

    def source(self, collect: Callable[[], None]) -> None:
        """A function to call before each commit, in the thread that commits: it adds what it has."""
        self._sources.append(collect)

    def flush(self) -> None:
        """Return when everything added so far is committed."""
        if not self._thread.is_alive():
            return
        with self._done:
            self._asked += 1
            mine = self._asked
            self._wake.set()
            self._done.wait_for(lambda: self._answered >= mine or not self._thread.is_alive(), timeout=60)
        self._raise()

    def close(self) -> None:
        """Commit what is left and end. More than once is no error."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        self._thread.join(timeout=60)
        atexit.unregister(self.close)
        self._raise()

    def _raise(self) -> None:
        if self._trouble is not None:
            trouble, self._trouble = self._trouble, None
            raise OSError(f"the run at {str(self._folder)!r} cannot be written any more: {trouble}")

    def _do(self, work: Callable[[sqlite3.Connection], Any]) -> None:
        with self._lock:
            self._todo.append(work)

    def _add(self, table: Table, key: Any, items: Sequence[Any]) -> None:
        with self._lock:
            self._items.setdefault((table.name, key), []).extend(items)

    def _work(self) -> None:
        db = schema.connect(self._folder)
        try:
            while True:
                self._wake.wait(PAUSE)
                self._wake.clear()
                last, asked = self._closing, self._asked
                for collect in list(self._sources):
                    collect()
                self._commit(db)
                with self._done:
                    self._answered = asked
                    self._done.notify_all()
                if last:
                    return
        except Exception as error:  # a full disk, a folder that is gone: training goes on, `flush` and `close` say it
            self._trouble = f"{type(error).__name__}: {error}"
        finally:
            db.close()

    def _commit(self, db: sqlite3.Connection) -> None:
        with self._lock:
            todo, self._todo = self._todo, []
            items, self._items = self._items, {}
        if not todo and not items:
            return
        tables = {table.name: table for table in (LOOKS, SPREADS, SCALARS)}
        db.execute("BEGIN IMMEDIATE")
        for work in todo:
            work(db)
        for (name, key), added in items.items():
            series = self._series.get((name, key))
            if series is None:
                series = self._series[name, key] = Thinned(db, tables[name], key)
            series.add(added)
        db.execute("COMMIT")
