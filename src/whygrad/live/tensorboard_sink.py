"""A watched run for TensorBoard: norms before and after clipping, steps by weights, histograms.

Written in the store's thread, each time it commits. Without the `tensorboard` package nothing is written.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whygrad.live.event import Event
from whygrad.live.looks import INDEX, Looks
from whygrad.live.spreads import Spread

if TYPE_CHECKING:
    from whygrad.live.tensorboard_file import TensorBoardFile
    from whygrad.live.watched_run import Group

FOLDER = "tensorboard"
_TAGS = {"norm": "gradient_norm", "applied": "clipped_gradient_norm", "ratio": "update_by_weight"}
_PAUSE = 10.0
"""Seconds between two histograms: TensorBoard shows few of them, and they take most of the room."""


class TensorBoardSink:
    """Writes what a run sees. The package takes a second to load, which happens in the thread that writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        self._file: TensorBoardFile | None = None
        self._absent = False
        self._last: dict[int, float] = {}

    def take(self, group: Group, looks: Sequence[Looks], spread: Spread | None, events: Sequence[Event]) -> None:
        """Of what was seen since the last time, the latest."""
        file = self._open()
        if file is None or not looks:
            return
        latest = looks[-1]
        values = {}
        for variable, row in zip(group.variables, latest.rows, strict=True):
            for field, tag in _TAGS.items():
                value = float(row[INDEX[field]])
                if not math.isnan(value):
                    values[f"{tag}/{variable.name}"] = value
        file.scalars(latest.last, values)
        if spread is not None and latest.time - self._last.get(group.id, 0.0) >= _PAUSE:
            self._last[group.id] = latest.time
            for variable, counts in zip(group.variables, spread.counts, strict=True):
                file.counted(latest.last, f"gradient/{variable.name}", counts)
        file.flush()

    def picture(self, tag: str, png: bytes, width: int, height: int) -> None:
        """Add a picture."""
        file = self._open()
        if file is not None:
            file.image(0, tag, png, width, height)
            file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> Any:
        if self._file is None and not self._absent:
            try:
                from whygrad.live.tensorboard_file import TensorBoardFile
            except (ImportError, RuntimeError):  # there is no such package; or the program ends, and nothing loads
                self._absent = True
            else:
                self._file = TensorBoardFile(self._folder)
        return self._file
