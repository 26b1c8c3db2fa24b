"""What lies in the folder of a run, and how it is written.

settings.json         what was trained: agent, settings, environment, backend, seed, steps, versions
metrics.jsonl         one line per log time
notes.jsonl           what happened to workers and learners, where there are any
checkpoints/last.npz  where a resumed run goes on
checkpoints/best.npz  the best evaluation so far
tensorboard/          event files
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from whygrad.whole_file import UNFINISHED, whole_file

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

ROOT = "runs"
"""Where runs lie when nothing else is said, in the current folder."""


class BadRun(ValueError):
    """A folder that is not a run, or a file in it that cannot be read."""


class RunFolder:
    """The folder of one run. `create` makes a new one, `open` finds an old one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.settings_file = self.path / "settings.json"
        self.metrics_file = self.path / "metrics.jsonl"
        self.notes_file = self.path / "notes.jsonl"
        self.last = self.path / "checkpoints" / "last.npz"
        self.best = self.path / "checkpoints" / "best.npz"
        self.tensorboard = self.path / "tensorboard"
        self._metrics: BinaryIO | None = None

    @classmethod
    def create(cls, name: str, root: str | os.PathLike[str] | None = None, checkpoints: bool = True) -> RunFolder:
        """Make `<root>/<name>-<n>`, n being the first number that is free. Nothing old is ever touched."""
        parent = Path(ROOT if root is None else root)
        parent.mkdir(parents=True, exist_ok=True)
        stem = re.sub(r"[^A-Za-z0-9._-]+", "_", name)  # ids of environments may hold a slash or a colon
        for n in count(1):
            run = cls(parent / f"{stem}-{n}")
            try:
                run.path.mkdir()  # fails when it exists: two processes never get the same one
            except FileExistsError:
                continue
            if checkpoints:
                run.last.parent.mkdir()
            return run
        raise AssertionError("unreachable: the numbers never end")

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> RunFolder:
        """A run that exists, or `BadRun` with a sentence that says why this is none."""
        run = cls(path)
        if not run.path.is_dir():
            raise BadRun(f"There is no run at {str(path)!r}: no such folder.{_others(run.path.parent)}")
        if not run.settings_file.is_file():
            raise BadRun(
                f"{str(path)!r} is not a run: it has no settings.json, which every run has from its first moment on."
                f"{_others(run.path)}"
            )
        return run

    def write_settings(self, settings: Mapping[str, Any]) -> None:
        """Write `settings.json`, whole."""
        text = json.dumps(_plain(settings), indent=2, allow_nan=False)
        with whole_file(self.settings_file) as file:
            file.write(text.encode() + b"\n")

    def settings(self) -> dict[str, Any]:
        """What `settings.json` says."""
        try:
            found = json.loads(self.settings_file.read_bytes())
        except ValueError as error:
            raise BadRun(f"{str(self.settings_file)!r} is not JSON any more: {error}.") from error
        if not isinstance(found, dict):
            raise BadRun(f"{str(self.settings_file)!r} should hold a JSON object, and holds {type(found).__name__}.")
        return found

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else trains in this folder inside the block. The lock goes with its process, however that ends."""
        with (self.path / "lock").open("a+b") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError as error:
                    file.seek(0)
                    holder = file.read(20).decode(errors="replace").strip()
                    raise BadRun(
                        f"{str(self.path)!r} is being trained by another process ({holder or 'unknown'}). Two of them "
                        "would overwrite each other's checkpoints: wait for it, or end it first."
                    ) from error
                file.truncate(0)
                file.write(str(os.getpid()).encode())
                file.flush()
            yield

    def log(self, row: Mapping[str, Any]) -> None:
        """Append a row to `metrics.jsonl`; it is out of this process when this returns. Every row has its `step`."""
        if "step" not in row:
            raise ValueError(
                f"a row of metrics needs its 'step'; this one has {', '.join(map(repr, row)) or 'nothing'}."
            )
        if self._metrics is None:
            self._keep_rows(None)
            self._metrics = self.metrics_file.open("ab")
        self._metrics.write(json.dumps(_plain(row), allow_nan=False).encode() + b"\n")
        self._metrics.flush()

    def note(self, note: Mapping[str, Any]) -> None:
        """Append a line to `notes.jsonl`: what happened to workers and learners. It is out when this returns."""
        with self.notes_file.open("ab") as file:
            file.write(json.dumps(_plain(note), allow_nan=False).encode() + b"\n")

    def notes(self) -> list[dict[str, Any]]:
        """All notes; a last line that a killed process left half written is not one."""
        if not self.notes_file.exists():
            return []
        *lines, _half = self.notes_file.read_bytes().split(b"\n")
        return [json.loads(line) for line in lines]

    def rows(self) -> list[dict[str, Any]]:
        """All rows of `metrics.jsonl`. A last line that a killed process left half written is not one."""
        return [row for _, row in self._lines()]

    def rewind(self, step: int) -> None:
        """Before a run goes on from its checkpoint at `step`: forget what it logged later and left half written."""
        self.close()
        self._keep_rows(step)
        for left in self.path.rglob(f".*{UNFINISHED}"):
            left.unlink()

    def close(self) -> None:
        """Close `metrics.jsonl`; logging again opens it again."""
        if self._metrics is not None:
            self._metrics.close()
            self._metrics = None

    def _lines(self) -> list[tuple[bytes, dict[str, Any]]]:
        if not self.metrics_file.exists():
            return []
        *lines, _half = self.metrics_file.read_bytes().split(b"\n")
        found = []
        for n, line in enumerate(lines, 1):
            try:
                row = json.loads(line)
                row["step"]
            except (ValueError, TypeError, KeyError) as error:
                shown = line[:60].decode(errors="replace")
                raise BadRun(f"line {n} of {str(self.metrics_file)!r} is not a row of metrics: {shown!r}.") from error
            found.append((line, row))
        return found

    def _keep_rows(self, step: int | None) -> None:
        kept = b"".join(line + b"\n" for line, row in self._lines() if step is None or row["step"] <= step)
        if self.metrics_file.exists() and self.metrics_file.stat().st_size == len(kept):
            return
        with whole_file(self.metrics_file) as file:
            file.write(kept)


def _others(folder: Path) -> str:
    """The newest runs in a folder, for somebody who mistyped one."""
    runs = [found.parent for found in folder.glob("*/settings.json")] if folder.is_dir() else []
    newest = sorted(runs, key=lambda run: run.stat().st_mtime, reverse=True)[:3]
    return f" The newest runs there: {', '.join(repr(str(run)) for run in newest)}." if newest else ""


def _plain(value: Any) -> Any:
    """As JSON knows it. Numbers that are not finite become null: JSON has no word for them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
