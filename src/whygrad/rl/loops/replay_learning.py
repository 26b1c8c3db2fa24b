"""Learning from a replay memory: what every loop that keeps one does between two steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.engine import Engine
from whygrad.rl.loops.round import Round
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.replay import Replay


class ReplayLearner:
    """A memory and the updates from it. `n_step` is 1 where whole transitions come in, whatever the agent's is."""

    def __init__(
        self, agent: OffPolicy, engine: Engine, spaces: Spaces, rng: np.random.Generator, lanes: int, n_step: int
    ) -> None:
        self.before_learning: Callable[[dict[str, Any]], None] | None = None
        self._agent, self._engine, self._rng = agent, engine, rng
        self._loss_noise = agent.loss_noise(spaces)
        self.replay = Replay(
            agent.buffer_size,
            spaces.observation,
            () if spaces.discrete else (spaces.action_size,),
            np.int64 if spaces.discrete else np.float32,
            lanes,
            n_step=n_step,
            gamma=agent.gamma,
            priority_exponent=agent.priority_exponent if agent.prioritised else None,
            bytewise=spaces.pixels,
        )

    def learn(self, result: Round, done: float) -> None:
        """One round of updates; `done` is the share of the training that is over."""
        agent, rng = self._agent, self._rng
        correction = agent.priority_correction + done * (1.0 - agent.priority_correction)
        batches = self.replay.sample(rng, agent.updates, agent.batch_size, correction)
        index = batches.pop("index")
        for name, noise in self._loss_noise.items():
            batches[name] = noise.draw(rng, agent.updates, agent.batch_size)
        result.batch = {name: rows[-1] for name, rows in batches.items()}
        if self.before_learning is not None:
            self.before_learning(result.batch)
        result.report = self._engine.update(batches, 1.0 - done)
        if agent.prioritised:
            errors = next(given["priority"] for given in result.report.values() if "priority" in given)
            self.replay.reprioritise(index, keras.ops.convert_to_numpy(errors))

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        return {f"replay/{k}": v for k, v in self.replay.state().items()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.replay.load({k.removeprefix("replay/"): v for k, v in state.items() if k.startswith("replay/")})
