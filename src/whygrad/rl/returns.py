"""What followed each step of a rollout: advantages and returns."""

from __future__ import annotations

from typing import Any

import numpy as np


def advantages(
    reward: Any, value: Any, next_value: Any, terminated: Any, truncated: Any, gamma: float, gae_lambda: float
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantage estimates and the returns they stand for, all [steps, lanes] (Schulman et al., 2016).

    `next_value` is the value of what followed each step. It counts unless the episode terminated there; the chain of
    later steps is cut wherever an episode ended, by a time limit too.
    """
    value = np.asarray(value, np.float64)
    error = reward + gamma * np.where(terminated, 0.0, next_value) - value
    carried = gamma * gae_lambda * ~(np.asarray(terminated, bool) | np.asarray(truncated, bool))
    advantage = np.empty_like(error)
    after = np.zeros(error.shape[1:])
    for t in range(len(error) - 1, -1, -1):
        after = advantage[t] = error[t] + carried[t] * after
    return advantage.astype(np.float32), (advantage + value).astype(np.float32)
