"""Snake, with the rules of TensorFlow.js' snake-dqn; a full board is a win.

A board is one number for each cell: for how many more steps the snake will be there. The head's is the length of the
snake, the tail's is 1, and a step is one subtraction. That is also the order of the body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from keras import ops

from whygrad.rl.agent import Spaces, setting
from whygrad.rl.worlds.draws import bits, integers
from whygrad.rl.worlds.world import Outcome, State, World

STRAIGHT, LEFT, RIGHT = 0, 1, 2
"""Actions, as the snake sees them. Headings are 0 right, 1 down, 2 left, 3 up: a turn to the right adds one."""
VIEWS = {"tfjs": 2, "full": 7}
"""Planes of an observation."""
_NEVER = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Snake(World):
    """Eat, grow, and do not run into a wall or yourself (the cell that the tail is about to leave counts as itself)."""

    ID = "whygrad/Snake-v0"

    height: int = setting(9, "rows of the board")
    width: int = setting(9, "columns of the board")
    length: int = setting(2, "cells of the snake at the start")
    fruits: int = setting(1, "fruits on the board at a time")
    limit: int | None = setting(None, "steps after which a game is cut off")
    starve: int | None = setting(None, "steps without a fruit after which a game is cut off")
    fruit_reward: float = setting(10.0, "for eating a fruit")
    step_reward: float = setting(-0.2, "for any other step")
    death_reward: float = setting(-10.0, "for running into something")
    win_reward: float = setting(0.0, "for filling the board, on top of the last fruit's")
    view: str = setting("tfjs", "tfjs: snake (head 2) and fruits; full: also the body's order and the heading")

    def __post_init__(self) -> None:
        for name, least in (("height", 1), ("width", 1), ("length", 1), ("fruits", 1), ("limit", 1), ("starve", 1)):
            value = getattr(self, name)
            if value is None and name in ("limit", "starve"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} is a whole number, {least} or more, got {value!r}")
        if self.length > self.width:
            raise ValueError(
                f"the snake starts in one row, so its length is at most the width: got length={self.length}, "
                f"width={self.width}"
            )
        if self.cells > 10_000:
            raise ValueError(f"a board has at most 10,000 cells, got {self.height} x {self.width}")
        if self.length + self.fruits > self.cells:
            raise ValueError(
                f"a board of {self.height} x {self.width} has no room for a snake of {self.length} and {self.fruits} "
                "fruits"
            )
        if self.view not in VIEWS:
            raise ValueError(f"view is one of {', '.join(VIEWS)}, got {self.view!r}")

    @property
    def cut_off(self) -> bool:
        """Whether games may be cut off."""
        return self.limit is not None or self.starve is not None

    def to_judge(self) -> Snake:
        """A policy without chance may go round in circles for ever: cut off when it finds no fruit for long."""
        return self if self.cut_off else replace(self, starve=4 * self.cells)

    @property
    def cells(self) -> int:
        """Of the board."""
        return self.height * self.width

    @property
    def spaces(self) -> Spaces:
        """Planes of the board; three actions."""
        return Spaces((self.height, self.width, VIEWS[self.view]), choices=3)

    def begin(self, key: Any, drawn: Any) -> State:
        """A straight snake that looks to the right, anywhere; then the fruits."""
        draws = bits(key[:, None], drawn[:, None] + ops.arange(3, dtype="int32"))
        row = integers(draws[:, 0], self.height, self.height)
        tail = integers(draws[:, 1], self.width - self.length + 1, self.width) + row * self.width
        head = tail + (self.length - 1)
        # Of the cells that are free the first ones lie before the snake, and the others behind it.
        rank = integers(draws[:, 2], self.cells - self.length, self.cells)
        first = rank + ops.cast(rank >= tail, "int32") * self.length
        place = self._cells() - tail[:, None] + 1
        zero = ops.zeros_like(head)
        state = {
            "key": key,
            "drawn": drawn + 3,
            "body": ops.where((place > 0) & (place <= self.length), place, 0),
            "fruit": self._cells() == first[:, None],
            "head": head,
            "heading": zero,
            "eaten": zero,
            "steps": zero,
            "hungry": zero,
        }
        for _ in range(self.fruits - 1):
            state = self.place(state, zero == 0)
        return state

    def place(self, state: State, where: Any) -> State:
        """One more fruit on those boards, on any cell that is free; none where no cell is."""
        free = ops.logical_not((state["body"] > 0) | state["fruit"])
        # First the row, then the cell in it: counting along all cells at once is slow to compile and to run.
        rows = ops.reshape(ops.cast(free, "int32"), (-1, self.height, self.width))
        in_rows = ops.sum(rows, axis=2)
        rank = integers(bits(state["key"], state["drawn"]), ops.sum(in_rows, axis=1), self.cells)
        row, rank = pick(in_rows, rank)
        row = ops.minimum(row, self.height - 1)  # of a full board
        column, _ = pick(ops.take_along_axis(rows, row[:, None, None], axis=1)[:, 0], rank)
        chosen = free & (self._cells() == (row * self.width + column)[:, None]) & where[:, None]
        return {**state, "fruit": state["fruit"] | chosen, "drawn": state["drawn"] + ops.cast(where, "int32")}

    def step(self, state: State, action: Any) -> tuple[State, Outcome]:
        """Turn, look at the cell ahead, then die, eat or move."""
        body, fruit = state["body"], state["fruit"]
        action = ops.cast(action, "int32")
        turn = ops.cast(action == RIGHT, "int32") - ops.cast(action == LEFT, "int32")
        heading = (state["heading"] + turn) & 3
        down = ops.cast(heading == 1, "int32") - ops.cast(heading == 3, "int32")
        right = ops.cast(heading == 0, "int32") - ops.cast(heading == 2, "int32")
        row, column = state["head"] // self.width + down, state["head"] % self.width + right
        outside = (row < 0) | (row >= self.height) | (column < 0) | (column >= self.width)
        head = ops.where(outside, state["head"], row * self.width + column)
        died = at(body, head) > 0  # outside means that it stays where its head is
        alive = ops.logical_not(died)
        ate = alive & at(fruit, head)
        moved = alive & ops.logical_not(ate)
        length = at(body, state["head"]) + ops.cast(ate, "int32")
        ahead = (self._cells() == head[:, None]) & alive[:, None]
        body = ops.where(ahead, length[:, None], ops.maximum(body - ops.cast(moved, "int32")[:, None], 0))
        after = {
            "key": state["key"],
            "drawn": state["drawn"],
            "body": body,
            "fruit": fruit & ops.logical_not(ahead),
            "head": ops.where(alive, head, state["head"]),
            "heading": heading,
            "eaten": state["eaten"] + ops.cast(ate, "int32"),
            "steps": state["steps"] + 1,
            "hungry": ops.where(ate, 0, state["hungry"] + 1),
        }
        won = length == self.cells
        reward = ops.where(died, self.death_reward, ops.where(ate, self.fruit_reward, self.step_reward))
        reward = ops.cast(reward, "float32") + ops.cast(won & ate, "float32") * self.win_reward
        terminated = died | won
        late = (after["steps"] >= (self.limit or _NEVER)) | (after["hungry"] >= (self.starve or _NEVER))
        return self.place(after, ate), Outcome(reward, terminated, late & ops.logical_not(terminated))

    def observe(self, state: State) -> Any:
        """Planes [games, height, width, …]."""
        body, head = state["body"], self._cells() == state["head"][:, None]
        snake = ops.cast(body > 0, "float32") + ops.cast(head, "float32")
        planes = [snake, ops.cast(state["fruit"], "float32")]
        if self.view == "full":
            planes.append(ops.cast(body, "float32") * (1.0 / self.cells))
            planes += [ops.cast(head & (state["heading"] == way)[:, None], "float32") for way in range(4)]
        return ops.reshape(ops.stack(planes, axis=-1), (-1, self.height, self.width, len(planes)))

    def facts(self, state: State) -> dict[str, Any]:
        """Fruits eaten, and whether the board was filled."""
        full = ops.all(state["body"] > 0, axis=1)
        return {"eaten": ops.cast(state["eaten"], "float32"), "won": ops.cast(full, "float32")}

    def info(self, state: State) -> dict[str, Any]:
        """Fruits eaten, whether the board is full, and how long the snake is."""
        body = state["body"]
        return {"eaten": state["eaten"], "won": ops.all(body > 0, axis=1), "length": ops.max(body, axis=1)}

    @property
    def bounds(self) -> tuple[Any, Any]:
        """Only the head is more than 1."""
        return 0.0, (2.0,) + (1.0,) * (VIEWS[self.view] - 1)

    def _cells(self) -> Any:
        return ops.arange(self.cells, dtype="int32")[None]


def at(board: Any, cell: Any) -> Any:
    """What lies in one cell of each board."""
    return ops.take_along_axis(board, cell[:, None], axis=1)[:, 0]


def pick(counts: Any, rank: Any) -> tuple[Any, Any]:
    """In which of some piles [boards, piles] a thing of this rank lies, and its rank there."""
    before = ops.cumsum(counts, axis=1)
    passed = ops.cast(before <= rank[:, None], "int32")
    return ops.sum(passed, axis=1), rank - ops.sum(counts * passed, axis=1)
