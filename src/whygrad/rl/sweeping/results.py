"""What came of a sweep: for each configuration the mean over its seeds, how far they lie apart, and how many ended."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.outcome import DONE, FAILED, STOPPED, Found, found_in
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder, Trial

UNFINISHED, WAITING = "unfinished", "waiting"
"""Begun and not over; not begun."""

Points = tuple[tuple[int, float], ...]
"""Steps and the mean returns of the evaluations there."""


@dataclass(frozen=True, slots=True)
class Seed:
    """One training."""

    seed: int
    state: str
    """`done`, `stopped`, `failed`, `unfinished` or `waiting`."""
    steps: int = 0
    points: Points = ()
    found: tuple[Found, ...] = ()
    run: str = ""
    """Its run folder, within the sweep's."""

    def at(self, step: int) -> float:
        """The return of the last evaluation up to a step."""
        return next((value for when, value in reversed(self.points) if when <= step), math.nan)


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration, over its seeds."""

    configuration: int
    settings: dict[str, Any]
    seeds: tuple[Seed, ...]
    counted: tuple[Seed, ...]
    """The seeds that the numbers below are made of. One that failed has no return to count."""
    at: int
    """The step that they are from: the last one that all of them have reached."""
    stopped: Stopped | None

    @property
    def returns(self) -> list[float]:
        """The return of each seed that counts."""
        return [seed.at(self.at) for seed in self.counted]

    @property
    def mean(self) -> float | None:
        """Over the seeds; None where there is nothing to count."""
        return statistics.fmean(self.returns) if self.counted else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation between seeds (of a sample: n - 1); None of fewer than two."""
        return statistics.stdev(self.returns) if len(self.counted) > 1 else None

    @property
    def ended(self) -> int:
        """Seeds that ran to the end."""
        return sum(seed.state == DONE for seed in self.seeds)

    def curve(self) -> list[tuple[float, float, float]]:
        """Step, mean and deviation of each evaluation that all seeds that count have had."""
        count = min((sum(step <= self.at for step, _ in seed.points) for seed in self.counted), default=0)
        found = []
        for place in range(count):
            steps, values = zip(*(seed.points[place] for seed in self.counted), strict=True)
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            found.append((statistics.fmean(steps), statistics.fmean(values), spread))
        return found


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that went wrong, and in which training."""

    configuration: int
    seed: int
    found: Found
    run: str


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep and what came of it, or has come of it so far."""

    path: Path
    asked: Asked
    rows: tuple[Row, ...]
    """The best first; those that were stopped early behind those that were not."""

    @property
    def best(self) -> Row | None:
        """The configuration with the largest mean return of those that ran to the end."""
        return next((row for row in self.rows if row.mean is not None and row.ended), None)

    @property
    def complete(self) -> bool:
        """Whether nothing is left to train."""
        return not self.left

    @property
    def left(self) -> list[Trial]:
        """The trainings that are still to be made."""
        return [
            Trial(row.configuration, seed.seed)
            for row in self.rows
            for seed in row.seeds
            if seed.state in (UNFINISHED, WAITING) and row.stopped is None
        ]

    @property
    def wrong(self) -> list[Wrong]:
        """All that went wrong, in the order of configurations and seeds."""
        rows = sorted(self.rows, key=lambda row: row.configuration)
        return [
            Wrong(row.configuration, seed.seed, found, seed.run)
            for row in rows
            for seed in row.seeds
            for found in seed.found
        ]

    def as_data(self) -> dict[str, Any]:
        """For `results.json`."""
        return {
            "agent": self.asked.agent,
            "env": self.asked.env,
            "steps": self.asked.steps,
            "backend": self.asked.backend,
            "complete": self.complete,
            "configurations": [_data(row) for row in self.rows],
            "findings": [
                {"settings": self.asked.swept(one.configuration), "seed": one.seed, "run": one.run, **asdict(one.found)}
                for one in self.wrong
            ],
        }


def results(folder: SweepFolder, asked: Asked) -> Swept:
    """Read what lies in the folder of a sweep, also while it is under way."""
    rows = [_row(folder, asked, at) for at in range(len(asked.configurations))]
    return Swept(folder.path, asked, tuple(sorted(rows, key=_place)))


def _place(row: Row) -> tuple[Any, ...]:
    mean = row.mean
    return (mean is None, row.stopped is not None, -(mean or 0.0), row.configuration)


def _row(folder: SweepFolder, asked: Asked, at: int) -> Row:
    seeds = tuple(_seed(folder, asked, Trial(at, seed)) for seed in asked.seeds)
    stopped = folder.stopped(asked, at)
    if stopped is not None:  # one that was cut off when its configuration was stopped does not go on
        seeds = tuple(replace(seed, state=STOPPED) if seed.state == UNFINISHED else seed for seed in seeds)
    able = [seed for seed in seeds if seed.points and seed.state != FAILED]
    over = [seed for seed in able if seed.state == DONE]
    # Of a stopped configuration all seeds count, where the shortest of them ends: those that had already run to the end
    # are no better than the others.
    counted = over if over and stopped is None else able
    step = min((seed.points[-1][0] for seed in counted), default=0)
    return Row(at, asked.swept(at), seeds, tuple(counted), step, stopped)


def _seed(folder: SweepFolder, asked: Asked, trial: Trial) -> Seed:
    outcome, run = folder.outcome(asked, trial), folder.run(asked, trial)
    state = outcome.state if outcome is not None else WAITING if run is None else UNFINISHED
    found = outcome.found if outcome is not None else found_in(run)
    points = _points(run)
    steps = outcome.steps if outcome is not None else points[-1][0] if points else 0
    return Seed(trial.seed, state, steps, points, found, "" if run is None else str(run.relative_to(folder.path)))


def _points(run: Path | None) -> Points:
    try:
        rows = RunFolder(run).rows() if run is not None else []
    except BadRun:
        return ()
    known = [(int(row["step"]), row["evaluation.return"]) for row in rows if "evaluation.return" in row]
    return tuple((step, float(value)) for step, value in known if value is not None)


def _data(row: Row) -> dict[str, Any]:
    return {
        "settings": row.settings,
        "mean": row.mean,
        "deviation": row.deviation,
        "n": len(row.counted),
        "at_step": row.at,
        "ran_to_the_end": row.ended,
        "seeds": [
            {
                "seed": seed.seed,
                "state": seed.state,
                "steps": seed.steps,
                "return": seed.points[-1][1] if seed.points else None,
                "run": seed.run,
            }
            for seed in row.seeds
        ],
        "stopped": None if row.stopped is None else asdict(row.stopped),
    }


def by_configuration(wrong: Sequence[Wrong]) -> list[tuple[Wrong, list[int]]]:
    """One for each configuration, rule and kind: the first that happened, and all seeds that it happened to."""
    groups: dict[tuple[int, str, str], list[Wrong]] = {}
    for one in wrong:
        groups.setdefault((one.configuration, one.found.code, one.found.kind), []).append(one)
    return [
        (min(some, key=lambda one: one.found.at or 0), list(dict.fromkeys(one.seed for one in some)))
        for some in groups.values()
    ]
