"""Which runs lie in a folder, and what is known of each at a glance."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whygrad.live import run_liveness, schema
from whygrad.live.looks_memory import LooksMemory
from whygrad.live.metrics_tail import MetricsTail
from whygrad.live.reading import BadRecord, Reading

_DEEPEST = 5


@dataclass(slots=True)
class Run:
    """One run. Pages know it by its `id`, never by a path."""

    id: str
    name: str
    folder: Path
    metrics: MetricsTail = field(repr=False)
    _looks: LooksMemory | None = field(default=None, repr=False)
    _glance: tuple[str, dict[str, Any]] | None = field(default=None, repr=False)

    @property
    def watched(self) -> bool:
        """Whether there is a record of its gradients."""
        return (self.folder / schema.FILE).is_file()

    @property
    def reading(self) -> Reading:
        """Its record; `BadRecord` without one."""
        return Reading(self.folder)

    @property
    def looks(self) -> LooksMemory:
        """Its looks."""
        if self._looks is None:
            self._looks = LooksMemory(self.reading)
        return self._looks

    def settings(self) -> dict[str, Any]:
        """What its `settings.json` says; nothing where there is none that can be read."""
        return _json(self.folder)

    def version(self) -> str:
        """Another text whenever something of the run has changed."""
        return hashlib.sha256(repr(run_liveness.stamps(self.folder)).encode()).hexdigest()[:16]

    def changed(self) -> float:
        """When something was last written, in seconds since 1970."""
        return run_liveness.changed(self.folder)

    def live(self) -> bool:
        """Whether somebody is training it now."""
        return run_liveness.live(self.folder)

    def last_scalars(self) -> dict[str, float]:
        """The newest number of each series in the record."""
        try:
            with closing(schema.look_into(self.folder)) as db:
                rows = db.execute("SELECT name, mean, MAX(first) FROM scalars WHERE mean IS NOT NULL GROUP BY name")
                return {name: mean for name, mean, _ in rows}
        except sqlite3.Error as error:
            raise BadRecord(f"the numbers of {str(self.folder)!r} cannot be read: {error}.") from error

    def size(self) -> int:
        """Bytes of all files in its folder."""
        return sum(_lengths(self.folder))

    def empty(self) -> bool:
        """Whether nothing came of it: no update, no number, no checkpoint."""
        if self.metrics.rows() or any((self.folder / "checkpoints").glob("*.npz")):
            return False
        try:
            if self.watched:
                reading = self.reading
                return not any(group.updates or group.looks for group in reading.groups()) and not reading.scalars()
        except BadRecord:
            return False  # nobody knows
        return True

    def glance(self) -> dict[str, Any]:
        """What the list of runs shows."""
        version = self.version()
        if self._glance is None or self._glance[0] != version:
            self._glance = (version, _glance(self))
        return {**self._glance[1], "live": self.live(), "changed": self.changed(), "version": version}


class Runs:
    """The runs under one folder, found anew at each question; a folder that is a run itself is the only one."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        self.root = Path(root).absolute()
        self._known: dict[Path, Run] = {}

    def all(self) -> list[Run]:
        """The newest first."""
        folders = [self.root] if is_run(self.root) else _find(self.root, 0)
        known = {folder: self._known.get(folder) or self._run(folder) for folder in folders}
        self._known = known
        return sorted(known.values(), key=lambda run: (-run.changed(), run.name))

    def get(self, id: str) -> Run | None:
        """A run by its id. Only folders that were found have one, so that no id leads anywhere else."""
        for known in (list(self._known.values()), None):
            found = next((run for run in (self.all() if known is None else known) if run.id == id), None)
            if found is not None and found.folder.is_dir():
                return found
        return None

    def _run(self, folder: Path) -> Run:
        return _made(folder, folder.name if folder == self.root else folder.relative_to(self.root).as_posix())


def run_at(path: str | os.PathLike[str]) -> Run | None:
    """The run of this folder; None where it is none."""
    folder = Path(path).absolute()
    return _made(folder, folder.name) if is_run(folder) else None


def is_run(folder: Path) -> bool:
    """Whether a folder is one of a run. Many tools have a `settings.json`; of ours it says what was trained."""
    return any((folder / name).is_file() for name in (schema.FILE, "metrics.jsonl")) or "agent" in _json(folder)


def _made(folder: Path, name: str) -> Run:
    id = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    return Run(id, name.encode(errors="replace").decode(), folder, MetricsTail(folder / "metrics.jsonl"))


def _json(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / "settings.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lengths(folder: Path) -> Iterator[int]:
    try:
        inside = list(os.scandir(folder))
    except OSError:
        return
    for entry in inside:
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _lengths(Path(entry.path))
            else:
                yield entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue  # a file that is gone meanwhile


def _find(folder: Path, depth: int) -> list[Path]:
    try:
        inside = [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    found = []
    for one in sorted(inside):
        if one.name.startswith("."):
            continue
        if is_run(one):
            found.append(one)
        elif depth < _DEEPEST:
            found += _find(one, depth + 1)
    return found


def _glance(run: Run) -> dict[str, Any]:
    rows, settings = run.metrics.rows(), run.settings()
    plan = settings.get("plan") if isinstance(settings.get("plan"), dict) else {}
    last: dict[str, float] = {}
    for row in rows[-200:]:
        last.update({name: float(value) for name, value in row.items() if _number(value)})
    updates, events, variables, trouble, script = 0, 0, 0, "", ""
    if run.watched:
        try:
            reading = run.reading
            script = os.path.basename(str(reading.about().get("script") or ""))
            groups = reading.groups()
            updates, variables = max((g.updates for g in groups), default=0), sum(len(g.variables) for g in groups)
            events = len(reading.events())
            last.update(run.last_scalars())
        except BadRecord as error:
            trouble = str(error)
    return {
        "id": run.id,
        "name": run.name,
        "kind": "agent" if settings.get("agent") else "script",
        "agent": str(settings.get("agent") or ""),
        "script": script,
        "env": str((plan or {}).get("env") or ""),
        "steps": int(last.get("step", 0)),
        "updates": updates,
        "variables": variables,
        "events": events,
        "return": _first(last, "return", "evaluation.return"),
        "loss": _first(last, "loss", *(name for name in sorted(last) if _is_loss(name))),
        "watched": run.watched,
        "trouble": trouble,
    }


def _first(values: dict[str, float], *names: str) -> float | None:
    return next((values[name] for name in names if name in values), None)


def _is_loss(name: str) -> bool:
    return name.endswith((".loss", "/loss", "_loss")) or name.startswith("loss/")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
