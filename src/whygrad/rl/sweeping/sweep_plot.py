"""The picture of a sweep: returns over time with their spread over seeds, and the last return by each setting."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from whygrad.live.plots_style import (
    ACCENT,
    DOTS,
    LINE,
    PAPER,
    QUIET,
    RC,
    TEXT,
    counted,
    of_run,
    over_updates,
    plain,
    ramp,
    short,
)
from whygrad.rl.sweeping.axes import SEED, Axis
from whygrad.rl.sweeping.results import Row, Swept
from whygrad.rl.sweeping.shown import named, value_text
from whygrad.whole_file import whole_file

WIDTH = 8.6
_HEAD, _CURVES, _SETTING, _ENTRY = 0.62, 2.9, 2.4, 0.17
"""Inches: the head, the chart of the curves, one row of charts of settings, a line of the legend."""
_NAMED = 8
"""So many configurations have a colour and a name; the others are grey lines behind them."""
_PALE = "#c9cac4"


def draw(swept: Swept, out: Path) -> None:
    """Write one picture, PNG or SVG by its name. The same sweep gives the same file."""
    import matplotlib
    from matplotlib.figure import Figure

    axes = [axis for axis in swept.asked.axes if axis.field != SEED and _several(swept, axis)]
    rows = 1 + -(-len(axes) // 2)
    shown = [row for row in swept.rows if row.curve()]
    legend = _ENTRY * min(len(shown), _NAMED) if len(shown) > 1 else 0.0
    heights = [max(_CURVES, legend + 0.9), *[_SETTING] * (rows - 1)]
    high = _HEAD + sum(heights)
    with matplotlib.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = Figure(figsize=(WIDTH, high), layout="constrained")
        engine: Any = figure.get_layout_engine()
        engine.set(rect=(0, 0, 1, 1 - _HEAD / high), w_pad=0.1, h_pad=0.08, hspace=0.03, wspace=0.05)
        grid = figure.add_gridspec(rows, 2, height_ratios=heights)
        _curves(figure.add_subplot(grid[0, :]), swept, shown)
        for at, axis in enumerate(axes):
            alone = len(axes) == 1
            _setting(figure.add_subplot(grid[1 + at // 2, :] if alone else grid[1 + at // 2, at % 2]), swept, axis)
        _head(figure, swept, high)
        kind = out.suffix.lower().lstrip(".")
        facts = {"Date": None} if kind == "svg" else {"Software": None}
        with whole_file(out) as file:
            figure.savefig(file, format=kind, dpi=DOTS, metadata=facts)


def _curves(axes: Any, swept: Swept, rows: list[Row]) -> None:
    """Mean and deviation over time. The best are drawn last, over the others."""
    styles = _styles(swept, rows)
    for place in reversed(range(len(rows))):
        row, style = rows[place], styles[place]
        steps, means, spreads = zip(*row.curve(), strict=True)
        if style is None:
            axes.plot(steps, means, color=_PALE, linewidth=0.9)
            continue
        low, high = ([m + sign * s for m, s in zip(means, spreads, strict=True)] for sign in (-1, 1))
        axes.fill_between(steps, low, high, color=style["color"], alpha=0.13, linewidth=0)
        axes.plot(steps, means, **style, label=_label(row))
        if row.stopped is not None:
            axes.plot(steps[-1:], means[-1:], marker="x", color=style["color"], markersize=5, linestyle="none")
    axes.set_title("return of the evaluations: mean over seeds, ± one deviation between them")
    axes.grid(axis="y")
    axes.margins(x=0.0)
    axes.set_xlim(0, max(swept.asked.steps, *(row.curve()[-1][0] for row in rows)))  # rounds end a little later
    over_updates(axes, "step")
    if len(rows) > 1:
        lines, names = axes.get_legend_handles_labels()
        axes.legend(lines[::-1], names[::-1], loc="upper left", bbox_to_anchor=(1.005, 1.03), handlelength=1.2)


def _label(row: Row) -> str:
    spread = "" if row.deviation is None else f" ± {row.deviation:.3g}"
    cut = "" if row.stopped is None else ", stopped"
    return plain(f"{named(row.settings, ' ') or 'all seeds'}:  {row.mean:.4g}{spread}{cut}", 64)


def _styles(swept: Swept, rows: list[Row]) -> list[dict[str, Any] | None]:
    """A colour for each of the best; along one range of numbers, from small to large."""
    named_ones = rows[:_NAMED]
    varied = [axis for axis in swept.asked.axes if axis.field != SEED and _several(swept, axis)]
    if len(varied) == 1 and _numeric(swept, varied[0]) and len(named_ones) > 2:
        field = varied[0].field
        order = sorted(named_ones, key=lambda row: row.settings[field])
        colours = ramp(len(order) + 1)[:-1]  # the last one is too pale for a line
        by_row = {row.configuration: colours[at] for at, row in enumerate(order)}
        found: list[dict[str, Any] | None] = [{"color": by_row[row.configuration]} for row in named_ones]
    else:
        found = [of_run(at) for at in range(len(named_ones))]
    return [*found, *[None] * (len(rows) - len(named_ones))]


def _setting(axes: Any, swept: Swept, axis: Axis) -> None:
    """The last return by one setting: a dot for each training, mean and deviation for each configuration."""
    rows = [row for row in swept.rows if row.mean is not None]
    numeric = _numeric(swept, axis)
    words = list(dict.fromkeys(value_text(value) for value in axis.values))
    for row in rows:
        value = row.settings[axis.field]
        x = float(value) if numeric else float(words.index(value_text(value)))
        cut = row.stopped is not None
        face = "none" if cut else ACCENT
        axes.plot(
            [x] * len(row.returns), row.returns, linestyle="none", marker="o", markersize=3, alpha=0.45,
            markeredgecolor=ACCENT, markerfacecolor=face, markeredgewidth=0.7,
        )  # fmt: skip
        axes.errorbar(
            [x], [row.mean], yerr=None if row.deviation is None else [row.deviation],
            color=QUIET if cut else TEXT, marker="D", markersize=4.5, markerfacecolor=PAPER if cut else TEXT,
            elinewidth=1.0, capsize=2.5, capthick=1.0,
        )  # fmt: skip
    if numeric and _is_log(swept, axis):
        from matplotlib.ticker import LogLocator, NullFormatter

        axes.set_xscale("log")
        values = _values(swept, axis)
        wide = max(values) >= 30 * min(values) or (axis.drawn and axis.high >= 30 * axis.low)
        axes.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        axes.xaxis.set_major_formatter(short)
        axes.xaxis.set_minor_formatter(NullFormatter())
    elif numeric:
        axes.xaxis.set_major_formatter(counted if _whole(swept, axis) else short)
    else:
        axes.set_xticks(range(len(words)), [plain(word, 18) for word in words])
        axes.set_xlim(-0.5, len(words) - 0.5)
    if axis.drawn:
        low, high = axis.low, axis.high
        room = (high / low) ** 0.04 if axis.log else 0.04 * (high - low)
        axes.set_xlim(*((low / room, high * room) if axis.log else (low - room, high + room)))
    any_cut = any(row.stopped is not None for row in rows)
    axes.set_title(f"last return by {plain(axis.field, 30)}{' (hollow: stopped early)' if any_cut else ''}")
    axes.grid(axis="y", color=LINE)
    axes.set_xlabel(plain(axis.field, 40), loc="right", labelpad=2)


def _several(swept: Swept, axis: Axis) -> bool:
    return len({value_text(one[axis.field]) for one in swept.asked.configurations}) > 1


def _values(swept: Swept, axis: Axis) -> list[Any]:
    return [one[axis.field] for one in swept.asked.configurations]


def _numeric(swept: Swept, axis: Axis) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in _values(swept, axis))


def _whole(swept: Swept, axis: Axis) -> bool:
    return all(isinstance(value, int) for value in _values(swept, axis))


def _is_log(swept: Swept, axis: Axis) -> bool:
    """A range of powers, or a list whose numbers are so far apart."""
    values = _values(swept, axis)
    return axis.log or (not axis.drawn and min(values) > 0 and max(values) >= 10 * min(values))


def _head(figure: Any, swept: Swept, high: float) -> None:
    asked = swept.asked
    place = {"x": 0.1 / WIDTH, "va": "center"}
    over = sum(seed.state == "done" for row in swept.rows for seed in row.seeds)
    total = len(asked.configurations) * len(asked.seeds)
    facts = [
        f"{asked.agent} on {asked.env or 'an environment'}",
        f"{len(asked.configurations)} configuration{'s' if len(asked.configurations) != 1 else ''}",
        f"{len(asked.seeds)} seed{'s' if len(asked.seeds) != 1 else ''}",
        f"{asked.steps:,} steps",
        f"{over} of {total} trainings ran to the end",
    ]
    figure.text(s=plain(swept.path.name, 70), y=1 - 0.2 / high, fontsize=12, fontweight="bold", color=TEXT, **place)
    figure.text(s="  ·  ".join(plain(f) for f in facts), y=1 - 0.44 / high, fontsize=8, color=QUIET, **place)
