"""On-policy training: collect with the current policy, learn from it, throw it away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes
from whygrad.rl.loops.before_learning import BeforeLearning
from whygrad.rl.loops.rollout_collector import RolloutCollector
from whygrad.rl.loops.rollout_learning import RolloutLearner
from whygrad.rl.loops.round import Round, seeds
from whygrad.rl.normalise import RunningMoments
from whygrad.rl.on_policy import OnPolicy


class RolloutLoop(BeforeLearning):
    """One round is a rollout (`horizon` steps of every lane, or that many whole episodes) and the updates on it."""

    def __init__(
        self, agent: OnPolicy, engine: Engine, lanes: Lanes, rng: np.random.Generator, total: int, seed: int
    ) -> None:
        self.steps = 0
        self._agent, self._lanes, self._rng, self._total, self._seed = agent, lanes, rng, total, seed
        self._collector = RolloutCollector(agent, engine, lanes, total)
        self._learner = RolloutLearner(agent, engine, lanes.spaces, rng)

    @property
    def moments(self) -> RunningMoments | None:
        """What is known of the size of observations; None when they are taken as they are."""
        return self._collector.moments

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        self._collector.restart(seeds)

    def round(self) -> Round:
        """Collect, then learn."""
        if self._agent.WHOLE_EPISODES:
            self.restart(seeds(self._seed, self.steps, 1, count=self._lanes.count))
        self._collector.begin(self._rng, self.steps)
        while not self._collector.step():
            pass
        self.steps = self._collector.steps
        result = Round(episodes=self._collector.episodes)
        self._learner.learn(result, self._collector.rows(), min(1.0, self.steps / self._total))
        return result

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        return {"steps": np.int64(self.steps), **self._collector.state()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self._collector.load(dict(state))
