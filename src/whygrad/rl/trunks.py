"""What networks do with an observation before their heads: perceptrons, convolutions over boards and pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import keras
from keras import layers

from whygrad.rl.plan import BadPlan

_PICTURE = 36
"""The least height and width of a picture that `_picture` leaves something of; smaller ones are boards."""
_FRAMES = 16


def plain(inputs: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    """Images go through convolutions, tables are flattened, vectors stay; then dense layers."""
    x = inputs
    if len(inputs.shape) == 4:
        x = _frames_last(inputs)
        x = _picture(x) if min(x.shape[1:3]) >= _PICTURE else _small(x)
    if len(inputs.shape) > 2:
        x = layers.Flatten()(x)
    return stack(x, hidden, activation, orthogonal)


def _small(x: Any) -> Any:
    for filters in (32, 64):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return x


def _picture(x: Any) -> Any:
    """The convolutions of the DQN that played Atari (Mnih et al., 2015). They leave 7x7 of a picture of 84x84."""
    for filters, size, stride in ((32, 8, 4), (64, 4, 2), (64, 3, 1)):
        x = layers.Conv2D(filters, size, stride, activation="relu")(x)
    return x


def _frames_last(inputs: Any) -> Any:
    """Frames that Gymnasium stacks come first, [frames, height, width]; convolutions want them last."""
    first, height, width = inputs.shape[1:]
    stacked = first <= _FRAMES and min(height, width) >= _PICTURE
    return layers.Permute((2, 3, 1))(inputs) if stacked else inputs


def snake_dqn(inputs: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    """The network of TensorFlow.js' snake-dqn, up to its last layer."""
    x = layers.Conv2D(128, 3, activation="relu")(inputs)
    x = layers.BatchNormalization()(x)
    x = layers.Conv2D(256, 3, activation="relu")(x)
    x = layers.BatchNormalization()(x)
    x = layers.Conv2D(256, 3, activation="relu")(x)
    x = layers.Dense(100, activation="relu")(layers.Flatten()(x))
    return layers.Dropout(0.25)(x)


def board(inputs: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    """Convolutions that keep the board's size, each as wide as `hidden` says but the last, which is a dense layer.

    One that is as wide as what it is given adds to it: then deep ones learn too.
    """
    start = keras.initializers.Orthogonal(2.0**0.5) if orthogonal else "glorot_uniform"
    *filters, width = hidden
    x = inputs
    for filter_count in filters:
        new = layers.Conv2D(filter_count, 3, padding="same", kernel_initializer=start)(x)
        if x.shape[-1] == filter_count:
            new = layers.Add()([new, x])
        x = layers.Activation("relu")(new)
    return stack(layers.Flatten()(x), (width,), "relu", orthogonal)


Trunk = Callable[[Any, Sequence[int], str, bool], Any]
"""Input, widths, activation, and whether weights start orthogonal; to the last hidden layer."""

TRUNKS: dict[str, Trunk] = {"plain": plain, "board": board, "snake-dqn": snake_dqn}


def find_trunk(name: str) -> Trunk:
    """By name."""
    if name not in TRUNKS:
        raise BadPlan(f"trunk is one of {', '.join(TRUNKS)}, got {name!r}")
    return TRUNKS[name]


def stack(x: Any, hidden: Sequence[int], activation: str, orthogonal: bool) -> Any:
    """Dense layers of these widths."""
    for width in hidden:
        x = layers.Activation(activation)(dense(x, width, 2.0**0.5 if orthogonal else None))
    return x


def dense(x: Any, width: int, gain: float | None, dtype: str | None = None) -> Any:
    """One dense layer; with a gain, its weights start orthogonal."""
    start = "glorot_uniform" if gain is None else keras.initializers.Orthogonal(gain)
    return layers.Dense(width, kernel_initializer=start, dtype=dtype)(x)
