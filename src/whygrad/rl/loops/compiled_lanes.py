"""How an agent plays many games of a world at once, inside a compiled program."""

from __future__ import annotations

from typing import Any

import numpy as np
from keras import ops

from whygrad.rl.agent import Agent, Networks
from whygrad.rl.worlds import games
from whygrad.rl.worlds.draws import bits, integers, noise, stream, uniform
from whygrad.rl.worlds.world import State, World


class CompiledLanes:
    """Settings and pure functions; the games themselves are in the tree that a program carries."""

    def __init__(self, world: World, agent: Agent, count: int, seed: int, total: int) -> None:
        self.world, self.count, self._total = world, count, total
        self._agent, self._seed = agent, seed & 0x7FFFFFFF
        self._noise = agent.policy_noise(world.spaces)

    @property
    def seed(self) -> Any:
        """As a tensor, for streams."""
        return ops.convert_to_tensor(np.int32(self._seed))

    def remaining(self, step: Any) -> Any:
        """The share of the training that is left after so many steps of every lane."""
        return ops.maximum(0.0, 1.0 - ops.cast(step, "float32") * (self.count / self._total))

    def begin(self, seeds: list[int]) -> State:
        """Games that begin."""
        return games.begin(self.world, seeds)

    def anything(self, step: Any) -> Any:
        """Random actions."""
        spaces = self.world.spaces
        key = stream(self.seed, 100, step)
        if spaces.discrete:
            drawn = bits(key, ops.arange(self.count, dtype="int32"))
            return integers(drawn, spaces.action_size, spaces.action_size)
        drawn = bits(key, ops.arange(self.count * spaces.action_size, dtype="int32"))
        return ops.reshape(2.0 * uniform(drawn) - 1.0, (self.count, spaces.action_size))

    def act(self, nets: Networks, lanes: State, step: Any) -> tuple[Any, dict[str, Any]]:
        """What is seen, and what the policy does about it."""
        seen = self.world.observe(lanes["games"])
        drawn = {
            name: noise(kind, stream(self.seed, 1 + index, step), (self.count,))
            for index, (name, kind) in enumerate(self._noise.items())
        }
        return seen, self._agent.policy(nets, {"observation": seen, "remaining": self.remaining(step), **drawn})

    def step(self, lanes: State, action: Any) -> tuple[State, dict[str, Any]]:
        """All games by one step."""
        return games.step(self.world, lanes, action)
