"""The networks that agents use when the user brings none: multilayer perceptrons with the right heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import layers

from whygrad.rl.agent import Spaces
from whygrad.rl.trunks import dense, find_trunk, stack


def head(
    spaces: Spaces,
    outputs: int,
    hidden: Sequence[int],
    activation: str = "relu",
    gain: float | None = None,
    trunk: str = "plain",
) -> keras.Model:
    """So many numbers for an observation: action values, logits, means, a state value.

    With a gain, weights start orthogonal (√2 inside, `gain` at the end), as on-policy methods want them.
    """
    inputs = keras.Input(spaces.observation, name="observation")
    x = find_trunk(trunk)(inputs, hidden, activation, gain is not None)
    return keras.Model(inputs, _output(x, outputs, gain))


def value(spaces: Spaces, hidden: Sequence[int], trunk: str = "plain") -> keras.Model:
    """The value of an observation, for on-policy methods."""
    return head(spaces, 1, hidden, "tanh", gain=1.0, trunk=trunk)


def dueling(spaces: Spaces, hidden: Sequence[int], trunk: str = "plain") -> keras.Model:
    """Action values as a state value plus advantages with mean zero (Wang et al., 2016)."""
    inputs = keras.Input(spaces.observation, name="observation")
    x = find_trunk(trunk)(inputs, hidden, "relu", False)
    advantages = _output(x, spaces.action_size)
    return keras.Model(inputs, _output(x, 1) + advantages - keras.ops.mean(advantages, axis=-1, keepdims=True))


def critic(spaces: Spaces, hidden: Sequence[int]) -> keras.Model:
    """The value of an observation and an action together."""
    observation = keras.Input(spaces.observation, name="observation")
    action = keras.Input((spaces.action_size,), name="action")
    flat = layers.Flatten()(observation) if len(spaces.observation) > 1 else observation
    x = stack(layers.Concatenate()([flat, action]), hidden, "relu", False)
    return keras.Model([observation, action], _output(x, 1))


@keras.saving.register_keras_serializable(package="whygrad")
class Numbers(keras.layers.Layer):  # type: ignore[misc]
    """Trained numbers that depend on no input: a temperature, a log-deviation. Called with anything, gives them."""

    def __init__(self, size: int, start: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**{"dtype": "float32", **kwargs})
        self.size = size
        self.start = start
        self.numbers = self.add_weight(shape=(size,), initializer=keras.initializers.Constant(start), name="numbers")

    def call(self, inputs: Any) -> Any:
        """The numbers, whatever the inputs are."""
        return keras.ops.convert_to_tensor(self.numbers)

    def get_config(self) -> dict[str, Any]:
        """For saving."""
        return {**super().get_config(), "size": self.size, "start": self.start}


def _output(x: Any, width: int, gain: float | None = None) -> Any:
    """Always float32: losses compare small differences of large values, whatever the hidden layers compute in."""
    return dense(x, width, gain, "float32")
