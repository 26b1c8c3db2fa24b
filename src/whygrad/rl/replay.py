"""A memory of transitions to learn from: a ring that forgets the oldest, if wanted with n-step rewards, priorities."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.rl import pixels
from whygrad.rl.priorities import Priorities
from whygrad.rl.windows import Windows

FIELDS = ("observation", "action", "reward", "next_observation", "discount")
OBSERVATIONS = ("observation", "next_observation")


class Replay:
    """Rows (observation, action, reward, next_observation, discount), at most `size` of them.

    `reward` is the discounted sum over up to `n_step` steps, `next_observation` what followed the last of them, and
    `discount` γ to their number: what the value of `next_observation` counts. It is 0 where the episode terminated, and
    not where a time limit truncated it. With `bytewise`, observations are images (0 to 1) and are kept as bytes.
    """

    def __init__(
        self,
        size: int,
        observation_shape: tuple[int, ...],
        action_shape: tuple[int, ...],
        action_dtype: Any,
        lanes: int,
        n_step: int = 1,
        gamma: float = 0.99,
        priority_exponent: float | None = None,
        bytewise: bool = False,
    ) -> None:
        if size < lanes * n_step:
            raise ValueError(f"a replay memory of {size} rows cannot hold {n_step} steps of {lanes} lanes")
        self._size, self._lanes, self._gamma, self._bytewise = size, lanes, gamma, bytewise
        kept = np.uint8 if bytewise else np.float32
        # Zeros, not empty: the system hands out such memory only as it is written to.
        self._observation = np.zeros((size, *observation_shape), kept)
        self._action = np.zeros((size, *action_shape), action_dtype)
        self._reward = np.zeros(size, np.float32)
        self._next_observation = np.zeros((size, *observation_shape), kept)
        self._discount = np.zeros(size, np.float32)
        self._position = 0
        self._count = 0
        self._windows = Windows(n_step, lanes, gamma, self._observation, self._action) if n_step > 1 else None
        self._priorities = Priorities(size, priority_exponent) if priority_exponent is not None else None

    def __len__(self) -> int:
        """Rows that can be sampled."""
        return self._count

    def add(self, observation: Any, action: Any, reward: Any, final: Any, terminated: Any, truncated: Any) -> None:
        """Take in one step of all lanes, each array [lanes, …]; `final` is what followed the action."""
        observation, final = self._kept(observation), self._kept(final)
        if self._windows is None:
            self._put(self._lanes, observation, action, reward, final, self._gamma * np.logical_not(terminated))
            return
        for rows in self._windows.add(observation, action, reward, final, terminated, truncated):
            self._put(len(rows[-1]), *rows)

    def take(self, rows: Mapping[str, Any]) -> None:
        """Take in transitions that were completed elsewhere, arrays [rows, …] by the names of the fields."""
        columns = [self._kept(rows[name]) if name in OBSERVATIONS else rows[name] for name in FIELDS]
        self._put(len(columns[-1]), *columns)

    def cut(self) -> None:
        """All lanes are abandoned here: what is open is kept as if a time limit had come."""
        if self._windows is not None:
            for rows in self._windows.cut():
                self._put(len(rows[-1]), *rows)

    def sample(self, rng: np.random.Generator, rounds: int, rows: int, correction: float = 1.0) -> dict[str, Any]:
        """Random rows for so many rounds, arrays [rounds, rows, …] by name; and their `index` and `weight`.

        With priorities, weights undo the bias of unequal chances: not at all with correction 0, fully with 1.
        """
        if not self._count:
            raise ValueError("nothing to sample: the replay memory is empty; add transitions first")
        shape = (rounds, rows)
        if self._priorities is None:
            index = rng.integers(self._count, size=shape)
            weight = np.ones(shape, np.float32)
        else:
            index, weight = self._priorities.sample(rng, rounds, rows, self._count, correction)
        # Unlike [], take with a mode checks nothing and is the faster for it; the indices are ours.
        return {
            "observation": self._seen(self._observation.take(index, axis=0, mode="clip")),
            "action": self._action.take(index, axis=0, mode="clip"),
            "reward": self._reward.take(index, mode="clip"),
            "next_observation": self._seen(self._next_observation.take(index, axis=0, mode="clip")),
            "discount": self._discount.take(index, mode="clip"),
            "weight": weight,
            "index": index,
        }

    def reprioritise(self, index: Any, priority: Any) -> None:
        """Set the priorities (sizes of errors) of rows that were sampled."""
        if self._priorities is None:
            raise ValueError("this replay memory has no priorities; make it with priority_exponent=0.6, for instance")
        self._priorities.set(np.ravel(index), np.ravel(priority))

    def state(self) -> dict[str, np.ndarray]:
        """Everything in it, as copies, for a checkpoint."""
        kept = {name: getattr(self, f"_{name}")[: self._count].copy() for name in FIELDS}
        kept["position"] = np.array(self._position)
        if self._windows is not None:
            kept.update({f"open_{name}": array for name, array in self._windows.state().items()})
        if self._priorities is not None:
            kept.update({f"priority_{name}": array for name, array in self._priorities.state(self._count).items()})
        return kept

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, into a memory made with the same arguments."""
        count = len(state["reward"])
        for name in FIELDS:
            mine, given = getattr(self, f"_{name}"), np.asarray(state[name])
            if given.shape[1:] != mine.shape[1:] or given.dtype != mine.dtype or count > self._size:
                raise ValueError(
                    f"the state's {name} is {given.dtype}{list(given.shape)}, which does not fit this replay memory: "
                    f"{mine.dtype}{list(mine.shape)}"
                )
        for name in FIELDS:
            getattr(self, f"_{name}")[:count] = state[name]
        self._count, self._position = count, int(state["position"])
        for prefix, part in (("open_", self._windows), ("priority_", self._priorities)):
            if part is not None:
                part.load({k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)})

    def _kept(self, observation: Any) -> Any:
        return pixels.kept(observation) if self._bytewise else observation

    def _seen(self, observation: Any) -> Any:
        return pixels.seen(observation) if self._bytewise else observation

    def _put(self, count: int, observation: Any, action: Any, reward: Any, following: Any, discount: Any) -> None:
        begin = self._position
        end = begin + count
        if end > self._size:
            first = self._size - begin
            self._put(first, observation[:first], action[:first], reward[:first], following[:first], discount[:first])
            self._put(
                count - first, observation[first:], action[first:], reward[first:], following[first:], discount[first:]
            )
            return
        self._observation[begin:end] = observation
        self._action[begin:end] = action
        self._reward[begin:end] = reward
        self._next_observation[begin:end] = following
        self._discount[begin:end] = discount
        self._position = end if end < self._size else 0
        if self._count < self._size:
            self._count = max(self._count, end)
        if self._priorities is not None:
            self._priorities.fresh(begin, end)
