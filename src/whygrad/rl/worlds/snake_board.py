"""A game of Snake as plain data, for who draws it, and games that begin where somebody wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from keras import ops

from whygrad.rl.worlds.snake import Snake
from whygrad.rl.worlds.world import State

Cell = tuple[int, int]
"""Row and column, from the upper left corner."""
HEADINGS = {"right": (0, 1), "down": (1, 0), "left": (0, -1), "up": (-1, 0)}
"""By name, in the order of their numbers: the row and the column that a step adds."""


@dataclass(frozen=True, slots=True)
class Board:
    """One moment of one game."""

    height: int
    width: int
    snake: tuple[Cell, ...]
    """From the head to the tail."""
    fruits: tuple[Cell, ...]
    heading: str
    eaten: int = 0
    dead: bool = False
    """The snake has just run into something."""


def board_of(world: Snake, state: Mapping[str, Any], terminated: bool = False) -> Board:
    """The board of the first game, from arrays."""
    body = np.asarray(state["body"][0])
    order = np.argsort(-body, kind="stable")[: int(np.count_nonzero(body))]
    fruits = np.flatnonzero(np.asarray(state["fruit"][0]))
    cells, there = (tuple(divmod(int(cell), world.width) for cell in some) for some in (order, fruits))
    heading = list(HEADINGS)[int(state["heading"][0])]
    dead = terminated and len(cells) < world.cells
    return Board(world.height, world.width, cells, there, heading, int(state["eaten"][0]), dead)


def placed(world: Snake, state: Mapping[str, Any], options: Mapping[str, Any]) -> State:
    """A game that has just begun, as arrays, with the snake and the fruits where the options say."""
    unknown = [name for name in options if name not in ("snake", "fruits", "heading")]
    if unknown:
        raise ValueError(
            f"a game of Snake begins with the options snake, fruits and heading, got {unknown[0]!r}: write "
            'reset(options={"snake": [[4, 5], [4, 4]], "fruits": [[0, 0]]})'
        )
    if "snake" not in options:
        raise ValueError(f"where a game begins with {next(iter(options))!r} given, 'snake' has to be given too")
    snake = _cells(world, options["snake"], "snake")
    _check_snake(world, snake)
    heading = _heading(snake, options.get("heading"))
    body = np.zeros((1, world.cells), np.int32)
    for behind, (y, x) in enumerate(snake):
        body[0, y * world.width + x] = len(snake) - behind
    fruit = np.zeros((1, world.cells), bool)
    head = np.array([snake[0][0] * world.width + snake[0][1]], np.int32)
    given = {**state, "body": body, "fruit": fruit, "head": head, "heading": np.array([heading], np.int32)}
    room = min(world.fruits, world.cells - len(snake))
    if options.get("fruits") is not None:
        fruits = _cells(world, options["fruits"], "fruits")
        if len(fruits) != room:
            raise ValueError(f"there are {room} fruits on this board at a time, got {len(fruits)}: {list(fruits)}")
        for y, x in fruits:
            if (y, x) in snake:
                raise ValueError(f"a fruit cannot lie on the snake, got [{y}, {x}] for both")
            fruit[0, y * world.width + x] = True
    tensors = {name: ops.convert_to_tensor(value) for name, value in given.items()}
    for _ in range(room - int(fruit.sum())):
        tensors = world.place(tensors, tensors["head"] >= 0)
    return tensors


def _cells(world: Snake, given: Any, what: str) -> tuple[Cell, ...]:
    found = []
    wanted = f"{what} is a list of cells, each [row, column] of whole numbers"
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise ValueError(f"{wanted}, got {given!r}")
    for cell in given:
        pair = np.asarray(cell)
        if pair.shape != (2,) or pair.dtype.kind not in "iu":
            raise ValueError(f"{wanted}, got {cell!r} in it")
        y, x = (int(n) for n in pair)
        if not (0 <= y < world.height and 0 <= x < world.width):
            raise ValueError(
                f"{what} has the cell [{y}, {x}], and the board has rows 0 to {world.height - 1} and columns 0 to "
                f"{world.width - 1}"
            )
        if (y, x) in found:
            raise ValueError(f"{what} has the cell [{y}, {x}] twice")
        found.append((y, x))
    return tuple(found)


def _check_snake(world: Snake, snake: tuple[Cell, ...]) -> None:
    if not snake:
        raise ValueError("snake is a list of cells from the head to the tail, got an empty one")
    if len(snake) == world.cells:
        raise ValueError(f"a snake of {len(snake)} cells fills the board: the game would be over before it began")
    for (y, x), (v, u) in pairwise(snake):
        if abs(y - v) + abs(x - u) != 1:
            raise ValueError(
                f"each cell of the snake, from the head to the tail, touches the next; [{y}, {x}] does not touch "
                f"[{v}, {u}]"
            )


def _heading(snake: tuple[Cell, ...], given: Any) -> int:
    names = list(HEADINGS)
    if given is not None and given not in names:
        raise ValueError(f"heading is one of {', '.join(names)}, got {given!r}")
    if len(snake) == 1:
        return names.index(given or "right")
    (y, x), (v, u) = snake[:2]
    looks = next(name for name, step in HEADINGS.items() if step == (y - v, x - u))
    if given not in (None, looks):
        raise ValueError(f"a snake with its head at [{y}, {x}] and its neck at [{v}, {u}] heads {looks}, got {given!r}")
    return names.index(looks)
