"""Pictures of runs as PNG or SVG, drawn with matplotlib. Written whole or not at all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from whygrad.live import plots_heat, plots_histogram, plots_norms, plots_scalars
from whygrad.live.plots_style import DOTS, QUIET, RC, TEXT, of_run, plain
from whygrad.live.run_listing import Run
from whygrad.whole_file import whole_file

WIDTH = 8.6
_HEAD, _BESIDE = 0.62, 3
"""Inches at the top; so many names of runs are beside each other there."""


@dataclass(frozen=True, slots=True)
class Part:
    """Axes that are to be painted: how high in inches, and whether two of a kind stand beside each other."""

    height: float
    paint: Callable[[Any], None]
    half: bool = False


class NothingToDraw(ValueError):
    """A run without what was asked for; says what there is."""


def draw(runs: Sequence[Run], what: str, out: Path, *, variable: str | None = None, log: bool = False) -> None:
    """Write one picture: `norms`, `heat`, `scalars`, `histogram`, or `all` of a run below each other."""
    import matplotlib
    from matplotlib.figure import Figure

    parts = _parts(runs, what, variable, log)
    rows = _rows(parts)
    head = _HEAD if len(runs) <= 2 * _BESIDE else 0.22 + 0.2 * -(-len(runs) // _BESIDE)
    high = head + sum(row[0].height for row in rows)
    with matplotlib.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a name in a script that the font lacks
        figure = Figure(figsize=(WIDTH, high), layout="constrained")
        engine: Any = figure.get_layout_engine()
        engine.set(rect=(0, 0, 1, 1 - head / high), w_pad=0.1, h_pad=0.08, hspace=0.03, wspace=0.05)
        # One grid for all: what is below each other has the same edges, and updates lie below updates.
        grid = figure.add_gridspec(len(rows), 2, height_ratios=[row[0].height for row in rows])
        for at, row in enumerate(rows):
            for column, part in enumerate(row):
                part.paint(figure.add_subplot(grid[at, column] if part.half else grid[at, :]))
        _head(figure, runs, high)
        kind = out.suffix.lower().lstrip(".")
        # No date inside: the same run gives the same file.
        facts = {"Date": None} if kind == "svg" else {"Software": None}
        with whole_file(out) as file:
            figure.savefig(file, format=kind, dpi=DOTS, metadata=facts)


def _rows(parts: Sequence[Part]) -> list[list[Part]]:
    found: list[list[Part]] = []
    for part in parts:
        if part.half and found and found[-1][0].half and len(found[-1]) == 1:
            found[-1].append(part)
        else:
            found.append([part])
    return found


def _parts(runs: Sequence[Run], what: str, variable: str | None, log: bool) -> list[Part]:
    wanted = ("scalars", "heat", "norms", "histogram") if what == "all" else (what,)
    found = [part for one in wanted for part in _MAKERS[one](runs, variable, log, what == "all")]
    if not found:
        names = " and ".join(repr(run.name) for run in runs)
        of = {"scalars": "numbers over time", "all": "numbers or gradients"}.get(what, "record of gradients")
        raise NothingToDraw(f"there is nothing to draw: no {of} in {names}.")
    return found


def _scalars(runs: Sequence[Run], _variable: str | None, log: bool, beside: bool) -> list[Part]:
    found = plots_scalars.scalars(runs, most=4 if beside else 12)
    return [
        Part(plots_scalars.HEIGHT, partial(_scalar, name=name, lines=lines, log=log), half=len(found) > 1)
        for name, lines in found.items()
    ]


def _scalar(axes: Any, name: str, lines: Any, log: bool) -> None:
    plots_scalars.draw_scalar(axes, name, lines, log)


def _heat(runs: Sequence[Run], _variable: str | None, _log: bool, _beside: bool) -> list[Part]:
    found = plots_heat.heat_map(runs[0])
    if found is None:
        return []
    events = runs[0].reading.events()
    return [Part(plots_heat.height(found), lambda axes: plots_heat.draw_heat(axes, found, events))]


def _norms(runs: Sequence[Run], _variable: str | None, _log: bool, _beside: bool) -> list[Part]:
    found = plots_norms.norms(runs[0])
    paint = plots_norms.draw_norms
    return [Part(plots_norms.HEIGHT, partial(paint, one=one, alone=len(found) == 1)) for one in found]


def _histogram(runs: Sequence[Run], variable: str | None, _log: bool, _beside: bool) -> list[Part]:
    found = plots_histogram.ridges(runs[0], variable)
    if isinstance(found, str):
        raise NothingToDraw(found)
    if found is None:
        return []
    return [Part(plots_histogram.height(found), lambda axes: plots_histogram.draw_ridges(axes, found))]


_MAKERS: dict[str, Callable[[Sequence[Run], str | None, bool, bool], list[Part]]] = {
    "scalars": _scalars,
    "heat": _heat,
    "norms": _norms,
    "histogram": _histogram,
}


def _head(figure: Any, runs: Sequence[Run], high: float) -> None:
    """The name of the run, and what it is; of several runs, their names in the colours of their lines."""
    place = {"x": 0.1 / WIDTH, "va": "center"}
    first, second = 1 - 0.2 / high, 1 - 0.44 / high
    if len(runs) > 1:
        from matplotlib.lines import Line2D

        lines = [Line2D([], [], **of_run(at), linewidth=2.2) for at in range(len(runs))]
        figure.legend(
            lines, [plain(run.name, 34) for run in runs], loc="upper left",
            bbox_to_anchor=(0.02 / WIDTH, 1 - 0.08 / high),
            ncols=min(_BESIDE, len(runs)), handlelength=1.1, handletextpad=0.6, columnspacing=2.0, fontsize=9,
        ).set_in_layout(False)  # fmt: skip
        return
    glance = runs[0].glance()
    facts = [
        f"{glance['agent']} on {glance['env']}"
        if glance["agent"] and glance["env"]
        else glance["agent"] or glance["script"],
        f"{glance['updates']:,} updates"
        if glance["updates"]
        else f"{glance['steps']:,} steps"
        if glance["steps"]
        else "",
        f"{glance['variables']:,} variables" if glance["variables"] else "",
        f"{glance['events']:,} event{'s' if glance['events'] > 1 else ''}" if glance["events"] else "",
        "live" if glance["live"] else "",
    ]
    figure.text(s=plain(runs[0].name, 70), y=first, fontsize=12, fontweight="bold", color=TEXT, **place)
    figure.text(s="  ·  ".join(plain(fact) for fact in facts if fact), y=second, fontsize=8, color=QUIET, **place)
