"""whygrad play --terminal: games as text, as they are played."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from whygrad.cli.live import Live
from whygrad.report.terminal import options_for

if TYPE_CHECKING:
    from whygrad.rl.worlds.snake_board import Board

HELD = 1.0
"""Seconds that the end of an episode is looked at."""


def show(moments: Iterable[tuple[int, Any]], speed: float) -> str | None:
    """Show each moment for its share of a second; a sentence where there is no room for them."""
    seconds = 1.0 / speed
    last: str | None = None
    with Live() as live:
        for step, picture in moments:
            if last is not None:  # now it is known whether it was an episode's last
                live.show(last, HELD if step == 0 else seconds)
            text = picture if isinstance(picture, str) else _snake(picture, live)
            if text is None:
                return (
                    f"the terminal has no room for a board of {picture.height} x {picture.width}. Make it larger, or "
                    "write a film: leave out --terminal."
                )
            last = f"{text}\n{_below(step, picture)[: live.columns]}"
        if last is not None:
            live.show(last, 0.0)
    return None


def _snake(board: Board, live: Live) -> str | None:
    from whygrad.rl.worlds.snake_text import ASCII, UNICODE, columns, text

    narrow = not live.fits(columns(board), board.height + 3)
    if narrow and not live.fits(columns(board, narrow=True), board.height + 3):
        return None
    can = options_for(sys.stdout)
    glyphs = UNICODE if _encodes("".join(UNICODE), can.encoding or "utf-8") else ASCII
    return text(board, colour=can.colour, glyphs=glyphs, narrow=narrow)


def _below(step: int, picture: Any) -> str:
    return f"step {step:,}" if isinstance(picture, str) else f"step {step:,}  eaten {picture.eaten}"


def _encodes(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
