"""A game of Snake as text: a frame around the board, the body as a line, the head as an arrow."""

from __future__ import annotations

from typing import NamedTuple

from whygrad.rl.worlds.snake_board import HEADINGS, Board, Cell


class Glyphs(NamedTuple):
    """Characters to draw with."""

    heads: str
    """Right, down, left, up."""
    dead: str
    fruit: str
    empty: str
    body: str
    """By the sides to which it goes on: 1 right, 2 down, 4 left, 8 up, added."""
    join: str
    """Between two cells of the body that are side by side."""
    frame: str
    """Corners from the upper left clockwise, then across and down."""


UNICODE = Glyphs("▶▼◀▲", "✖", "●", "·", "•╺╻┏╸━┓┳╹┗┃┣┛┻┫╋", "━", "┌┐┘└─│")
ASCII = Glyphs(">v<^", "x", "*", ".", "o" * 16, "o", "++++-|")
_COLOURS = {"head": "1;92", "dead": "1;91", "fruit": "1;91", "body": "32", "empty": "2", "frame": "2"}


def columns(board: Board, narrow: bool = False) -> int:
    """How wide the text is."""
    return board.width + 2 if narrow else 2 * board.width + 3


def text(board: Board, *, colour: bool = False, glyphs: Glyphs = UNICODE, narrow: bool = False) -> str:
    """Lines without a newline at the end. `narrow` takes one column for a cell, where two look like squares."""

    def paint(kind: str, what: str) -> str:
        return f"\x1b[{_COLOURS[kind]}m{what}\x1b[0m" if colour else what

    place = {cell: n for n, cell in enumerate(board.snake)}
    across = glyphs.frame[4] * (columns(board, narrow) - 2)
    side, gap = paint("frame", glyphs.frame[5]), "" if narrow else " "
    lines = [paint("frame", glyphs.frame[0] + across + glyphs.frame[1])]
    for y in range(board.height):
        row = side + gap
        for x in range(board.width):
            row += paint(*_cell(board, place, glyphs, (y, x)))
            if not narrow:
                joined = 1 & _sides(board, place, (y, x))
                row += paint("body", glyphs.join) if joined else " "
        lines.append(row + side)
    lines.append(paint("frame", glyphs.frame[3] + across + glyphs.frame[2]))
    return "\n".join(lines)


def _cell(board: Board, place: dict[Cell, int], glyphs: Glyphs, cell: Cell) -> tuple[str, str]:
    if cell in place:
        if place[cell]:
            return "body", glyphs.body[_sides(board, place, cell)]
        return ("dead", glyphs.dead) if board.dead else ("head", glyphs.heads[list(HEADINGS).index(board.heading)])
    return ("fruit", glyphs.fruit) if cell in board.fruits else ("empty", glyphs.empty)


def _sides(board: Board, place: dict[Cell, int], cell: Cell) -> int:
    """To which sides the snake goes on from here: not to where it merely passes by."""
    if cell not in place:
        return 0
    n = place[cell]
    near = {(cell[0] + down, cell[1] + right): 1 << k for k, (down, right) in enumerate(HEADINGS.values())}
    return sum(near[other] for other in (*board.snake[max(0, n - 1) : n], *board.snake[n + 1 : n + 2]))
