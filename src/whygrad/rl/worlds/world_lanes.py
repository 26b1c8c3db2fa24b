"""Lanes of a world of our own: all step in one compiled call, where others step one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from keras import ops

from whygrad.rl.engine import compiled
from whygrad.rl.lanes import Step
from whygrad.rl.worlds import games
from whygrad.rl.worlds.world import State, World


class WorldLanes:
    """The same as `Lanes`, for a world."""

    def __init__(self, world: World, count: int = 1) -> None:
        if count < 1:
            raise ValueError(f"at least one lane is needed; received count={count}")
        self.world, self.name, self.count, self.spaces = world, world.ID, count, world.spaces
        self._state: State = {}
        self._step = compiled(self._one)

    @property
    def state(self) -> State:
        """The games, for who draws them."""
        return self._state["games"]  # type: ignore[no-any-return]

    def start(self, seeds: Sequence[int]) -> np.ndarray:
        """Begin a new episode in every lane, each with its own seed; those under way are forgotten."""
        if len(seeds) != self.count:
            raise ValueError(f"one seed for each of {self.count} lanes is needed; received {len(seeds)}")
        self._state = games.begin(self.world, [seed % 2**32 for seed in seeds])
        return _array(self.world.observe(self._state["games"]))

    def step(self, action: Any) -> Step:
        """Take an action [lanes] or [lanes, numbers] in every lane."""
        kind = np.int32 if self.spaces.discrete else np.float32
        given = np.ascontiguousarray(action, kind)
        if len(given) != self.count:
            raise ValueError(f"one action for each of {self.count} lanes is needed; received {len(given)}")
        self._state, seen, out = self._step(self._state, ops.convert_to_tensor(given))
        told = {name: values[None] for name, values in out["episodes"].items()}
        terminated, truncated = (_array(out[name]) > 0 for name in ("terminated", "truncated"))
        over = (terminated | truncated).any()
        seen = _array(seen)
        final = _array(out["final"]) if over else seen
        return Step(seen, final, _array(out["reward"]), terminated, truncated, games.episodes(told) if over else [])

    def close(self) -> None:
        """There is nothing to let go of."""

    def _one(self, lanes: State, action: Any) -> Any:
        lanes, out = games.step(self.world, lanes, action)
        return lanes, self.world.observe(lanes["games"]), out


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(ops.convert_to_numpy(tensor))
