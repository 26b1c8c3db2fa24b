"""Observations that are pictures: which convolutions see them, and a training on them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from whygrad.rl import DQN, train
from whygrad.rl.agent import Spaces
from whygrad.rl.networks import head


@pytest.mark.parametrize(
    ("shape", "left"),
    [
        ((84, 84, 4), (7, 7, 64)),
        ((4, 84, 84), (7, 7, 64)),  # as Gymnasium stacks frames
        ((36, 40, 3), (1, 1, 64)),
        ((35, 84, 3), (35, 84, 64)),
        ((10, 10, 2), (10, 10, 64)),
    ],
)
def test_what_convolutions_leave_of_a_picture(shape: tuple[int, ...], left: tuple[int, ...]) -> None:
    network = head(Spaces(shape, choices=2), 2, (8,))
    flattened = next(layer for layer in network.layers if type(layer).__name__ == "Flatten")
    assert tuple(flattened.input.shape[1:]) == left
    assert np.array(network(np.zeros((3, *shape), "f")).shape).tolist() == [3, 2]


class Lamp(gymnasium.Env):  # type: ignore[type-arg]
    """The picture is dark or bright, and so is the action that pays."""

    observation_space = Box(0, 255, (36, 36, 1), np.uint8)
    action_space = Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._left = 8
        return self._shown(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        paid = float(action == self._bright)
        self._left -= 1
        return self._shown(), paid, self._left == 0, False, {}

    def _shown(self) -> Any:
        self._bright = int(self.np_random.integers(2))
        return np.full((36, 36, 1), 200 * self._bright, np.uint8)


@pytest.mark.usefixtures("optimized")
def test_a_training_on_pictures(tmp_path: Any) -> None:
    gymnasium.register("whygrad-test/Lamp-v0", Lamp)
    try:
        agent = DQN(hidden=(32,), batch_size=32, gamma=0.0, buffer_size=500, learning_starts=100, explore_share=0.5)
        trained = train(agent, "whygrad-test/Lamp-v0", steps=400, seed=0, root=tmp_path, tensorboard=False, quiet=True)
    finally:
        gymnasium.registry.pop("whygrad-test/Lamp-v0")
    assert trained.scores is not None and trained.scores.mean == 8.0
