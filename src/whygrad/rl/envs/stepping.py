"""Stepping several environments: one after the other in this process, or each in a process of its own."""

from __future__ import annotations

import math
import multiprocessing
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode

Maker = Callable[[], Any]
Stepped = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[int, np.ndarray]]
"""Observations, rewards, terminated, truncated; and by lane, the last observations of episodes that ended."""


class EnvironmentFailed(RuntimeError):
    """An environment raised an error, or gave something that no training can use."""


class Here:
    """Environments in this process."""

    def __init__(self, makers: Sequence[Maker], name: str) -> None:
        self._name = name
        self._envs = [make() for make in makers]
        self.observation_space = self._envs[0].observation_space
        self.action_space = self._envs[0].action_space

    def prepare(self, encode: Callable[[Any], np.ndarray], shape: tuple[int, ...]) -> None:
        """Say how observations become arrays, and of what shape."""
        self._encode = encode
        self._shape = (len(self._envs), *shape)

    def start(self, seeds: Sequence[int]) -> np.ndarray:
        """Reset each with its seed."""
        observation = np.empty(self._shape, np.float32)
        for lane, (env, seed) in enumerate(zip(self._envs, seeds, strict=True)):
            seen = self._encode(reset(env, self._name, lane, seed))
            if seen.shape != self._shape[1:]:
                raise EnvironmentFailed(
                    f"{self._name} says that its observations are {self.observation_space}, of shape "
                    f"{self._shape[1:]}, but gave one of shape {seen.shape} when it was reset"
                )
            observation[lane] = seen
        return observation

    def step(self, actions: Sequence[Any]) -> Stepped:
        """Step each; reset those that ended."""
        count = len(self._envs)
        observation = np.empty(self._shape, np.float32)
        reward = np.empty(count, np.float32)
        terminated, truncated = np.zeros(count, bool), np.zeros(count, bool)
        finals: dict[int, np.ndarray] = {}
        for lane, (env, action) in enumerate(zip(self._envs, actions, strict=True)):
            seen, reward[lane], over, cut = step(env, action, self._name, lane)
            if over or cut:
                finals[lane] = self._encode(seen).copy()
                terminated[lane], truncated[lane] = over, cut
                seen = reset(env, self._name, lane)
            observation[lane] = self._encode(seen)
        return observation, reward, terminated, truncated, finals

    def close(self) -> None:
        """Close each."""
        for env in self._envs:
            env.close()


class Processes:
    """Each environment in a process of its own."""

    def __init__(self, makers: Sequence[Maker], name: str) -> None:
        self._name = name
        lanes = [partial(_make_lane, make, name, lane) for lane, make in enumerate(makers)]
        # Not `fork`: the frameworks run threads, and a forked copy of their locks can wait for ever.
        self._envs = AsyncVectorEnv(lanes, context="spawn", autoreset_mode=AutoresetMode.SAME_STEP)
        self.observation_space = self._envs.single_observation_space
        self.action_space = self._envs.single_action_space

    def prepare(self, encode: Callable[[Any], np.ndarray], shape: tuple[int, ...]) -> None:
        """Say how observations become arrays. Of what shape, the workers have checked."""
        self._encode = encode

    def start(self, seeds: Sequence[int]) -> np.ndarray:
        """Reset each with its seed."""
        return self._encode(self._ask(self._envs.reset, seed=list(seeds))[0])

    def step(self, actions: Any) -> Stepped:
        """Step each; reset those that ended."""
        seen, reward, terminated, truncated, infos = self._ask(self._envs.step, np.asarray(actions))
        ended = np.flatnonzero(terminated | truncated).tolist()
        finals = {lane: self._encode(infos["final_obs"][lane]) for lane in ended}
        return self._encode(seen), reward.astype(np.float32), terminated, truncated, finals

    def close(self) -> None:
        """End the processes, whatever they are in the middle of."""
        try:
            with _without_warnings():
                self._envs.close()
        except Exception:  # One has failed or gone, and Gymnasium cannot ask the others to end without it.
            self._abandon()

    def _ask(self, question: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            with _without_warnings():
                return question(*args, **kwargs)
        except EnvironmentFailed as error:
            raise EnvironmentFailed(str(error)) from error
        except (EOFError, ConnectionError) as error:
            self._abandon()
            raise EnvironmentFailed(
                f"a worker process of {self._name} has gone without a word: out of memory, or ended from outside"
            ) from error

    def _abandon(self) -> None:
        for process in self._envs.processes:
            process.terminate()
            process.join()
        for pipe in self._envs.parent_pipes:
            if pipe is not None:
                pipe.close()
        self._envs.closed = True


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Before it raises a worker's error, Gymnasium warns of it three times."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning)
        yield


def step(env: Any, action: Any, name: str, lane: int) -> tuple[Any, float, bool, bool]:
    """One step: observation, reward, terminated, truncated. Errors say where and with what."""
    try:
        seen, reward, terminated, truncated, _ = env.step(action)
        if math.isfinite(reward):
            return seen, reward, terminated, truncated
    except Exception as error:
        raise EnvironmentFailed(
            f"{name} raised {type(error).__name__} in lane {lane} when stepped with the action {action!r}: {error}"
        ) from error
    raise EnvironmentFailed(f"{name} gave the reward {reward} in lane {lane} when stepped with the action {action!r}")


def reset(env: Any, name: str, lane: int, seed: int | None = None) -> Any:
    """The first observation of a new episode. Errors say where."""
    try:
        observation, _ = env.reset(seed=seed)
    except Exception as error:
        raise EnvironmentFailed(
            f"{name} raised {type(error).__name__} in lane {lane} when reset with seed {seed}: {error}"
        ) from error
    return observation


class _Lane(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Gives errors their lane, and keeps infos, which nobody reads, out of the pipe."""

    def __init__(self, env: Any, name: str, lane: int) -> None:
        super().__init__(env)
        self._where = name, lane

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step."""
        plain = int(action) if isinstance(action, np.integer) else action
        return *step(self.env, plain, *self._where), {}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """The first observation."""
        return reset(self.env, *self._where, seed), {}


def _make_lane(make: Maker, name: str, lane: int) -> _Lane:
    if multiprocessing.parent_process() is not None:
        # A terminal sends Ctrl-C to every process; the training ends its workers when it has saved itself.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return _Lane(make(), name, lane)
