"""Off-policy training: act, remember, learn from what is remembered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes
from whygrad.rl.loops.before_learning import BeforeLearning
from whygrad.rl.loops.exploring import Explorer
from whygrad.rl.loops.replay_learning import ReplayLearner
from whygrad.rl.loops.round import Round
from whygrad.rl.off_policy import OffPolicy


class ReplayLoop(BeforeLearning):
    """One round is `train_every` steps of the environments and `updates` updates."""

    def __init__(self, agent: OffPolicy, engine: Engine, lanes: Lanes, rng: np.random.Generator, total: int) -> None:
        self.steps = 0
        self._agent, self._lanes, self._rng, self._total = agent, lanes, rng, total
        self._explorer = Explorer(agent, engine, lanes, total)
        self._learner = ReplayLearner(agent, engine, lanes.spaces, rng, lanes.count, agent.n_step)

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        self._learner.replay.cut()
        self._explorer.restart(seeds)

    def round(self) -> Round:
        """Collect, then learn."""
        result, replay = Round(), self._learner.replay
        until = self.steps + self._agent.train_every
        while self.steps < until:
            observation, action, reward, step = self._explorer.step(self._rng, self.steps)
            replay.add(observation, action, reward, step.final, step.terminated, step.truncated)
            result.episodes += step.episodes
            self.steps += self._lanes.count
        if self.steps > self._agent.learning_starts and len(replay):
            self._learner.learn(result, min(1.0, self.steps / self._total))
        return result

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        return {"steps": np.int64(self.steps), **self._learner.state()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self._learner.load(state)
