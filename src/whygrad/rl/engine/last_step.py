"""How far the last update moved each variable: worked out from what Adam remembers, so that no update pays for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np

from whygrad.rl.agent import Loss
from whygrad.rl.engine.keras_adam import moment_key, steps_key

_FIRST, _SECOND = 0.9, 0.999
"""How much Adam keeps of its moments: both Keras and PyTorch have these by default, and no agent of ours others."""


class LastStep(NamedTuple):
    """The length of a step, and of the weights before it."""

    step: float
    weights: float


def last_steps(
    loss: Loss, variables: Iterable[str], state: Mapping[str, Any], remaining: float = 1.0
) -> dict[str, LastStep]:
    """Of the variables that a loss trains, from an engine's state; nothing before the first step."""
    count = int(state[steps_key(loss)])
    if not count:
        return {}
    rate = loss.learning_rate * (remaining if loss.decays else 1.0)
    corrected = np.sqrt(1.0 - _SECOND**count)
    rate *= corrected / (1.0 - _FIRST**count)
    # PyTorch adds it after the second moment is corrected, Keras before.
    epsilon = loss.epsilon * (corrected if keras.backend.backend() == "torch" else 1.0)
    found = {}
    for name in variables:
        first, second = (np.asarray(state[moment_key(loss, kind, name)], np.float64) for kind in ("first", "second"))
        step = rate * first / (np.sqrt(second) + epsilon)
        before = np.asarray(state[name], np.float64) + step
        found[name] = LastStep(float(np.sqrt(np.sum(step * step))), float(np.sqrt(np.sum(before * before))))
    return found
