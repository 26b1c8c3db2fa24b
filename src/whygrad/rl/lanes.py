"""Several copies of an environment, stepped together. Each is a lane; one that ends an episode begins the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from whygrad.rl.envs.making import env_maker, env_name
from whygrad.rl.envs.stepping import EnvironmentFailed, Here, Processes
from whygrad.rl.spaces import encode, spaces_of

__all__ = ["EnvironmentFailed", "Episode", "Lanes", "Step"]


class Episode(NamedTuple):
    """An episode that ended."""

    lane: int
    score: float
    length: int
    facts: Mapping[str, float] = {}
    """What else a game says of itself, such as fruits eaten."""


class Step(NamedTuple):
    """One step of all lanes. The arrays are new at every step; `final` may be `observation` itself."""

    observation: np.ndarray
    """What the next action is based on: after an end already the first of the next episode. [lanes, …] float32."""
    final: np.ndarray
    """What followed the action: the same, except where an episode ended."""
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    episodes: list[Episode]
    """Those that ended with this step."""


class Lanes:
    """Copies of one environment: `env` is a Gymnasium id, a function that makes one, or (for one lane) one itself.

    With `processes` each lane runs in a process of its own, which pays for slow environments only. Actions come as
    indices or as numbers in [-1, 1]; the latter are cut to that range and scaled to the bounds of the environment.
    """

    def __init__(
        self,
        env: str | Callable[..., Any] | gymnasium.Env[Any, Any],
        count: int = 1,
        *,
        processes: bool = False,
        **env_options: Any,
    ) -> None:
        if count < 1:
            raise ValueError(f"at least one lane is needed; received count={count}")
        if isinstance(env, gymnasium.Env) and (count > 1 or processes or env_options):
            raise ValueError(
                f"{env} is already made, so it can only be one lane, in this process and without options; "
                f"received count={count}, processes={processes}, options {env_options}. Give its id, or a function "
                "that makes it."
            )
        self.name = env_name(env)
        self.count = count
        made = [env_maker(env, env_options)] * count
        self._lanes: Here | Processes = Processes(made, self.name) if processes else Here(made, self.name)
        self._closes = not isinstance(env, gymnasium.Env)
        try:
            self.spaces = spaces_of(self._lanes.observation_space, self._lanes.action_space)
        except ValueError:
            self.close()
            raise
        self.observation_space = self._lanes.observation_space
        self._encode = encode(self._lanes.observation_space)
        self._lanes.prepare(self._encode, self.spaces.observation)
        self._to_env = _choices(self._lanes.action_space) if self.spaces.discrete else _scaled(self._lanes.action_space)
        self._score = [0.0] * count
        self._length = [0] * count

    def start(self, seeds: Sequence[int]) -> np.ndarray:
        """Begin a new episode in every lane, each with its own seed; those under way are forgotten."""
        if len(seeds) != self.count:
            raise ValueError(f"one seed for each of {self.count} lanes is needed; received {len(seeds)}")
        self._score, self._length = [0.0] * self.count, [0] * self.count
        return self._lanes.start([int(seed) for seed in seeds])

    def step(self, action: Any) -> Step:
        """Take an action [lanes] or [lanes, numbers] in every lane."""
        actions = self._to_env(action)
        if len(actions) != self.count:
            raise ValueError(f"one action for each of {self.count} lanes is needed; received {len(actions)}")
        observation, reward, terminated, truncated, finals = self._lanes.step(actions)
        for lane, one in enumerate(reward.tolist()):
            self._score[lane] += one
            self._length[lane] += 1
        if not finals:
            return Step(observation, observation, reward, terminated, truncated, [])
        final = observation.copy()
        episodes = []
        for lane, seen in finals.items():
            final[lane] = seen
            episodes.append(Episode(lane, self._score[lane], self._length[lane]))
            self._score[lane], self._length[lane] = 0.0, 0
        return Step(observation, final, reward, terminated, truncated, episodes)

    def close(self) -> None:
        """Let go of the environments; one that was handed in stays open."""
        if self._closes:
            self._lanes.close()


def _choices(space: Any) -> Callable[[Any], list[Any]]:
    first = int(space.start)
    if not first:
        return lambda action: np.asarray(action).tolist()
    return lambda action: (np.asarray(action) + first).tolist()


def _scaled(space: Any) -> Callable[[Any], np.ndarray]:
    whole = np.issubdtype(space.dtype, np.integer)
    kind = np.float64 if whole else space.dtype
    low, high = space.low.astype(kind), space.high.astype(kind)
    middle, half = (high + low) / 2, (high - low) / 2

    def to_env(action: Any) -> np.ndarray:
        scaled = np.asarray(action, kind).reshape(-1, *low.shape) * half
        scaled += middle
        # Cutting here, not before, also takes off what rounding put beyond the bounds.
        np.maximum(scaled, low, out=scaled)
        np.minimum(scaled, high, out=scaled)
        flat = scaled.reshape(-1)
        if not flat.dot(flat) >= 0.0:  # The quickest way to find a NaN.
            raise ValueError(f"the policy gave an action that is not a number: {np.asarray(action).tolist()}")
        return np.rint(scaled).astype(space.dtype) if whole else scaled

    return to_env
