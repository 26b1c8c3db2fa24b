"""Acting to fill a replay memory: at first at random, then with the policy and its noise."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes, Step
from whygrad.rl.loops.round import remaining
from whygrad.rl.off_policy import OffPolicy


class Explored(NamedTuple):
    """One step of all lanes, from what was seen to what followed."""

    observation: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    """As it is learned from: scaled."""
    step: Step


class Explorer:
    """Steps the lanes of an off-policy agent. `total` is how many steps the whole training has."""

    def __init__(self, agent: OffPolicy, engine: Engine, lanes: Lanes, total: int) -> None:
        self._agent, self._engine, self._lanes, self._total = agent, engine, lanes, total
        self._noise = agent.policy_noise(lanes.spaces)
        self._observation = np.zeros(0)

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes."""
        self._observation = self._lanes.start(seeds)

    def step(self, rng: np.random.Generator, steps: int) -> Explored:
        """One step of every lane; `steps` of the training were made before it."""
        observation, action = self._observation, self._act(rng, steps)
        step = self._lanes.step(action)
        self._observation = step.observation
        return Explored(observation, action, step.reward * self._agent.reward_scale, step)

    def _act(self, rng: np.random.Generator, steps: int) -> Any:
        agent, spaces, count = self._agent, self._lanes.spaces, self._lanes.count
        if steps < agent.learning_starts:
            if spaces.discrete:
                return rng.integers(spaces.action_size, size=count)
            return rng.uniform(-1.0, 1.0, (count, spaces.action_size)).astype(np.float32)
        batch = {"observation": self._observation, "remaining": remaining(steps, self._total)}
        for name, noise in self._noise.items():
            batch[name] = noise.draw(rng, count)
        return self._engine.call(agent.policy, batch)["action"]
