"""Where the snake is between two steps: a smooth line through its cells, on which it glides."""

from __future__ import annotations

import math
from typing import NamedTuple

from whygrad.rl.worlds.snake_board import HEADINGS, Board, Cell

BUMP = 0.3
"""How far, in cells, a snake runs into what kills it."""
SAMPLES = 6
"""Points of the line in each cell."""


class Point(NamedTuple):
    """A place on the board in cells, (0, 0) being the middle of the upper left one."""

    y: float
    x: float


class Scene(NamedTuple):
    """What is to be drawn at one moment."""

    spine: list[Point]
    """From the tail to the head."""
    looks: Point
    """The way the head points, of length one."""
    fruits: list[tuple[Cell, float]]
    """Each with how much of it there is, from 0 to 1."""
    dead: bool


class _Way(NamedTuple):
    """Cells from the tail to the head, and from where to where the snake lies on the line through them."""

    cells: list[Cell]
    first: float
    last: float
    roundness: dict[int, float]
    """How much the line cuts the corners of some cells, from 0 to 1; of the others' it does wholly."""


def scene(before: Board | None, after: Board, share: float = 1.0) -> Scene:
    """The moment when so much of the step from one board to the next is done."""
    way = _way(before, after, share)
    count = max(1, math.ceil((way.last - way.first) * SAMPLES))
    spine = [_at(way, way.first + (way.last - way.first) * i / count) for i in range(count + 1)]
    return Scene(spine, _looks(way, after), _fruits(before, after, share), after.dead and share >= 0.5)


def _way(before: Board | None, after: Board, share: float) -> _Way:
    """Where a step ends in the middle of a cell the next begins there, whichever way it goes: a corner is cut little by
    little as the head leaves it, and less and less as the tail comes to it."""
    cells = list(after.snake[::-1])
    end = len(cells) - 1
    if before is not None and after.dead:  # it did not move: a bump, and back
        y, x = cells[-1]
        down, right = HEADINGS[after.heading]
        return _Way([*cells, (y + down, x + right)], 0.0, end + BUMP * math.sin(math.pi * share), {end: 0.0})
    if before is not None and after.snake[1:] == before.snake:  # it ate: the tail stays
        return _Way(cells, 0.0, end - 1 + share, {end - 1: share})
    if before is not None and after.snake[1:] == before.snake[:-1]:
        rest = {1: 1.0 - share} if end > 1 else {1: min(share, 1.0 - share)}
        return _Way([before.snake[-1], *cells], share, end + share, {end: share, **rest})
    return _Way(cells, 0.0, float(end), {})  # a game begins


def _at(way: _Way, u: float) -> Point:
    """The line at `u` cells from its beginning: straight through a cell, or round its corner."""
    cells = way.cells
    i = min(max(math.floor(u + 0.5), 0), len(cells) - 1)
    here = Point(*cells[i])
    t = min(max(u - i + 0.5, 0.0), 1.0)
    before = _middle(cells[i - 1], cells[i]) if i > 0 else here
    behind = _middle(cells[i], cells[i + 1]) if i + 1 < len(cells) else here
    # Straight to the middle and on, or on the curve that the three points pull at.
    sharp = (1 - 2 * t, 2 * t, 0.0) if t < 0.5 else (0.0, 2 - 2 * t, 2 * t - 1)
    curve = ((1 - t) ** 2, 2 * t * (1 - t), t * t)
    much = way.roundness.get(i, 1.0) if 0 < i < len(cells) - 1 else 0.0
    a, b, c = (s + (r - s) * much for s, r in zip(sharp, curve, strict=True))
    return Point(a * before.y + b * here.y + c * behind.y, a * before.x + b * here.x + c * behind.x)


def _middle(one: Cell, other: Cell) -> Point:
    return Point((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)


def _looks(way: _Way, after: Board) -> Point:
    if after.dead:  # it looked where it ran
        return Point(*map(float, HEADINGS[after.heading]))
    here, back = _at(way, way.last), _at(way, max(0.0, way.last - 0.25))
    y, x = here.y - back.y, here.x - back.x
    far = math.hypot(y, x)
    return Point(y / far, x / far) if far > 1e-9 else Point(*map(float, HEADINGS[after.heading]))


def _fruits(before: Board | None, after: Board, share: float) -> list[tuple[Cell, float]]:
    if before is None:
        return [(cell, 1.0) for cell in after.fruits]
    stay = [(cell, 1.0) for cell in after.fruits if cell in before.fruits]
    new = [(cell, share) for cell in after.fruits if cell not in before.fruits]
    # A fruit is there until the mouth has reached it.
    eaten = [(cell, 1.0) for cell in before.fruits if cell not in after.fruits and share < 0.5]
    return stay + new + eaten
