"""How far a sweep is: a line for each training that ends, and on a terminal one below them that is drawn anew."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.outcome import DONE, FAILED, Outcome
from whygrad.rl.sweeping.shown import named
from whygrad.rl.sweeping.sweep_folder import Asked, Trial

REDRAW = 0.2
"""Seconds between two drawings of the last line."""


class SweepProgress:
    """Nothing at all when `quiet`."""

    def __init__(
        self, asked: Asked, trials: int, over: int = 0, quiet: bool | None = None, file: TextIO | None = None
    ) -> None:
        self._asked, self._total, self._over = asked, trials, over
        self._quiet = bool(quiet)
        self._file = sys.stderr if file is None else file
        self._live = not quiet and self._file.isatty() and os.environ.get("TERM") != "dumb"
        self._running: dict[Trial, tuple[int, float | None]] = {}
        self._wrong = 0
        self._drawn = 0.0
        self._open = False

    def __getstate__(self) -> None:
        """Tune keeps a copy of all that it is given in a file; a terminal cannot be kept, and nobody reads that one."""

    def began(self, trial: Trial) -> None:
        """A training starts, or starts again."""
        self._running[trial] = (0, None)

    def evaluated(self, trial: Trial, step: int, value: float) -> None:
        """A training was evaluated."""
        self._running[trial] = (step, value)

    def stopped(self, stopped: Stopped, never: int) -> None:
        """A configuration is stopped early; so many of its trainings never begin."""
        self._total -= never
        name = named(self._asked.swept(stopped.configuration), " ")
        self._line(
            f"stopped    {name}: {stopped.mean:.1f} at step {stopped.rung:,}, "
            f"place {stopped.place} of {stopped.known} configurations"
        )

    def ended(self, trial: Trial, outcome: Outcome | None) -> None:
        """A training is over; None: its configuration was stopped before it began."""
        step, value = self._running.pop(trial, (0, None))
        if outcome is None:
            self._total -= 1
            return
        self._over += 1
        name = named({**self._asked.swept(trial.configuration), "seed": trial.seed}, " ")
        codes = ", ".join(dict.fromkeys(found.code for found in outcome.found if found.code))
        if outcome.state == FAILED:
            self._wrong += 1
            said = f"{outcome.found[0].kind} at step {outcome.steps:,}" if outcome.found else "failed"
        else:
            said = "no evaluation" if value is None else f"return {value:.1f}"
            said += "" if outcome.state == DONE else f" at step {step:,}, stopped"
        self._line(f"{self._count():<10} {name}: {said}{f'  [{codes}]' if codes else ''}")

    def tick(self) -> None:
        """Time goes by."""
        now = time.monotonic()
        if not self._live or now - self._drawn < REDRAW:
            return
        self._drawn = now
        steps = sum(step for step, _ in self._running.values())
        parts = [f"{self._count()} over", f"{len(self._running)} running"]
        if self._running:
            parts.append(f"{100 * steps / (self._asked.steps * len(self._running)):.0f}% of them")
        if self._wrong:
            parts.append(f"{self._wrong} failed")
        text = "  ".join(parts)[: max(shutil.get_terminal_size().columns - 1, 1)]
        self._file.write(f"\r\033[K{text}")
        self._file.flush()
        self._open = True

    def close(self) -> None:
        """Nothing more comes."""
        if self._open:
            self._file.write("\r\033[K")
            self._file.flush()
            self._open = False

    def _count(self) -> str:
        return f"{self._over} of {self._total}"

    def _line(self, text: str) -> None:
        if self._quiet:
            return
        self.close()
        print(text, file=self._file, flush=True)
