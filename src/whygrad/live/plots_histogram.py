"""How the numbers of one variable's gradient are spread, over time: a ridge for each stretch of updates.

The axis has powers of two on either side of zero, as the histograms have (`buckets`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live import buckets
from whygrad.live.plots_style import DEAD, PAPER, counted, plain, ramp
from whygrad.live.run_listing import Run
from whygrad.live.spread_rows import SpreadMemory, VariableSpread

_RIDGES = 26
_BIAS = 127
_GAP = 1.8
"""How wide the place of zero is; a power of two has one."""
_HIGH = 2.6
"""How high the highest ridge is; they are one apart."""
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"


@dataclass(frozen=True, slots=True)
class Ridges:
    """Of each stretch of updates the share of numbers in each place, from the most negative to the most positive."""

    name: str
    updates: tuple[tuple[int, int], ...]
    shares: Any
    zeros: Any
    exponents: tuple[int, ...]


def ridges(run: Run, name: str | None) -> Ridges | str | None:
    """Of the variable of this name, or of one worth seeing; a text where no variable has it, None without any."""
    groups = run.reading.groups() if run.watched else []
    known = [(group.id, place, one) for group in groups for place, one in enumerate(group.variables)]
    if name is None:
        told = [event.variable for event in run.reading.events()] if run.watched else []
        # What something happened to, else the largest one.
        chosen = max(known, key=lambda held: (held[2].name in told, math.prod(held[2].shape)), default=None)
    else:
        chosen = next((held for held in known if held[2].name == name), None)
        if chosen is None:
            near = ", ".join(one.name for _, _, one in known[:6])
            return f"{run.name!r} has no variable {name!r}. Its variables: {near}{', …' if len(known) > 6 else ''}."
    spreads = SpreadMemory().spreads(run.folder, chosen[0], chosen[1]) if chosen is not None else []
    spreads = [one for one in spreads if one.counts.sum() > 0]
    return _ridges(chosen[2].name, spreads) if chosen is not None and spreads else None


def _ridges(name: str, spreads: Sequence[VariableSpread]) -> Ridges:
    size = -(-len(spreads) // _RIDGES)
    parts = [spreads[at : at + size] for at in range(0, len(spreads), size)]
    counts = np.array([np.sum([one.counts for one in part], axis=0) for part in parts])
    above = counts[:, buckets.SMALLEST + 1 : buckets.NOT_FINITE]
    below = counts[:, buckets.NEGATIVE + 1 : buckets.NEGATIVE + buckets.NOT_FINITE]
    whole = np.maximum(counts.sum(axis=1), 1.0)
    share = (above + below) / whole[:, None]
    # A handful of tiny numbers would push the rest together: what is rarer than this everywhere is not shown.
    used = np.flatnonzero(share.max(axis=0) > 2e-3)
    first, last = (int(used[0]), int(used[-1])) if used.size else (_BIAS - 8, _BIAS)
    first, last = max(0, min(first, last - 7)), last
    shares = np.hstack([below[:, first : last + 1][:, ::-1], above[:, first : last + 1]]) / whole[:, None]
    zeros = (counts[:, buckets.SMALLEST] + counts[:, buckets.NEGATIVE]) / whole
    updates = tuple((part[0].first, part[-1].last) for part in parts)
    return Ridges(name, updates, shares, zeros, tuple(range(first + 1 - _BIAS, last + 2 - _BIAS)))


def height(found: Ridges) -> float:
    """Inches."""
    return 1.15 + 0.13 * len(found.updates)


def draw_ridges(axes: Any, found: Ridges) -> None:
    """Into these axes."""
    count, side = len(found.updates), len(found.exponents)
    edges = _GAP / 2 + np.arange(side + 1)
    top = float(found.shares.max()) or 1.0
    colours = ramp(int(count / 0.75) + 1)  # the palest could not be seen on paper
    for at in range(count):
        heights = _HIGH * found.shares[at] / top
        ridge = {"baseline": at, "zorder": 2 + at}
        for some, places in ((heights[side:], edges), (heights[:side], -edges[::-1])):
            axes.stairs(at - some, places, fill=True, facecolor=colours[at], linewidth=0, alpha=0.94, **ridge)
            axes.stairs(np.where(some > 0, at - some, np.nan), places, color=PAPER, linewidth=0.7, **ridge)
        # Zeros have a scale of their own, on which all numbers are one line high.
        axes.bar(0, -0.9 * float(found.zeros[at]), width=0.62 * _GAP, bottom=at, color=DEAD, linewidth=0, zorder=2 + at)
    axes.set_ylim(count - 0.4, -_HIGH - 0.3)
    axes.set_xlim(-edges[-1] - 0.3, edges[-1] + 0.3)
    _powers(axes, found)
    every = max(1, -(-count // 9))
    axes.set_yticks(range(0, count, every), [counted(first) for first, _ in found.updates][::every])
    axes.set_ylabel("update", loc="top", labelpad=4)
    axes.set_title(f"Numbers in the gradient of {plain(found.name, 50)}")
    axes.spines["left"].set_visible(False)


def _powers(axes: Any, found: Ridges) -> None:
    side = len(found.exponents)
    every = max(1, -(-side // 6))
    places, words = [], []
    for at in range(side - 1, 1, -every):  # those beside the 0 would run into it
        for sign in (-1, 1):
            places.append(sign * (_GAP / 2 + at))
            words.append(f"{'−' if sign < 0 else ''}2{_raised(found.exponents[at])}")
    axes.set_xticks([*places, 0.0], [*words, "0"])
    axes.grid(axis="x")


def _raised(number: int) -> str:
    return ("⁻" if number < 0 else "") + "".join(_RAISED[int(digit)] for digit in str(abs(number)))
