"""Tables that fit the terminal: the least important columns go first, then long words are cut."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from whygrad.report.excerpt import Page, cells
from whygrad.report.terminal import options_for

UNKNOWN = "-"
_NARROWEST, _GAP = 40, 2
_SHORTEST = 8
"""A column is cut down to this, and no further."""


@dataclass(frozen=True, slots=True)
class Column:
    """A heading with the words below it. A higher `rank` is more important; numbers stand at the right."""

    heading: str
    words: Sequence[str]
    rank: int = 0
    right: bool = False


def terminal_width() -> int:
    """How wide the terminal is; 80 where there is none."""
    return max(_NARROWEST, shutil.get_terminal_size().columns)


def table(columns: Sequence[Column], width: int) -> list[str]:
    """Lines of at most `width` cells. Columns without a word are left out."""
    page = options_for(sys.stdout).page()
    kept = [column for column in columns if any(column.words)]
    shown = [[page.one_line(word) for word in (column.heading, *column.words)] for column in kept]
    while len(kept) > 2 and _wide(shown, _shortest(shown, width)) > width:
        out = min(range(len(kept)), key=lambda at: (kept[at].rank, at))
        del kept[out], shown[out]
    sizes = _sizes(shown, width)
    lines = []
    for row in zip(*shown, strict=True):
        words = [_put(page, word, size, column.right) for word, size, column in zip(row, sizes, kept, strict=True)]
        lines.append((" " * _GAP).join(words).rstrip())
    return lines


def blocks(heads: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], width: int) -> list[list[str]]:
    """A table with one column for each head. Where they do not fit beside each other, several below each other."""
    first = min(max((len(name) for name, _ in rows), default=0), width // 2)
    needed = [
        max(_SHORTEST, *(len(word) for word in (head, *(row[1][at] for row in rows)))) for at, head in enumerate(heads)
    ]
    found, begin = [], 0
    while begin < len(heads):
        end, room = begin, width - first
        while end < len(heads) and (end == begin or needed[end] + _GAP <= room):
            room -= needed[end] + _GAP
            end += 1
        # What is known of none of these need not be said; an empty row parts the table.
        some = [(name, words[begin:end]) for name, words in rows if set(words[begin:end]) != {UNKNOWN}]
        inside = [Column(heads[begin + at], [words[at] for _, words in some], 1, True) for at in range(end - begin)]
        found.append(table([Column("", [name for name, _ in some], 2), *inside], width))
        begin = end
    return found


def _shortest(shown: Sequence[Sequence[str]], width: int) -> list[int]:
    """What the columns need at least: the first one, of names, can be cut where it takes too much of the line."""
    full = [max(map(cells, words)) for words in shown]
    return [min(full[0], 2 * width // 5), *full[1:]]


def _sizes(shown: Sequence[Sequence[str]], width: int) -> list[int]:
    sizes = [max(map(cells, words)) for words in shown]
    while _wide(shown, sizes) > width:
        longest = max(range(len(sizes)), key=lambda at: sizes[at])
        if sizes[longest] <= _SHORTEST:
            break
        sizes[longest] -= 1
    return sizes


def _wide(shown: Sequence[Sequence[str]], sizes: Sequence[int]) -> int:
    return sum(sizes) + _GAP * (len(shown) - 1)


def _put(page: Page, word: str, size: int, right: bool) -> str:
    text = word if cells(word) <= size else _cut(page, word, size, right)
    blank = " " * (size - cells(text))
    return blank + text if right else text + blank


def _cut(page: Page, word: str, size: int, right: bool) -> str:
    """Names of runs differ at their ends: these are cut in the middle."""
    tail = "" if right else word[-(size // 2 - 1) :]
    return page.shorten(word, size - cells(tail)) + tail
