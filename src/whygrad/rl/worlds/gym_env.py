"""Worlds as Gymnasium environments, one game each; `gym_vector_env.py` has thousands at once.

Same seed, same game, on every backend; the same also as in lanes and in the vector environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import gymnasium
import numpy as np
from keras import ops

from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.catalogue import find_world
from whygrad.rl.worlds.gym_programs import action_space, arrays, fits, keys, observation_space, programs, to_world
from whygrad.rl.worlds.pendulum import Pendulum
from whygrad.rl.worlds.pictures import ClassicPainter, Painter, SnakePainter
from whygrad.rl.worlds.snake import Snake
from whygrad.rl.worlds.snake_board import Board, board_of, placed
from whygrad.rl.worlds.world import State, World

W = TypeVar("W", bound=World)


class WorldEnv(gymnasium.Env[Any, Any], Generic[W]):
    """One game of a world. `settings` are the world's own."""

    KIND: ClassVar[type[World]]

    def __init__(self, render_mode: str | None = None, **settings: Any) -> None:
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"{self.KIND.ID} is drawn as {', '.join(modes)}, got render_mode={render_mode!r}")
        self.world: W = find_world(self.KIND.ID, settings)  # type: ignore[assignment]
        self.render_mode = render_mode
        self.action_space: Any = action_space(self.world)
        self.observation_space = observation_space(self.world)
        self._programs = programs(self.world)
        self._state: State | None = None
        self._over = self._terminated = False
        self._painter = None if render_mode is None else self._make_painter(render_mode)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game. Without a seed it follows from the game before, and without one before from nothing."""
        super().reset(seed=seed)
        if seed is None and self._state is not None:
            key, drawn = self._state["key"], self._state["drawn"]
        else:
            key = keys([self.np_random.integers(2**32) if seed is None else seed])
            drawn = ops.zeros_like(key)
        state, told = self._programs.begin(key, drawn)
        if options:
            state, told = self._programs.see(self._at(arrays(state), options))
        self._state, self._over, self._terminated = state, False, False
        told = arrays(told)
        self._show(None, False)
        return told["observation"][0], _one(told["info"])

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step of the game."""
        if self._state is None or self._over:
            which = "has ended" if self._over else "has not begun"
            raise gymnasium.error.ResetNeeded(f"the game {which}: call reset() before step()")
        if not fits(self.world, action, ()):
            raise ValueError(f"an action of {self.KIND.ID} is one of {self.action_space}, got {action!r}")
        self._state, told = self._programs.step(self._state, to_world(self.world, np.asarray(action)[None]))
        told = arrays(told)
        terminated, truncated = bool(told["terminated"][0]), bool(told["truncated"][0])
        self._over, self._terminated = terminated or truncated, terminated
        self._show(action, terminated)
        return told["observation"][0], float(told["reward"][0]), terminated, truncated, _one(told["info"])

    def render(self) -> Any:
        """The game as it is: a picture [height, width, 3], text (`ansi`), or nothing (`human` shows it by itself)."""
        if self._painter is None:
            gymnasium.logger.warn(
                f"{self.KIND.ID} was made without a render mode, so there is nothing to draw. Write "
                f'gymnasium.make("{self.KIND.ID}", render_mode="rgb_array").'
            )
            return None
        return self._painter.picture()

    def close(self) -> None:
        """Close the window, where there is one."""
        if self._painter is not None:
            self._painter.close()

    def _show(self, action: Any, terminated: bool) -> None:
        """Have what happened drawn; without a render mode nothing is fetched."""
        if self._painter is not None:
            self._painter.see(arrays(self._state), action, terminated)
            if self.render_mode == "human":
                self._painter.picture()

    def _make_painter(self, mode: str) -> Painter:
        raise NotImplementedError

    def _at(self, state: State, options: Mapping[str, Any]) -> State:
        """The game with what `reset(options=…)` says."""
        raise NotImplementedError


class SnakeEnv(WorldEnv[Snake]):
    """`whygrad/Snake-v0`. `render_size` is the longer side of its pictures."""

    KIND = Snake
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array", "ansi"], "render_fps": 8}  # type: ignore[misc]

    def __init__(self, render_mode: str | None = None, render_size: int = 400, **settings: Any) -> None:
        self.render_size = render_size
        super().__init__(render_mode, **settings)

    @property
    def board(self) -> Board:
        """The game as plain data."""
        if self._state is None:
            raise gymnasium.error.ResetNeeded("the game has not begun: call reset() first")
        return board_of(self.world, arrays(self._state), self._terminated)

    def _make_painter(self, mode: str) -> Painter:
        return SnakePainter(self.world, mode, self.render_size, self.metadata["render_fps"])

    def _at(self, state: State, options: Mapping[str, Any]) -> State:
        return placed(self.world, state, options)


class CartPoleEnv(WorldEnv[CartPole]):
    """`whygrad/CartPole-v1`, drawn by Gymnasium."""

    KIND = CartPole
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 50}  # type: ignore[misc]

    def _make_painter(self, mode: str) -> Painter:
        return ClassicPainter("CartPole-v1", mode, lambda state: state["numbers"][0])

    def _at(self, state: State, options: Mapping[str, Any]) -> State:
        numbers = _numbers(self.KIND.ID, options, "position, velocity, angle, angular velocity")
        return _tensors({**state, "numbers": numbers[None]})


class PendulumEnv(WorldEnv[Pendulum]):
    """`whygrad/Pendulum-v1`, drawn by Gymnasium. Actions are torques from -2 to 2."""

    KIND = Pendulum
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # type: ignore[misc]

    def _make_painter(self, mode: str) -> Painter:
        return ClassicPainter("Pendulum-v1", mode, lambda state: (state["angle"][0], state["speed"][0]))

    def _at(self, state: State, options: Mapping[str, Any]) -> State:
        angle, speed = _numbers(self.KIND.ID, options, "angle, angular velocity")
        return _tensors({**state, "angle": angle[None], "speed": speed[None]})


def _one(info: Mapping[str, Any]) -> dict[str, Any]:
    return {name: info[name][0].item() for name in sorted(info)}  # in the same order on every backend


def _tensors(state: State) -> State:
    return {name: ops.convert_to_tensor(value) for name, value in state.items()}


def _numbers(env: str, options: Mapping[str, Any], names: str) -> np.ndarray:
    count = names.count(",") + 1
    try:
        numbers = np.asarray(options.get("state"), np.float32)
    except (TypeError, ValueError):
        numbers = np.empty(0, np.float32)
    if set(options) != {"state"} or numbers.shape != (count,) or not np.isfinite(numbers).all():
        raise ValueError(
            f"{env} begins with the option state, a list of {count} numbers ({names}), got {dict(options)!r}"
        )
    return numbers
