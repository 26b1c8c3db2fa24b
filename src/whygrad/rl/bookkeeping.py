"""What a training says about itself between two log times, as plain numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Loss
from whygrad.rl.evaluation import Scores
from whygrad.rl.loops.round import Round


class Books:
    """Collects rounds; device arrays are read only when somebody asks."""

    def __init__(self, losses: tuple[Loss, ...], variables: Mapping[str, list[str]]) -> None:
        self._losses = {loss.name: loss for loss in losses}
        self._variables = variables
        self._recent: deque[tuple[float, int]] = deque(maxlen=100)
        self._facts: dict[str, deque[float]] = {}
        self._last: Round | None = None
        self._row: dict[str, float] = {}
        self.episodes = 0
        self.scores: Scores | None = None
        self.best: Scores | None = None

    def add(self, result: Round) -> None:
        """Remember a round."""
        self.episodes += len(result.episodes)
        for episode in result.episodes[-100:]:
            self._recent.append((episode.score, episode.length))
            for name, value in episode.facts.items():
                self._facts.setdefault(name, deque(maxlen=100)).append(value)
        if result.report is not None:
            self._last = result

    def reached(self, wanted: float | None) -> bool:
        """Whether the mean return of the last 100 episodes is as wanted."""
        full = len(self._recent) == self._recent.maxlen
        return wanted is not None and full and float(np.mean([row[0] for row in self._recent])) >= wanted

    @property
    def last(self) -> Round | None:
        """The last round that learned."""
        return self._last

    @property
    def batch(self) -> dict[str, Any] | None:
        """The last batch that was learned from."""
        return self._last.batch if self._last is not None else None

    def row(self) -> dict[str, float]:
        """Mean return of the last 100 episodes, and of the last round every loss with its norms, by dotted names."""
        row: dict[str, float] = {"episodes": float(self.episodes)}
        if self._recent:
            row["return"] = float(np.mean([score for score, _ in self._recent]))
            row["length"] = float(np.mean([length for _, length in self._recent]))
        row.update({name: float(np.mean(values)) for name, values in self._facts.items()})
        report = self._last.report if self._last is not None and self._last.report is not None else {}
        for name, given in report.items():
            for key, values in given.items():
                known = numbers(values)
                if not key.startswith("norms") and np.isfinite(known).any():
                    row[f"{name}.{key}"] = float(np.nanmean(known))
        self._row = row
        return row

    def shown(self) -> dict[str, float | None]:
        """For the progress bar: what is known without waiting for the device."""
        first = next(iter(self._losses))
        recent = float(np.mean([score for score, _ in self._recent])) if self._recent else None
        return {"return": recent, "loss": self._row.get(f"{first}.loss"), "norm": self._row.get(f"{first}.norm")}

    def judge(self, scores: Scores) -> bool:
        """Remember an evaluation; true when it is the best so far."""
        self.scores = scores
        better = self.best is None or scores.mean > self.best.mean
        if better:
            self.best = scores
        return better

    def norms(self) -> dict[str, tuple[float, float]]:
        """For each variable the norm of its gradient in the last update, before and after clipping."""
        report = self._last.report if self._last is not None and self._last.report is not None else {}
        found: dict[str, tuple[float, float]] = {}
        for name, given in report.items():
            if not given:
                continue
            whole = np.atleast_1d(numbers(given["norm"]))
            due = np.flatnonzero(~np.isnan(whole))
            if not len(due):
                continue
            shrunk = scale(self._losses[name], float(whole[due[-1]]))
            for variable, norm in zip(self._variables[name], numbers(given["norms"])[due[-1]], strict=True):
                found[variable] = (float(norm), float(norm) * shrunk)
        return found

    def state(self) -> dict[str, Any]:
        """For a checkpoint."""
        kept = {"episodes": np.int64(self.episodes), "recent": np.array(self._recent, np.float64).reshape(-1, 2)}
        kept.update({f"facts/{name}": np.array(values, np.float64) for name, values in self._facts.items()})
        for name, scores in (("scores", self.scores), ("best", self.best)):
            if scores is not None:
                parts = (scores.returns, scores.lengths, scores.discounted, scores.values)
                kept[name] = np.array([part for part in parts if part], np.float64)
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.episodes = int(state["episodes"])
        self._recent.extend((float(score), int(length)) for score, length in state["recent"])
        for name, values in state.items():
            if name.startswith("facts/"):
                self._facts[name.removeprefix("facts/")] = deque(values.tolist(), maxlen=100)
        self.scores, self.best = (_scores(state.get(name)) for name in ("scores", "best"))


def scale(loss: Loss, norm: float) -> float:
    """What clipping multiplies a gradient of this norm with."""
    return 1.0 if loss.clip is None else min(1.0, loss.clip / (norm + 1e-6))


def _scores(kept: Any) -> Scores | None:
    if kept is None:
        return None
    returns, lengths, *valued = (tuple(part.tolist()) for part in kept)
    return Scores(returns, tuple(map(int, lengths)), *valued)


def numbers(values: Any) -> Any:
    """From wherever they are; waits for the device."""
    return np.asarray(keras.ops.convert_to_numpy(values), np.float64)
