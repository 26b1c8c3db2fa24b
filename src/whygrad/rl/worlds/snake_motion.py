"""Where the snake is between two steps: a smooth line through its cells, on which it glides."""

from __future__ import annotations

import math
from typing import NamedTuple

from whygrad.rl.worlds.snake_board import HEADINGS, Board, Cell

BUMP = 0.3
"""How far, in cells, a snake runs into what kills it."""
SAMPLES = 5
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


def scene(before: Board | None, after: Board, share: float = 1.0) -> Scene:
    """The moment when so much of the step from one board to the next is done."""
    cells, first, last = _way(before, after, share)
    count = max(1, math.ceil((last - first) * SAMPLES))
    spine = [_at(cells, first + (last - first) * i / count) for i in range(count + 1)]
    return Scene(spine, _looks(cells, last, after), _fruits(before, after, share), after.dead and share >= 0.5)


def _way(before: Board | None, after: Board, share: float) -> tuple[list[Cell], float, float]:
    """Cells from the tail to the head, and from where to where the snake lies on the line through them."""
    cells = list(after.snake[::-1])
    end = len(cells) - 1
    if before is None:
        return cells, 0.0, float(end)
    if after.dead:  # it did not move: a bump, and back
        y, x = cells[-1]
        down, right = HEADINGS[after.heading]
        return [*cells, (y + down, x + right)], 0.0, end + BUMP * math.sin(math.pi * share)
    if after.snake[1:] == before.snake:  # it ate: the tail stays
        return cells, 0.0, end - 1 + share
    if after.snake[1:] == before.snake[:-1]:
        return [before.snake[-1], *cells], share, end + share
    return cells, 0.0, float(end)  # two boards of different games


def _at(cells: list[Cell], u: float) -> Point:
    """The line at `u` cells from its beginning: straight through a cell, or round its corner."""
    i = min(max(math.floor(u + 0.5), 0), len(cells) - 1)
    here = cells[i]
    t = u - i + 0.5
    before = _middle(cells[i - 1], here) if i > 0 else Point(*here)
    behind = _middle(here, cells[i + 1]) if i + 1 < len(cells) else Point(*here)
    if i == 0 or i + 1 == len(cells):  # half a cell of line, from or to its middle
        t = (t - 0.5) * 2 if i == 0 else t * 2
        t = min(max(t, 0.0), 1.0)
        return Point(before.y + (behind.y - before.y) * t, before.x + (behind.x - before.x) * t)
    a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
    return Point(a * before.y + b * here[0] + c * behind.y, a * before.x + b * here[1] + c * behind.x)


def _middle(one: Cell, other: Cell) -> Point:
    return Point((one[0] + other[0]) / 2, (one[1] + other[1]) / 2)


def _looks(cells: list[Cell], last: float, after: Board) -> Point:
    if after.dead:  # it looked where it ran
        return Point(*map(float, HEADINGS[after.heading]))
    here, back = _at(cells, last), _at(cells, max(0.0, last - 0.1))
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
