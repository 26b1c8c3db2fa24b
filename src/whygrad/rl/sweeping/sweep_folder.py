"""What lies in the folder of a sweep, and how it is written.

sweep.json                    what was asked: agent, settings, axes, configurations, seeds
01_learning_rate=0.001/       a configuration: its runs, each an ordinary run folder,
  dqn-CartPole-v1-1-1/        one for each seed,
  seed-1.json                 what came of it, written when it is over,
  seed-1.error.txt            and the traceback, if it raised
  stopped.json                why it was stopped early, if it was
results.json, results.png     all of it in one table and one picture
tune/                         Ray Tune's own records
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.rl.sweeping.axes import Axis
from whygrad.rl.sweeping.halving import Stopped
from whygrad.rl.sweeping.outcome import Outcome
from whygrad.rl.sweeping.shown import named
from whygrad.whole_file import whole_file

FILE = "sweep.json"
_LONGEST = 80
"""Characters of the name of a configuration's folder."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One training of a sweep: a configuration and a seed."""

    configuration: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a sweep was asked to do: everything that is needed to go on with it."""

    agent: str
    """What the agent is called, or `module:Class`."""
    settings: Mapping[str, Any]
    """Of the agent, before anything is varied."""
    env: str | None
    """A Gymnasium id; None when the environment was given as a function."""
    steps: int
    backend: str
    axes: tuple[Axis, ...]
    samples: int
    sweep_seed: int
    configurations: tuple[Mapping[str, Any], ...]
    seeds: tuple[int, ...]
    rungs: tuple[int, ...]
    """Where configurations are compared to stop some of them; none: all run to the end."""
    dataset: str | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)
    """Further options of the trainings."""

    def trials(self) -> list[Trial]:
        """All trainings: every configuration with the first seed, then with the second, …

        So that what is compared early on was trained from the same seeds.
        """
        return [Trial(at, seed) for seed in self.seeds for at in range(len(self.configurations))]

    def swept(self, configuration: int) -> dict[str, Any]:
        """The settings that a configuration differs in."""
        return dict(self.configurations[configuration])


class SweepFolder:
    """The folder of one sweep. `create` makes a new one, `open` finds an old one."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results_file = self.path / "results.json"

    @classmethod
    def create(cls, asked: Asked, root: str | os.PathLike[str] | None = None) -> SweepFolder:
        """Make `<root>/sweep-<agent>-<env>-<n>`."""
        called = asked.agent.rpartition(":")[2]
        made = RunFolder.create(f"sweep-{called}-{asked.env or 'env'}", root, checkpoints=False)
        folder = cls(made.path.absolute())
        folder._write(folder.path / FILE, asdict(asked))
        return folder

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SweepFolder:
        """A sweep that exists, or `BadRun` with a sentence that says why this is none."""
        folder = cls(Path(path).absolute())
        if not folder.path.is_dir():
            raise BadRun(f"There is no sweep at {str(path)!r}: no such folder.{_others(folder.path.parent)}")
        if not (folder.path / FILE).is_file():
            raise BadRun(f"{str(path)!r} is not a sweep: it has no {FILE}.{_others(folder.path)}")
        return folder

    def asked(self) -> Asked:
        """What `sweep.json` says."""
        kept = _read(self.path / FILE)
        if kept is None:
            raise BadRun(f"{str(self.path / FILE)!r} is not JSON any more.")
        axes = tuple(Axis(**{**axis, "values": tuple(map(_hashable, axis["values"]))}) for axis in kept["axes"])
        settings = [{k: _hashable(v) for k, v in one.items()} for one in (kept["settings"], *kept["configurations"])]
        lists = {name: tuple(kept[name]) for name in ("seeds", "rungs")}
        return Asked(**{**kept, **lists, "axes": axes, "settings": settings[0], "configurations": tuple(settings[1:])})

    def configuration(self, asked: Asked, at: int) -> Path:
        """The folder of a configuration, which its name describes."""
        wide = len(str(len(asked.configurations)))
        words = f"{at + 1:0{max(2, wide)}d}_{named(asked.swept(at))}".rstrip("_")
        return self.path / re.sub(r"[^A-Za-z0-9._=,+-]+", "_", words)[:_LONGEST].rstrip("_.,")

    def run(self, asked: Asked, trial: Trial) -> Path | None:
        """The run of a trial; None before it has begun."""
        for settings in sorted(self.configuration(asked, trial.configuration).glob("*/settings.json")):
            kept = _read(settings) or {}
            if kept.get("plan", {}).get("seed") == trial.seed:
                return settings.parent
        return None

    def outcome(self, asked: Asked, trial: Trial) -> Outcome | None:
        """What came of a trial; None before it is over."""
        kept = _read(self._outcome(asked, trial))
        return None if kept is None else Outcome.from_data(kept)

    def write_outcome(self, asked: Asked, trial: Trial, outcome: Outcome, traceback: str = "") -> None:
        """A trial is over. Written last: without it the trial goes on when the sweep does."""
        file = self._outcome(asked, trial)
        file.parent.mkdir(parents=True, exist_ok=True)
        if traceback:
            with whole_file(file.with_suffix(".error.txt")) as text:
                text.write(traceback.encode())
        self._write(file, asdict(outcome))

    def forget_outcome(self, asked: Asked, trial: Trial) -> None:
        """A trial that went wrong is to be tried again."""
        file = self._outcome(asked, trial)
        file.with_suffix(".error.txt").unlink(missing_ok=True)
        file.unlink(missing_ok=True)

    def stopped(self, asked: Asked, at: int) -> Stopped | None:
        """Why a configuration was stopped; None when it was not."""
        kept = _read(self.configuration(asked, at) / "stopped.json")
        return None if kept is None else Stopped(**{**kept, "mean": math.nan if kept["mean"] is None else kept["mean"]})

    def write_stopped(self, asked: Asked, stopped: Stopped) -> None:
        """A configuration is stopped: its trainings look for this after every evaluation."""
        self._write(self.configuration(asked, stopped.configuration) / "stopped.json", asdict(stopped))

    def write_results(self, data: Mapping[str, Any]) -> None:
        """The table, as data."""
        self._write(self.results_file, data)

    def _outcome(self, asked: Asked, trial: Trial) -> Path:
        return self.configuration(asked, trial.configuration) / f"seed-{trial.seed}.json"

    def _write(self, file: Path, data: Mapping[str, Any]) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(file) as out:
            out.write(json.dumps(plain(data), indent=2, allow_nan=False).encode() + b"\n")


def plain(value: Any) -> Any:
    """As JSON knows it; numbers that are not finite become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _read(file: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value


def _others(folder: Path) -> str:
    found = [file.parent for file in folder.glob(f"*/{FILE}")] if folder.is_dir() else []
    newest = sorted(found, key=lambda one: one.stat().st_mtime, reverse=True)[:3]
    return f" The newest sweeps there: {', '.join(repr(str(one)) for one in newest)}." if newest else ""
