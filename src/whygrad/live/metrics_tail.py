"""The rows of `metrics.jsonl`, read on from where the last reading ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class MetricsTail:
    """All rows so far. A line that is still being written waits, one that is no row is passed over."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: list[dict[str, Any]] = []
        self._read = 0
        self._stamp: tuple[int, int] | None = None

    def rows(self) -> list[dict[str, Any]]:
        """In the order of writing."""
        try:
            stat = self._file.stat()
        except OSError:
            return []
        if stat.st_size < self._read or (self._stamp is not None and stat.st_ino != self._stamp[0]):
            self._rows, self._read = [], 0  # written anew: the run was resumed from an earlier step
        self._stamp = (stat.st_ino, stat.st_size)
        if stat.st_size > self._read:
            with self._file.open("rb") as file:
                file.seek(self._read)
                new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            self._read += len(whole)
            self._rows.extend(row for line in whole.splitlines() if (row := _row(line)) is not None)
        return self._rows


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("step"), int | float) else None
