"""Keras' Adam as the TensorFlow and JAX engines use it, and its state in the form that checkpoints keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Loss


def make(loss: Loss, variables: list[Any]) -> Any:
    """An optimizer for the variables that a loss trains."""
    optimizer = keras.optimizers.Adam(loss.learning_rate, epsilon=loss.epsilon)
    optimizer.build(variables)
    return optimizer


def state(loss: Loss, optimizer: Any, variables: list[str]) -> dict[str, Any]:
    """Steps and both moments, by the variables' names."""
    kept: dict[str, Any] = {steps_key(loss): np.int64(keras.ops.convert_to_numpy(optimizer.iterations))}
    for kind, held in _moments(optimizer):
        for name, moment in zip(variables, held, strict=True):
            kept[moment_key(loss, kind, name)] = keras.ops.convert_to_numpy(moment)
    return kept


def load(loss: Loss, optimizer: Any, variables: list[str], kept: Mapping[str, Any]) -> None:
    """Put back what `state` gave."""
    optimizer.iterations.assign(int(kept[steps_key(loss)]))
    for kind, held in _moments(optimizer):
        for name, moment in zip(variables, held, strict=True):
            moment.assign(kept[moment_key(loss, kind, name)])


def steps_key(loss: Loss) -> str:
    """Where a checkpoint has the number of Adam's steps."""
    return f"adam/{loss.name}/steps"


def moment_key(loss: Loss, kind: str, variable: str) -> str:
    """Where a checkpoint has the `first` or `second` moment of a variable's gradient."""
    return f"adam/{loss.name}/{kind}/{variable}"


def _moments(optimizer: Any) -> tuple[tuple[str, list[Any]], ...]:
    # Keras gives its moments no public name; the engines' tests would notice a change.
    return ("first", optimizer._momentums), ("second", optimizer._velocities)
