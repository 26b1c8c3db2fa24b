"""Scaling by what has been seen so far: observations to mean 0 and deviation 1, rewards by the return's deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

LIMIT = 10.0
"""Scaled numbers beyond this are cut: early moments can be far off."""

SMALL = 1e-8
"""Added to a variance before its root divides."""


class RunningMoments:
    """Mean and variance of all rows seen, merged batch by batch (Chan et al., 1983), in float64."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.count = 0
        self.mean = np.zeros(shape)
        self._squares = np.zeros(shape)  # Summed squared distance from the mean.

    @property
    def variance(self) -> np.ndarray:
        """Of everything seen so far; 1 before anything was."""
        return self._squares / self.count if self.count else np.ones_like(self.mean)

    def update(self, rows: Any) -> None:
        """Take in rows [n, *shape]."""
        rows = np.asarray(rows, np.float64)
        if rows.shape[1:] != self.mean.shape:
            raise ValueError(f"rows of shape {self.mean.shape} expected, in an array [n, …]; received {rows.shape}")
        more = len(rows)
        if not more:
            return
        mean = rows.mean(axis=0)
        apart = mean - self.mean
        total = self.count + more
        self._squares += ((rows - mean) ** 2).sum(axis=0) + apart**2 * (self.count * more / total)
        self.mean += apart * (more / total)
        self.count = total

    def scale(self, rows: Any) -> np.ndarray:
        """Rows with mean 0 and deviation 1, as far as is known; float32, within ±10."""
        scaled = (rows - self.mean) / np.sqrt(self.variance + SMALL)
        return np.clip(scaled, -LIMIT, LIMIT).astype(np.float32)

    def state(self) -> dict[str, np.ndarray]:
        """For a checkpoint."""
        return {"count": np.array(self.count), "mean": self.mean.copy(), "squares": self._squares.copy()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        if np.shape(state["mean"]) != self.mean.shape:
            raise ValueError(f"moments of shape {self.mean.shape} expected; the state has {np.shape(state['mean'])}")
        self.count = int(state["count"])
        self.mean = np.array(state["mean"], np.float64)
        self._squares = np.array(state["squares"], np.float64)


def merged(before: Mapping[str, Any], after: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """States of moments that all went on from one, each with rows of its own, as one that has seen all rows."""
    count, mean, squares = _parts(after[0])
    old, old_mean, old_squares = _parts(before)
    for state in after[1:]:
        new, new_mean, new_squares = _parts(state)
        more = new - old
        if not more:
            continue
        # What this one alone has seen: its state less that which all began with.
        apart = (new_mean - old_mean) * (new / more)
        its_mean = old_mean + apart
        its_squares = new_squares - old_squares - apart**2 * (old * more / new)
        total = count + more
        squares = squares + its_squares + (its_mean - mean) ** 2 * (count * more / total)
        mean = mean + (its_mean - mean) * (more / total)
        count = total
    return {"count": np.array(count), "mean": mean, "squares": squares}


def _parts(state: Mapping[str, Any]) -> tuple[int, Any, Any]:
    return int(state["count"]), np.asarray(state["mean"], np.float64), np.asarray(state["squares"], np.float64)


class RewardScale:
    """Divides rewards by the running deviation of the discounted return, so that values stay of order one."""

    def __init__(self, lanes: int, gamma: float) -> None:
        self._gamma = gamma
        self._return = np.zeros(lanes)  # Of each lane's open episode, discounted the way back: R ← γR + r.
        self._moments = RunningMoments(())

    def scale(self, reward: Any, ended: Any) -> np.ndarray:
        """Take in one step's rewards [lanes] and give them scaled; `ended` says where an episode ended with it."""
        self._return = self._return * self._gamma + reward
        self._moments.update(self._return)
        self._return[np.asarray(ended, bool)] = 0.0
        scaled = reward / np.sqrt(self._moments.variance + SMALL)
        return np.clip(scaled, -LIMIT, LIMIT).astype(np.float32)

    def cut(self) -> None:
        """All lanes are abandoned here: forget the open episodes."""
        self._return[:] = 0.0

    def state(self) -> dict[str, np.ndarray]:
        """For a checkpoint."""
        return {"return": self._return.copy(), **self._moments.state()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        if np.shape(state["return"]) != self._return.shape:
            raise ValueError(
                f"returns of {len(self._return)} lanes expected; the state has {np.shape(state['return'])}"
            )
        self._return = np.array(state["return"], np.float64)
        self._moments.load(state)
