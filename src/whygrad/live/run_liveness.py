"""Whether a run is being trained now, told from its files alone: nobody is asked, and nobody is disturbed."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

from whygrad.live import schema

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

FILES = (schema.FILE, f"{schema.FILE}-wal", "metrics.jsonl", "settings.json", "report.json")
"""What changes while a run is trained."""
_JUST_NOW = 5.0
"""Seconds: a run that wrote something since then is live, where nothing surer is known."""


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """When each file of a run was last written, and how long it is."""
    found = {}
    for name in FILES:
        try:
            stat = (folder / name).stat()
        except OSError:
            continue
        # Reading a database that nobody writes leaves an empty file for a moment.
        if stat.st_size == 0 and name.endswith("-wal"):
            continue
        found[name] = (stat.st_mtime_ns, stat.st_size)
    return found


def changed(folder: Path) -> float:
    """When something was last written, in seconds since 1970; 0 where there is nothing."""
    return max((stamp[0] / 1e9 for stamp in stamps(folder).values()), default=0.0)


def live(folder: Path) -> bool:
    """Whether somebody is training it.

    An agent holds the lock of its run. A record that is being written has its log beside it, which goes when the record
    is closed; after a kill it stays, but then the process is gone.
    """
    locked = _locked(folder / "lock")
    if locked:
        return True
    files = stamps(folder)
    if schema.FILE in files:
        if f"{schema.FILE}-wal" not in files:
            return False
        writer = _writer(folder)
        if writer is not None and _lives(*writer):
            return True
    elif locked is not None:
        return False  # the lock was there to take: whoever trained it has ended
    # Written on another machine, or by a process that left no number.
    return time.time() - max((stamp[0] / 1e9 for stamp in files.values()), default=0.0) < _JUST_NOW


def _locked(file: Path) -> bool | None:
    """Whether a process holds the lock of a run; None where there is no lock, or none that says anything."""
    try:
        with file.open("rb") as held:
            holder = int(held.read(20) or b"0")
            if holder <= 0:
                return None  # it is just starting: to try its lock now would make it fail
            os.kill(holder, 0)
            return _is_held(held) if fcntl is not None else None
    except PermissionError:
        return True  # it lives, and is somebody else's
    except ProcessLookupError:
        return False
    except (OSError, ValueError):
        return None


def _is_held(lock: BinaryIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(lock, fcntl.LOCK_UN)
    return False


def _writer(folder: Path) -> tuple[int, float] | None:
    """The number of the process that watches, and since when it does."""
    try:
        with closing(schema.look_into(folder)) as db:
            facts = dict(db.execute("SELECT key, value FROM about WHERE key IN ('pid', 'began')").fetchall())
        return int(json.loads(facts["pid"])), float(json.loads(facts["began"]))
    except (sqlite3.Error, KeyError, ValueError, TypeError):
        return None


def _lives(process: int, began: float) -> bool:
    """Whether a process is there that was there already when watching began: numbers are given out again."""
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        pass  # somebody else's
    except (OSError, OverflowError):
        return False
    started = _started(process)
    return started is None or started <= began + 10.0  # a clock may have been set


def _started(process: int) -> float | None:
    """When a process was started, in seconds since 1970, where the system says it in a file."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        boot = next(line for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime"))
        return float(boot.split()[1]) + int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, StopIteration, IndexError, ValueError, AttributeError):
        return None
