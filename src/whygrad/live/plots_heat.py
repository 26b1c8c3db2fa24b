"""The heat map: all variables over time. A dead layer is a black stripe, a missing gradient is hatched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from whygrad.live import heat
from whygrad.live.columns import Span, gather, span
from whygrad.live.plots_style import ABSENT, BROKEN, DEAD, PAPER, QUIET, TEXT, over_updates, plain, ramp, short
from whygrad.live.reading import Group, Told
from whygrad.live.run_listing import Run

_NAMED = 48
"""So many rows have their names beside them; of more, only the networks."""
_TITLE = 20
"""How high the title is above the map, in points: events stand between them."""


@dataclass(frozen=True, slots=True)
class Map:
    """What is drawn: a byte for each variable and column (`heat`), the names, and where a network begins."""

    cells: Any
    names: tuple[str, ...]
    networks: tuple[tuple[int, str], ...]
    over: Span
    low: float
    high: float


def heat_map(run: Run) -> Map | None:
    """The norms of a run; None where nothing was looked at."""
    groups = run.reading.groups() if run.watched else []
    looks = [run.looks.looks(group.id) for group in groups]
    over = span(looks, None, None)
    if over is None:
        return None
    parts = [gather(some, "norm", over, len(group.variables)) for some, group in zip(looks, groups, strict=True)]
    low, high = heat.scale(parts, "norm")
    rows: list[Any] = []
    names: list[str] = []
    networks: list[tuple[int, str]] = []
    for group, part in zip(groups, parts, strict=True):
        found = heat.cells(part, "norm", low, high)
        before = None
        for place in _order(group):
            one = group.variables[place]
            network = one.network or group.name
            if network != before:
                networks.append((len(rows), network))
                before = network
            rows.append(found[place])
            names.append(one.name)
    return Map(np.stack(rows), tuple(names), tuple(networks), over, low, high) if rows else None


def height(found: Map) -> float:
    """Inches."""
    rows = len(found.names)
    return 0.95 + (0.185 * rows if rows <= _NAMED else min(9.0, max(4.0, 0.04 * rows)))


def draw_heat(axes: Any, found: Map, events: Sequence[Told]) -> None:
    """Into these axes."""
    from matplotlib.colors import ListedColormap

    rows, columns = found.cells.shape
    left, right = found.over.first - 0.5, found.over.last + 0.5
    place = {"aspect": "auto", "extent": (left, right, rows - 0.5, -0.5), "interpolation": "nearest"}
    sized = np.ma.masked_where(found.cells < heat.LOWEST, found.cells.astype(float))
    axes.imshow(sized, cmap=ListedColormap(ramp(252)), vmin=heat.LOWEST, vmax=255, **place)
    for what, colour in ((heat.ZERO, DEAD), (heat.BROKEN, BROKEN)):
        some = np.ma.masked_where(found.cells != what, np.ones(found.cells.shape))
        axes.imshow(some, cmap=ListedColormap([colour]), **place)
    width = (right - left) / columns
    for begin_row, end_row, begin, end in _stretches(found.cells == heat.ABSENT):
        x = [left + begin * width, left + end * width]
        axes.fill_between(x, begin_row - 0.5, end_row - 0.5, facecolor=ABSENT, hatch="//////", linewidth=0)
    broken = np.argwhere(found.cells == heat.BROKEN)
    middles = np.array(found.over.middles())
    axes.scatter(  # one cell would be easy to miss
        middles[broken[:, 1]], broken[:, 0], marker="D", s=20, color=BROKEN, edgecolors=PAPER, linewidths=0.8, zorder=5
    )
    _rows(axes, found)
    _events(axes, found, events)
    axes.set_xlim(left, right)
    axes.set_ylim(rows - 0.5, -0.5)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.tick_params(axis="y", length=0)
    over_updates(axes)
    axes.set_title("Norm of each variable's gradient", pad=_TITLE if events else 8)
    _legend(axes, found, _TITLE if events else 8)


def _legend(axes: Any, found: Map, above: float) -> None:
    """What the colours and signs are, in the line of the title. `above` in points."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch
    from matplotlib.transforms import Bbox, ScaledTranslation

    lifted = axes.transAxes + ScaledTranslation(0, above / 72, axes.figure.dpi_scale_trans)
    signs = []
    if (found.cells == heat.ZERO).any():
        signs.append(Patch(facecolor=DEAD, label="zero: dead"))
    if (found.cells == heat.ABSENT).any():
        signs.append(Patch(facecolor=ABSENT, hatch="//////", edgecolor="#8d8f8a", linewidth=0, label="no gradient"))
    if (found.cells == heat.BROKEN).any():
        signs.append(Patch(facecolor=BROKEN, label="NaN or Inf"))
    if signs:
        axes.legend(
            handles=signs, loc="lower right", bbox_to_anchor=(0.72, 0.99), bbox_transform=lifted, ncols=len(signs),
            handlelength=1.2, handleheight=0.9, columnspacing=1.4, handletextpad=0.5, borderaxespad=0.0,
            labelcolor=QUIET, fontsize=7.5,
        )  # fmt: skip
    bar = axes.figure.add_axes((0, 0, 0.1, 0.1), label="scale")
    bar.set_in_layout(False)

    def locate(_axes: Any, _renderer: Any) -> Any:
        box, size = axes.get_position(original=False), axes.figure.get_figheight()
        return Bbox.from_bounds(
            box.x1 - 0.18 * box.width, box.y1 + (above + 1) / 72 / size, 0.14 * box.width, 0.085 / size
        )

    bar.set_axes_locator(locate)
    bar.imshow(np.linspace(0, 1, 252)[None], aspect="auto", cmap=ListedColormap(ramp(252)), extent=(0, 1, 0, 1))
    bar.set_axis_off()
    for x, value, side in ((-0.05, found.low, "right"), (1.05, found.high, "left")):
        bar.text(x, 0.45, short(10**value), ha=side, va="center", fontsize=7.5, color=QUIET, transform=bar.transAxes)


def _rows(axes: Any, found: Map) -> None:
    rows = len(found.names)
    if rows <= _NAMED:
        axes.set_yticks(
            range(rows), [plain(name, 38) for name in found.names], fontfamily="DejaVu Sans Mono", fontsize=7
        )
    else:
        begins = [at for at, _ in found.networks] + [rows]
        middles = [(a + b - 1) / 2 for a, b in pairwise(begins)]
        every = -(-len(middles) // 40)
        names = [plain(name, 30) for _, name in found.networks]
        axes.set_yticks(middles[::every], names[::every], fontfamily="DejaVu Sans Mono", fontsize=7)
    for at, _ in found.networks[1:]:
        axes.axhline(at - 0.5, color=PAPER, linewidth=2.5 if rows <= _NAMED else 1.0)
    if rows <= _NAMED:
        for at in range(1, rows):
            axes.axhline(at - 0.5, color=PAPER, linewidth=0.6)


def _events(axes: Any, found: Map, events: Sequence[Told]) -> None:
    """Marks above the map, with their codes where there is room."""
    width = found.over.last - found.over.first + 1
    last = -np.inf
    for event in sorted(events, key=lambda one: one.at):
        if not found.over.first <= event.at <= found.over.last:
            continue
        at = (event.at, 1.0)
        where = {"xycoords": axes.get_xaxis_transform(), "textcoords": "offset points", "annotation_clip": False}
        axes.annotate("▾", at, xytext=(0, 0.5), ha="center", va="bottom", fontsize=7, color=TEXT, **where)
        if event.at - last > 0.055 * width:
            axes.annotate(plain(event.code, 6), at, xytext=(0, 7), ha="center", fontsize=7, color=QUIET, **where)
            last = event.at


def _stretches(mask: Any) -> list[tuple[int, int, int, int]]:
    """Where something is, as few rectangles: rows from and to, columns from and to."""
    found: list[tuple[int, int, int, int]] = []
    for row, values in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate([[0], values.astype(np.int8), [0]])))
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            above = next((one for one in found if one[1:] == (row, begin, end)), None)
            if above is not None:
                found.remove(above)
            found.append((above[0] if above else row, row + 1, int(begin), int(end)))
    return found


def _order(group: Group) -> list[int]:
    networks = {name: at for at, name in enumerate(dict.fromkeys(one.network for one in group.variables))}
    return sorted(range(len(group.variables)), key=lambda place: networks[group.variables[place].network])
