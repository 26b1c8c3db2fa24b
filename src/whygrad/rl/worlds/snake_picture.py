"""Pictures of a game of Snake: drawn with Pillow several times too large and made smaller, so that edges are smooth."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from whygrad.rl.worlds.snake_motion import SAMPLES, Point, Scene

FRAME, FIELD, OTHER_FIELD = (22, 27, 36), (32, 39, 51), (36, 44, 57)
HEAD, TAIL, DEAD = (132, 222, 156), (38, 105, 138), (141, 148, 160)
WHITE, PUPIL = (248, 250, 252), (20, 26, 34)
APPLE, SHINE, LEAF, STEM = (232, 86, 78), (250, 146, 130), (126, 190, 92), (134, 98, 72)
MARGIN = 0.3
"""Cells around the board."""
FADES = 12
"""Cells over which the colour goes from the head's to the tail's, at least."""
FINER = 3
"""How many times larger it is drawn."""
LEAST = 8
"""Pixels that a cell needs."""


def picture_size(height: int, width: int, size: int) -> tuple[int, int]:
    """Rows and columns of a picture whose longer side is about `size`."""
    cell = _cell(height, width, size)
    return round((height + 2 * MARGIN) * cell), round((width + 2 * MARGIN) * cell)


def check_size(height: int, width: int, size: Any) -> None:
    """A `ValueError` for pictures in which nothing could be seen."""
    least = math.ceil((max(height, width) + 2 * MARGIN) * LEAST)
    if not isinstance(size, int) or isinstance(size, bool) or not least <= size <= 4096:
        raise ValueError(f"the picture of a board of {height} x {width} is {least} to 4096 pixels wide, got {size!r}")


def draw(scene: Scene, height: int, width: int, size: int) -> np.ndarray:
    """The scene as uint8 [rows, columns, 3]."""
    from PIL import ImageDraw

    image = _ground(height, width, size).copy()
    pen = ImageDraw.Draw(image)
    cell = _cell(height, width, size) * FINER

    def middle(y: float, x: float) -> tuple[float, float]:
        return (x + 0.5 + MARGIN) * cell, (y + 0.5 + MARGIN) * cell

    def spot(y: float, x: float, radius: float, colour: tuple[int, int, int]) -> None:
        (cx, cy), r = middle(y, x), radius * cell
        pen.ellipse((cx - r, cy - r, cx + r, cy + r), fill=colour)

    for (y, x), much in scene.fruits:
        _fruit(pen, spot, middle, cell, y, x, much)
    last = len(scene.spine) - 1
    fades = max(last, FADES * SAMPLES)
    for i, at in enumerate(scene.spine):
        thick = 0.30 + 0.08 * min(1.0, i / (2 * SAMPLES))
        colour = _between(TAIL, DEAD if scene.dead else HEAD, 1 - (last - i) / fades)
        if i:
            pen.line([middle(*scene.spine[i - 1]), middle(*at)], colour, round(2 * thick * cell) + 1)
        spot(at.y, at.x, thick, colour)
    _face(pen, spot, middle, cell, scene)
    return np.asarray(image.reduce(FINER))


def _face(pen: Any, spot: Any, middle: Any, cell: float, scene: Scene) -> None:
    head, looks = scene.spine[-1], scene.looks
    spot(head.y, head.x, 0.43, DEAD if scene.dead else HEAD)
    for side in (-1.0, 1.0):
        y, x = _beside(head, looks, 0.12, 0.2 * side)
        if scene.dead:
            _cross(pen, middle(y, x), 0.09 * cell, round(0.055 * cell))
            continue
        spot(y, x, 0.135, WHITE)
        y, x = _beside(head, looks, 0.17, 0.2 * side)
        spot(y, x, 0.07, PUPIL)


def _fruit(pen: Any, spot: Any, middle: Any, cell: float, y: int, x: int, much: float) -> None:
    if much <= 0.05:
        return
    spot(y + 0.05 * much, x - 0.1 * much, 0.26 * much, APPLE)
    spot(y + 0.05 * much, x + 0.1 * much, 0.26 * much, APPLE)
    spot(y - 0.02 * much, x - 0.16 * much, 0.07 * much, SHINE)
    pen.line([middle(y - 0.16 * much, x), middle(y - 0.36 * much, x + 0.04 * much)], STEM, max(1, round(cell * 0.05)))
    arc = [(0.09 * math.sin(math.pi * i / 8), 0.26 * i / 8) for i in range(9)]  # a leaf is two arcs, turned by 30°
    leaf = arc + [(-high, along) for high, along in reversed(arc)]
    turned = [(0.27 + 0.5 * along - 0.85 * high, 0.03 + 0.85 * along + 0.5 * high) for high, along in leaf]
    pen.polygon([middle(y - up * much, x + right * much) for up, right in turned], fill=LEAF)


def _cross(pen: Any, at: tuple[float, float], arm: float, wide: int) -> None:
    cx, cy = at
    pen.line((cx - arm, cy - arm, cx + arm, cy + arm), PUPIL, max(1, wide))
    pen.line((cx - arm, cy + arm, cx + arm, cy - arm), PUPIL, max(1, wide))


def _beside(at: Point, looks: Point, ahead: float, right: float) -> tuple[float, float]:
    return at.y + ahead * looks.y + right * looks.x, at.x + ahead * looks.x - right * looks.y


def _between(one: tuple[int, ...], other: tuple[int, ...], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _cell(height: int, width: int, size: int) -> float:
    return size / (max(height, width) + 2 * MARGIN)


@lru_cache(maxsize=4)
def _ground(height: int, width: int, size: int) -> Any:
    """The empty board, large."""
    from PIL import Image, ImageDraw

    cell = _cell(height, width, size) * FINER
    rows, columns = picture_size(height, width, size)
    image = Image.new("RGB", (columns * FINER, rows * FINER), FRAME)
    pen = ImageDraw.Draw(image)
    edge = MARGIN * cell
    for y in range(height):
        for x in range(width):
            colour = FIELD if (y + x) % 2 else OTHER_FIELD
            box = [round(edge + n * cell) for n in (x, y, x + 1, y + 1)]
            pen.rectangle((box[0], box[1], box[2] - 1, box[3] - 1), fill=colour)
    return image
