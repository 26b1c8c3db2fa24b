"""Norms of whole gradients over time, before and after clipping: one strip for each optimizer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live.columns import span
from whygrad.live.looks import INDEX
from whygrad.live.plots_style import ACCENT, BROKEN, QUIET, SECOND, logarithmic, over_updates, plain
from whygrad.live.run_comparison import total
from whygrad.live.run_listing import Run

_MOST = 600


@dataclass(frozen=True, slots=True)
class Norms:
    """Of one optimizer; `broken` are the updates with numbers that are not finite."""

    name: str
    at: Any
    before: Any
    after: Any
    broken: Any
    ends: tuple[float, float]
    """From which update to which the whole run was looked at."""


def norms(run: Run) -> list[Norms]:
    """Of all optimizers that were looked at."""
    found = []
    groups = run.reading.groups() if run.watched else []
    over = span([run.looks.looks(group.id) for group in groups], None, None)
    if over is None:
        return []
    for group in groups:
        looks = run.looks.looks(group.id)
        before, after = total(looks, "norm"), total(looks, "applied")
        if not (np.isfinite(before) & (before > 0)).any():
            continue
        at = np.array([(look.first + look.last) / 2 for look in looks])
        bad = np.array([bool(np.nansum(look.rows[:, [INDEX["nans"], INDEX["infs"]]]) > 0) for look in looks])
        found.append(Norms(group.name, *_thinned(at, before, after), at[bad], (over.first - 0.5, over.last + 0.5)))
    return found


HEIGHT = 1.5
"""Inches."""


def draw_norms(axes: Any, one: Norms, alone: bool) -> None:
    """Into these axes."""
    axes.grid(axis="y")
    seen = np.where(one.before > 0, one.before, np.nan)
    given = np.where(one.after > 0, one.after, np.nan)
    clipped = bool((one.after < 0.999 * one.before).any())
    if clipped:
        axes.fill_between(one.at, given, seen, color=SECOND, alpha=0.18, linewidth=0)
        axes.plot(one.at, seen, color=SECOND, linewidth=0.9)
    axes.plot(one.at, given if clipped else seen, color=ACCENT, linewidth=1.2)
    axes.margins(y=0.12)
    axes.set_xlim(*one.ends)
    logarithmic(axes)
    for update in one.broken:
        axes.plot([update], [0.06], marker="D", markersize=4, color=BROKEN, transform=axes.get_xaxis_transform())
    axes.set_title("Norm of the whole gradient" + ("" if alone else f", {plain(one.name)}"))
    words = [("before clipping", SECOND), ("after", ACCENT)] if clipped else [("nothing is clipped", QUIET)]
    _said(axes, words + ([("NaN or Inf", BROKEN)] if len(one.broken) else []))
    over_updates(axes)


def _said(axes: Any, words: list[tuple[str, str]]) -> None:
    """What the lines are, in their colours, at the upper right."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour, label=word, linewidth=0 if colour in (QUIET, BROKEN) else 1.6,
               marker="D" if colour == BROKEN else None, markersize=4)
        for word, colour in words
    ]  # fmt: skip
    said = axes.legend(
        handles=lines, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=len(words), borderaxespad=0.0, fontsize=7.5,
        handlelength=1.0 if len(words) > 1 else 0.0, handletextpad=0.5, columnspacing=1.2,
    )  # fmt: skip
    for text, (_, colour) in zip(said.get_texts(), words, strict=True):
        text.set_color(colour)


def _thinned(at: Any, before: Any, after: Any) -> tuple[Any, Any, Any]:
    size = -(-len(at) // _MOST)
    if size <= 1:
        return at, before, after
    at, before, after = (
        np.array([_mean(values[begin : begin + size]) for begin in range(0, len(at), size)])
        for values in (at, before, after)
    )
    return at, before, after


def _mean(values: Any) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else float("nan")
