"""How far a training is: a bar on a terminal, a line at every tenth elsewhere."""

from __future__ import annotations

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import TextIO

from tqdm import tqdm

LINES = 10
"""Lines that a whole training gets in a log file."""
REDRAW = 0.1
"""Seconds between two drawings of the bar."""
MEMORY = 5.0
"""Seconds over which the speed is averaged."""
_NARROWEST_BAR = 10
_FORM = "{percentage:3.0f}% {bar} {desc}"


class Progress:
    """Shows return, loss, gradient norm, speed and time left; nothing at all when `quiet`."""

    def __init__(
        self,
        total: int,
        done: int = 0,
        quiet: bool | None = None,
        file: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file = sys.stderr if file is None else file
        self._total = total
        self._clock = clock
        self._speed = _Speed(done, clock())
        self._quiet = bool(quiet)
        self._tenth = self._tenth_of(done)
        self._drawn = -math.inf
        self._numbers: Mapping[str, float | None] = {}
        self._bar = not quiet and _is_terminal(self._file)
        self._open = False

    def update(self, step: int, numbers: Mapping[str, float | None]) -> None:
        """Say that `step` steps are done, and what is known by now. Costs next to nothing when no drawing is due."""
        if self._quiet:
            return
        self._numbers = {**self._numbers, **numbers}
        if self._bar:
            now = self._clock()
            if now - self._drawn >= REDRAW or step >= self._total:
                self._drawn = now
                self._draw(step, now)
        elif self._tenth_of(step) > self._tenth:
            self._tenth = self._tenth_of(step)
            share = f"{min(100 * step / max(self._total, 1), 100):3.0f}%"
            parts = [share, f"{step:,} of {self._total:,} steps", *self._parts(step, self._clock())]
            print("  ".join(parts), file=self._file, flush=True)

    def close(self) -> None:
        """Leave the bar as it was last drawn and go to the next line."""
        if self._open:
            print(file=self._file, flush=True)
            self._open = False

    def _draw(self, step: int, now: float) -> None:
        width = _width(self._file)
        room = width - len("100%  ") - _NARROWEST_BAR
        shown = ""
        for part in self._parts(step, now):
            longer = f"{shown}  {part}" if shown else part
            if len(longer) > room:
                break
            shown = longer
        # Only tqdm's drawing is used: its bars start a thread, and environments may fork this process.
        text = tqdm.format_meter(
            min(step, self._total),  # of more than all tqdm would show no share
            self._total,
            elapsed=0,
            ncols=width,
            prefix=shown,
            ascii=not _has_blocks(self._file),
            bar_format=_FORM,
        )
        self._file.write(f"\r{text}")  # always as wide as the one before it, so nothing of that is left
        self._file.flush()
        self._open = True

    def _parts(self, step: int, now: float) -> list[str]:
        # The most wanted first: a narrow terminal shows only the beginning.
        speed = self._speed.at(step, now)
        numbers = [f"{name} {value:.4g}" for name, value in self._numbers.items() if value is not None]
        left = [f"{_duration((self._total - step) / speed)} left"] if speed > 0 and step < self._total else []
        return [*numbers[:1], *left, f"{speed:,.0f} steps/s", *numbers[1:]]

    def _tenth_of(self, step: int) -> int:
        return step * LINES // max(self._total, 1)


class _Speed:
    """Steps per second of late: what is older counts less."""

    def __init__(self, step: int, now: float) -> None:
        self._last = (step, now)
        self._steps = 0.0
        self._seconds = 0.0

    def at(self, step: int, now: float) -> float:
        steps, seconds = step - self._last[0], now - self._last[1]
        self._last = (step, now)
        kept = math.exp(-seconds / MEMORY)
        self._steps = kept * self._steps + steps
        self._seconds = kept * self._seconds + seconds
        return self._steps / self._seconds if self._seconds > 0 else 0.0


def _is_terminal(file: TextIO) -> bool:
    return file.isatty() and os.environ.get("TERM") != "dumb"


def _has_blocks(file: TextIO) -> bool:
    try:
        "█▏".encode(file.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _width(file: TextIO) -> int:
    try:
        columns = os.get_terminal_size(file.fileno()).columns
    except (OSError, ValueError):  # a stand-in for a terminal, as in notebooks and tests
        columns = 0
    # The last column stays free: some terminals begin a new line when it is written to.
    return max((columns or shutil.get_terminal_size().columns) - 1, 1)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
