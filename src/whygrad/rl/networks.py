"""The networks that agents use when the user brings none: multilayer perceptrons with the right heads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
from keras import layers

from whygrad.rl.agent import Spaces


def head(
    spaces: Spaces, outputs: int, hidden: Sequence[int], activation: str = "relu", gain: float | None = None
) -> keras.Model:
    """So many numbers for an observation: action values, logits, means, a state value.

    With a gain, weights start orthogonal (√2 inside, `gain` at the end), as on-policy methods want them.
    """
    inputs = keras.Input(spaces.observation, name="observation")
    return keras.Model(inputs, _output(_trunk(inputs, hidden, activation, gain is not None), outputs, gain))


def value(spaces: Spaces, hidden: Sequence[int]) -> keras.Model:
    """The value of an observation, for on-policy methods."""
    return head(spaces, 1, hidden, "tanh", gain=1.0)


def dueling(spaces: Spaces, hidden: Sequence[int]) -> keras.Model:
    """Action values as a state value plus advantages with mean zero (Wang et al., 2016)."""
    inputs = keras.Input(spaces.observation, name="observation")
    x = _trunk(inputs, hidden, "relu", False)
    advantages = _output(x, spaces.action_size)
    return keras.Model(inputs, _output(x, 1) + advantages - keras.ops.mean(advantages, axis=-1, keepdims=True))


def critic(spaces: Spaces, hidden: Sequence[int]) -> keras.Model:
    """The value of an observation and an action together."""
    observation = keras.Input(spaces.observation, name="observation")
    action = keras.Input((spaces.action_size,), name="action")
    flat = layers.Flatten()(observation) if len(spaces.observation) > 1 else observation
    x = _stack(layers.Concatenate()([flat, action]), hidden, "relu", False)
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


def _trunk(inputs: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    """Images go through small convolutions, tables are flattened, vectors stay."""
    x = inputs
    if len(inputs.shape) == 4:
        for filters in (32, 64):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    if len(inputs.shape) > 2:
        x = layers.Flatten()(x)
    return _stack(x, hidden, activation, orthogonal)


def _stack(x: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    for width in hidden:
        x = layers.Activation(activation)(_dense(x, width, 2.0**0.5 if orthogonal else None))
    return x


def _dense(x: Any, width: int, gain: float | None, dtype: str | None = None) -> Any:
    start = "glorot_uniform" if gain is None else keras.initializers.Orthogonal(gain)
    return layers.Dense(width, kernel_initializer=start, dtype=dtype)(x)


def _output(x: Any, width: int, gain: float | None = None) -> Any:
    """Always float32: losses compare small differences of large values, whatever the hidden layers compute in."""
    return _dense(x, width, gain, "float32")
