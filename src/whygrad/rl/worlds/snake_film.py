"""Games of Snake as the frames of a film, in which the snake glides from cell to cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from whygrad.rl.worlds.snake_board import Board
from whygrad.rl.worlds.snake_motion import scene
from whygrad.rl.worlds.snake_picture import draw

SLOW, FAST = 8.0, 60.0
"""Moves per second that are good to look at, and the most that long games are hurried to."""
SECONDS = 60
"""What a film should not be much longer than."""
FPS = 30
SIZE = 360
"""Pixels of the longer side."""


class Pace(NamedTuple):
    """How fast the games go by."""

    each: int
    """Frames of a move."""
    fps: float


def pace(moves: int, speed: float | None = None, fps: float | None = None) -> Pace:
    """For a film of so many moves: at `speed` moves per second, by default so that it lasts about a minute at most."""
    if speed is None:
        speed = min(max(SLOW, moves / SECONDS), FAST)
    each = max(1, round((fps or FPS) / speed))
    return Pace(each, each * speed)


def frames(games: Sequence[Sequence[Board]], size: int, at: Pace) -> Iterator[np.ndarray]:
    """One game after the other. The first moment and the last are held for a while."""
    for boards in games:
        first, last = boards[0], boards[-1]
        yield from [_draw(None, first, 1.0, size)] * max(1, round(at.fps / 3))
        for before, after in pairwise(boards):
            for n in range(at.each):
                yield _draw(before, after, (n + 1) / at.each, size)
        still = _draw(boards[-2] if len(boards) > 1 else None, last, 1.0, size)
        yield from [still] * round(at.fps)


def colours(games: Sequence[Sequence[Board]], size: int) -> np.ndarray:
    """A picture with all colours that the film needs: the longest snake, alive and dead, and fruits."""
    longest = max((board for boards in games for board in boards), key=lambda board: len(board.snake))
    dead, short = replace(longest, dead=True), replace(longest, snake=longest.snake[:1])
    around = [(y, x) for y in range(longest.height) for x in range(longest.width) if (y, x) != longest.snake[0]]
    fruity = replace(short, fruits=tuple(around[:: max(1, len(around) // 8)]))
    return np.concatenate([_draw(None, board, 1.0, size) for board in (longest, dead, fruity)])


def _draw(before: Board | None, after: Board, share: float, size: int) -> np.ndarray:
    return draw(scene(before, after, share), after.height, after.width, size)
