"""Returns, losses and other numbers over time: one chart each, several runs over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from whygrad.live import series
from whygrad.live.plots_style import limits, logarithmic, of_run, over_updates, plain
from whygrad.live.run_listing import Run

_MOST = 12
"""Charts; the most telling numbers come first."""


def scalars(runs: Sequence[Run], most: int = _MOST) -> dict[str, list[dict[str, Any] | None]]:
    """By name, the series of each run; None for a run without it. Those that most runs have come first."""
    each = [{one["name"]: one for one in series.series(run)} for run in runs]
    names = list(dict.fromkeys(name for some in each for name in some))
    shared = sorted(names, key=lambda name: -sum(name in some for some in each))
    return {name: [some.get(name) for some in each] for name in shared[:most]}


HEIGHT = 1.75
"""Inches, of one chart."""


def draw_scalar(axes: Any, name: str, lines: Sequence[dict[str, Any] | None], log: bool) -> None:
    """One number into these axes, a line for each run."""
    known = [(at, line) for at, line in enumerate(lines) if line is not None]
    for at, line in known:
        _line(axes, line, of_run(at))
    axes.set_title(plain(name))
    axes.grid(axis="y")
    axes.margins(x=0.0)
    _scaled(axes, [line for _, line in known], log)
    over_updates(axes, known[0][1]["axis"])


def _line(axes: Any, line: dict[str, Any], style: dict[str, Any]) -> None:
    x, low, mean, high = (np.array(line[key], float) for key in ("x", "low", "mean", "high"))
    if line["merged"]:
        axes.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
    few = len(x) < 3
    axes.plot(x, mean, **style, marker="o" if few else None, markersize=3)


def _scaled(axes: Any, lines: Sequence[dict[str, Any]], log: bool) -> None:
    every = np.concatenate([np.array(line[key], float) for line in lines for key in ("low", "mean", "high")])
    every = every[np.isfinite(every)]
    if log and every.size and (every > 0).all():
        logarithmic(axes)
    elif log and every.size and (every != 0).any():
        logarithmic(axes, float(np.percentile(np.abs(every[every != 0]), 10)))
    else:
        seen = limits(every.tolist())
        if seen is not None:
            axes.set_ylim(*seen)
