"""The last n steps of each lane, from which n-step transitions are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

Rows = tuple[Any, Any, Any, Any, Any]
"""Observations, actions, rewards, what followed, discounts."""


class Windows:
    """Open transitions: those whose n steps are not over.

    Steps of all lanes are written into the same slot of a small ring, so that everything but the end of an episode is
    one operation on all lanes. `reward` holds for each slot the discounted sum from its step until now.
    """

    def __init__(self, n_step: int, lanes: int, gamma: float, observation: Any, action: Any) -> None:
        self._n = n_step
        self._observation = np.zeros((n_step, lanes, *observation.shape[1:]), observation.dtype)
        self._action = np.zeros((n_step, lanes, *action.shape[1:]), action.dtype)
        self._reward = np.zeros((n_step, lanes))
        self._open = np.zeros(lanes, np.int64)  # How many of a lane's latest steps are open.
        self._final = np.zeros((lanes, *observation.shape[1:]), observation.dtype)
        self._slot = 0  # Of the next step.
        self._discounts = gamma ** np.arange(n_step + 1)
        ages = (np.arange(n_step)[:, None] - np.arange(n_step)) % n_step
        self._weights = self._discounts[ages][:, :, None]  # [newest slot, slot, 1]: what a reward now counts for it.

    def add(
        self, observation: Any, action: Any, reward: Any, final: Any, terminated: Any, truncated: Any
    ) -> Iterator[Rows]:
        """Take in a step of all lanes; gives the transitions it completes."""
        slot, n = self._slot, self._n
        self._observation[slot] = observation
        self._action[slot] = action
        self._reward[slot] = 0.0
        self._reward += self._weights[slot] * reward
        self._final[:] = final
        self._open += 1
        self._slot = oldest = (slot + 1) % n
        ended = terminated | truncated
        full = (self._open == n) & ~ended
        if full.all():  # Nearly always.
            discount = np.full(len(full), self._discounts[n])
            yield self._observation[oldest], self._action[oldest], self._reward[oldest], self._final, discount
            self._open -= 1
            return
        if full.any():
            yield (
                self._observation[oldest, full],
                self._action[oldest, full],
                self._reward[oldest, full],
                self._final[full],
                np.full(int(full.sum()), self._discounts[n]),
            )
            self._open[full] -= 1
        for lane in np.flatnonzero(ended).tolist():
            yield self._flush(lane, bool(terminated[lane]))

    def cut(self) -> Iterator[Rows]:
        """Close everything that is open, as at a time limit."""
        for lane in np.flatnonzero(self._open).tolist():
            yield self._flush(lane, terminated=False)

    def _flush(self, lane: int, terminated: bool) -> Rows:
        ages = np.arange(int(self._open[lane]), 0, -1)  # Oldest first: how many rewards each has seen.
        slots = (self._slot - ages) % self._n
        self._open[lane] = 0
        return (
            self._observation[slots, lane],
            self._action[slots, lane],
            self._reward[slots, lane],
            np.broadcast_to(self._final[lane], (len(ages), *self._final.shape[1:])),
            np.zeros(len(ages)) if terminated else self._discounts[ages],
        )

    def state(self) -> dict[str, np.ndarray]:
        """Everything that is open."""
        arrays = {name: getattr(self, f"_{name}").copy() for name in ("observation", "action", "reward", "final")}
        return {**arrays, "count": self._open.copy(), "slot": np.array(self._slot)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        for name in ("observation", "action", "reward", "final"):
            mine, given = getattr(self, f"_{name}"), np.asarray(state[name])
            if given.shape != mine.shape:
                raise ValueError(f"the state's open {name} is {list(given.shape)}; {list(mine.shape)} expected")
            mine[:] = given
        self._open[:] = state["count"]
        self._slot = int(state["slot"])
