"""Removing runs: only what a training wrote, only inside of run folders, never one that is being trained.

Whatever else lies in the folder of a run (a film, an exported network, somebody's notes) stays, and the folder with it.
Links are not followed, and stay too.
"""

from __future__ import annotations

import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from whygrad.live import schema
from whygrad.live.run_folder import RunFolder
from whygrad.live.run_listing import Run

_OURS = {
    "": r"watch\.db(-wal|-shm|-journal)?|settings\.json|metrics\.jsonl|report\.json|lock",
    "checkpoints": r"(last|best)\.npz",
    "tensorboard": r"events\.out\.tfevents\..+",
}
"""By folder, the names of the files that a training writes."""
_UNFINISHED = r"|\.({})\.\d+\.unfinished"
_LAST = (schema.FILE, "settings.json", "lock")
"""What makes a folder a run goes last: a removal that was broken off can be gone on with."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What removing a run would take away, and what would stay in its folder."""

    run: Run
    files: tuple[Path, ...]
    size: int
    stays: tuple[str, ...]


def removal(run: Run) -> Removal | str:
    """What would go; or why nothing of it can be removed."""
    if run.folder.is_symlink():
        return "it is a link"
    if run.live():
        return "it is being trained"
    if not _certain(run.folder, run.settings()):
        return "it has neither a record nor settings that whygrad wrote"
    files, stays, size = [], [], 0
    for file, ours in _inside(run.folder, ""):
        if ours:
            files.append(file)
            size += file.lstat().st_size
        else:
            stays.append(file.relative_to(run.folder).as_posix())
    return Removal(run, tuple(sorted(files, key=_order)), size, tuple(sorted(stays)))


def remove(what: Removal) -> str | None:
    """Remove it; or say why not, if that has changed since it was asked for."""
    now = removal(what.run)
    if isinstance(now, str):
        return now
    folder = RunFolder(what.run.folder)
    # An agent that goes on with it at this moment would have the lock; we take it, so that it cannot.
    with folder.alone() if folder.settings_file.exists() else nullcontext():
        for file in now.files:
            file.unlink(missing_ok=True)
        (what.run.folder / "lock").unlink(missing_ok=True)
    for place in ("checkpoints", "tensorboard", ""):
        _remove_empty(what.run.folder / place)
    return None


def _certain(folder: Path, settings: dict[str, object]) -> bool:
    """Whether whygrad made this run: other tools have files of the same names."""
    if _plain_file(folder / "settings.json") and {"agent", "plan"} <= set(settings):
        return True
    if not _plain_file(folder / schema.FILE):
        return False
    try:
        with closing(schema.look_into(folder)) as db:
            names = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return False
    return {"about", "groups", "looks", "spreads", "scalars", "events"} <= names


def _inside(folder: Path, place: str) -> Iterator[tuple[Path, bool]]:
    """Everything in a run's folder but its two own folders themselves, and whether it is ours."""
    names = _OURS[place]
    ours = re.compile(names + _UNFINISHED.format(names))
    for file in sorted((folder / place).iterdir()):
        if not place and file.name in _OURS and file.is_dir() and not file.is_symlink():
            yield from _inside(folder, file.name)
        else:
            yield file, bool(_plain_file(file) and ours.fullmatch(file.name))


def _plain_file(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def _order(file: Path) -> tuple[bool, int, str]:
    last = file.name in _LAST
    return last, _LAST.index(file.name) if last else 0, str(file)


def _remove_empty(folder: Path) -> None:
    try:
        if not folder.is_symlink():
            os.rmdir(folder)
    except OSError:
        pass  # something that is not ours is in it
