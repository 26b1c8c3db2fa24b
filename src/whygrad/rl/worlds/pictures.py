"""What Gymnasium's environments show: each painter draws one game, in the render mode it was made for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import gymnasium
import numpy as np

from whygrad.rl.worlds.snake import Snake
from whygrad.rl.worlds.snake_board import Board, board_of
from whygrad.rl.worlds.snake_motion import scene
from whygrad.rl.worlds.snake_picture import check_size, draw
from whygrad.rl.worlds.snake_text import text
from whygrad.rl.worlds.window import Window

SMOOTH = 30
"""Pictures per second at which motion looks smooth."""


class Painter(Protocol):
    """Sees a game, and draws what it saw last."""

    def see(self, state: Mapping[str, Any], action: Any, terminated: bool) -> None:
        """The state as arrays, after an action; with None for it, a game begins."""

    def picture(self) -> Any:
        """The moment as it is. In a window (`human`) it is shown, with what led to it, and None comes back."""

    def close(self) -> None:
        """Close the window."""


class SnakePainter:
    """Draws Snake: as text (`ansi`), as a picture (`rgb_array`), or as motion in a window (`human`)."""

    def __init__(self, world: Snake, mode: str, size: int, pace: float) -> None:
        check_size(world.height, world.width, size)
        self._world, self._mode, self._size, self._pace = world, mode, size, pace
        self._boards: tuple[Board | None, Board] | None = None
        self._shown: Board | None = None
        self._window = Window("Snake")

    def see(self, state: Mapping[str, Any], action: Any, terminated: bool) -> None:
        """The next board."""
        before = None if action is None or self._boards is None else self._boards[1]
        self._boards = before, board_of(self._world, state, terminated)

    def picture(self) -> Any:
        """The board; in a window the board before glides into this one."""
        if self._boards is None:
            raise gymnasium.error.ResetNeeded("the game has not begun: call reset() before render()")
        before, after = self._boards
        if self._mode == "ansi":
            return text(after)
        if self._mode == "rgb_array":
            return self._draw(1.0)
        if self._shown is not after:  # rendering again what was shown would take its time again
            count = 1 if before is None else max(1, round(SMOOTH / self._pace))
            for n in range(count):
                self._window.show(self._draw((n + 1) / count), count * self._pace)
            self._shown = after
        return None

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def _draw(self, share: float) -> np.ndarray:
        before, after = self._boards  # type: ignore[misc]
        return draw(scene(before, after, share), after.height, after.width, self._size)


class ClassicPainter:
    """Has Gymnasium's own environment draw itself with our numbers as its state."""

    def __init__(self, env: str, mode: str, numbers: Callable[[Mapping[str, Any]], Any]) -> None:
        self._env: Any = gymnasium.make(env, render_mode=mode, disable_env_checker=True).unwrapped
        self._numbers = numbers

    def see(self, state: Mapping[str, Any], action: Any, terminated: bool) -> None:
        """Pendulum also draws its torque."""
        self._env.state = np.asarray(self._numbers(state), np.float64)
        self._env.last_u = None if action is None else float(np.ravel(action)[0])

    def picture(self) -> Any:
        """What Gymnasium draws."""
        return self._env.render()

    def close(self) -> None:
        """Close the window."""
        self._env.close()
