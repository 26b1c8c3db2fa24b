"""Offline training: the same updates as with a replay memory, from a dataset that does not grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.dataset import Dataset
from whygrad.rl.engine import Engine
from whygrad.rl.loops.round import Round
from whygrad.rl.offline import Offline


class DatasetLoop:
    """One round is `updates` updates; a step is an update, for no environment is stepped."""

    def __init__(
        self, agent: Offline, engine: Engine, dataset: Dataset, spaces: Spaces, rng: np.random.Generator, total: int
    ) -> None:
        self.steps = 0
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._engine, self._rng, self._total = agent, engine, rng, total
        self._loss_noise = agent.loss_noise(spaces)
        self._rows = {
            "observation": dataset.observation,
            "action": dataset.scaled_action(spaces),
            "reward": dataset.reward,
            "next_observation": dataset.next_observation,
            "discount": np.where(dataset.terminated, 0.0, agent.gamma).astype(np.float32),
            "weight": np.ones(len(dataset.reward), np.float32),
        }

    def restart(self, seeds: list[int]) -> None:
        """Nothing is under way in a dataset."""

    def round(self) -> Round:
        """Learn from random rows."""
        agent, rng = self._agent, self._rng
        rounds = min(agent.updates, self._total - self.steps)
        index = rng.integers(len(self._rows["reward"]), size=(rounds, agent.batch_size))
        batches = {name: rows[index] for name, rows in self._rows.items()}
        for name, noise in self._loss_noise.items():
            batches[name] = noise.draw(rng, *index.shape)
        last = {name: rows[-1] for name, rows in batches.items()}
        if self.before_learning is not None:
            self.before_learning(last)
        report = self._engine.update(batches, 1.0 - self.steps / self._total)
        self.steps += rounds
        return Round(report=report, batch=last)

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop; the dataset stays where it is."""
        return {"steps": np.int64(self.steps)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
