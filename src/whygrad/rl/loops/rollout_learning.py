"""Learning from a rollout: shuffled minibatches, as many times over as the agent wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.engine import Engine
from whygrad.rl.loops.round import Round
from whygrad.rl.on_policy import OnPolicy


class RolloutLearner:
    """The updates on one rollout."""

    def __init__(self, agent: OnPolicy, engine: Engine, spaces: Spaces, rng: np.random.Generator) -> None:
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._engine, self._rng = agent, engine, rng
        self._loss_noise = agent.loss_noise(spaces)

    def learn(self, result: Round, rows: dict[str, np.ndarray], done: float) -> None:
        """All updates; `done` is the share of the training that is over."""
        batches = self._batches(rows)
        result.batch = {name: values[-1] for name, values in batches.items()}
        if self.before_learning is not None:
            self.before_learning(result.batch)
        result.report = self._engine.update(batches, 1.0 - done)

    def _batches(self, rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Shuffled minibatches [updates, rows, …], all epochs one after the other."""
        if self._agent.WHOLE_EPISODES:
            rows = _filled_up({name: values[rows["weight"] > 0] for name, values in rows.items()})
        count = len(rows["weight"])
        size = min(self._agent.minibatch or count, count)
        order = [
            self._rng.permutation(count)[: count - count % size].reshape(-1, size) for _ in range(self._agent.epochs)
        ]
        index = np.concatenate(order)
        batches = {name: values[index] for name, values in rows.items()}
        for name, noise in self._loss_noise.items():
            batches[name] = noise.draw(self._rng, *index.shape)
        return batches


def _filled_up(rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As many rows as the next power of two, the new ones with weight 0: few shapes, so few compilations."""
    count = len(rows["weight"])
    missing = (1 << max(6, (count - 1).bit_length())) - count
    filled = {name: np.concatenate([values, np.repeat(values[:1], missing, axis=0)]) for name, values in rows.items()}
    filled["weight"][count:] = 0.0
    return filled
