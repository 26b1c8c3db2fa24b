"""One training of a sweep, in whatever process: begun, gone on with, and what came of it written down."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import keras

from whygrad.live import run_liveness
from whygrad.rl.agent import Agent
from whygrad.rl.evaluation import Scores
from whygrad.rl.sweeping.outcome import DONE, FAILED, STOPPED, Found, Outcome, found_by, found_in
from whygrad.rl.sweeping.sweep_folder import Asked, SweepFolder, Trial
from whygrad.rl.training import Trained, resume, train

_PATIENCE = 60.0
"""Seconds that the process of a sweep that was killed has to let go of its run."""

Report = Callable[[int, float], None]
"""Told the step and the return of every evaluation. When it returns, all that follows from them has been decided."""


class NoSuchFolder(FileNotFoundError):
    """The machine that should train does not see the folder of the sweep."""


@dataclass(frozen=True, slots=True)
class Task:
    """What all trainings of a sweep need."""

    path: Path
    """The folder of the sweep."""
    agent: Agent
    env: str | Callable[..., Any] | None


def run_trial(task: Task, trial: Trial, report: Report) -> None:
    """Train, or go on with what was begun before. Exceptions of the training are an outcome like others."""
    folder = SweepFolder(task.path)
    if not task.path.is_dir():
        raise NoSuchFolder(f"{str(task.path)!r} is not there: every machine of the cluster has to see this folder")
    asked = folder.asked()
    if keras.backend.backend() != asked.backend:
        raise RuntimeError(f"Keras runs on {keras.backend.backend()} here, and this sweep on {asked.backend}")
    stopped = folder.configuration(asked, trial.configuration) / "stopped.json"
    if folder.outcome(asked, trial) is not None or stopped.exists():
        return  # it ended when nobody was left to be told, or is not wanted any more

    def told(step: int, scores: Scores) -> bool:
        report(step, scores.mean)
        return stopped.exists()

    try:
        trained = _train(task, folder, asked, trial, told)
    except Exception as error:
        run = folder.run(asked, trial)
        found = (*found_by(error), *found_in(run))
        name = "" if run is None else run.name
        folder.write_outcome(asked, trial, Outcome(FAILED, _steps(run), name, found), traceback.format_exc())
        return
    if trained.finished:
        state = DONE if trained.steps >= asked.steps or not stopped.exists() else STOPPED
        outcome = Outcome(state, trained.steps, trained.path.name, found_in(trained.path))
        folder.write_outcome(asked, trial, outcome)


def given_up(folder: SweepFolder, asked: Asked, trial: Trial, why: str) -> None:
    """The process of a trial died, more often than it is worth trying again."""
    run = folder.run(asked, trial)
    found = (Found("", "ProcessDied", why), *found_in(run))
    name = "" if run is None else run.name
    folder.write_outcome(asked, trial, Outcome(FAILED, _steps(run), name, found))


def _train(task: Task, folder: SweepFolder, asked: Asked, trial: Trial, told: Callable[[int, Scores], bool]) -> Trained:
    agent = replace(task.agent, **asked.swept(trial.configuration))  # type: ignore[type-var]
    begun = folder.run(asked, trial)
    if begun is None:
        where = folder.configuration(asked, trial.configuration)
        return train(
            agent, task.env, steps=asked.steps, seed=trial.seed, dataset=asked.dataset,
            root=where, quiet=True, told=told, **asked.plan,
        )  # fmt: skip
    waited = time.monotonic()
    while run_liveness.live(begun) and time.monotonic() - waited < _PATIENCE:
        time.sleep(0.2)
    env = task.env if callable(task.env) else None
    return resume(begun, agent=agent, env=env, quiet=True, told=told)


def _steps(run: Path | None) -> int:
    """How far a run came, by what it logged."""
    from whygrad.live.run_folder import BadRun, RunFolder

    try:
        rows = RunFolder(run).rows() if run is not None else []
    except BadRun:
        return 0
    return max((int(row["step"]) for row in rows), default=0)
