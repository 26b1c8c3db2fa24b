"""How pictures look: the colours of the pages, thin lines, no frames around anything."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

PAPER, LINE, TEXT, QUIET = "#fdfdfc", "#e3e3de", "#1d1e20", "#5a5e65"
ACCENT, SECOND = "#0b6470", "#b3622b"
DEAD, ABSENT, BROKEN = "#060608", "#ecece8", "#ff1f6b"
_RUNS = (ACCENT, SECOND, "#74399a", "#1d6638", "#b3261e", "#0a5c85", "#81480b", "#5a5e65")
DOTS = 160
"""Per inch, of a PNG."""

RC: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.0,
    "text.color": TEXT,
    "text.parse_math": False,  # a `$` in a name is a `$`
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": LINE,
    "axes.labelcolor": QUIET,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 6.0,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 6),
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": QUIET,
    "ytick.labelcolor": QUIET,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "ytick.minor.size": 0.0,
    "hatch.linewidth": 0.7,
    "hatch.color": "#8d8f8a",
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "svg.hashsalt": "whygrad",  # the same picture is the same file
    "svg.fonttype": "path",
}

# From deep blue to pale yellow, lightness growing evenly (OKLCH), as on the page. Black is kept for a zero gradient.
_STOPS = (
    (0.36, 0.115, 282.0),
    (0.47, 0.118, 252.0),
    (0.58, 0.105, 215.0),
    (0.69, 0.112, 182.0),
    (0.80, 0.140, 150.0),
    (0.885, 0.150, 118.0),
    (0.955, 0.115, 102.0),
)


def ramp(count: int) -> list[tuple[float, float, float]]:
    """So many colours, from small to large."""
    return [_colour(at / max(1, count - 1)) for at in range(count)]


def of_run(place: int) -> dict[str, Any]:
    """The line of one of several runs: other colours, then other dashes."""
    return {"color": _RUNS[place % len(_RUNS)], "linestyle": ("-", "--", ":")[place // len(_RUNS) % 3]}


def plain(text: str, most: int = 60) -> str:
    """A name as it can be drawn: in one line, without what has no shape, and not too long."""
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def counted(value: float, _place: Any = None) -> str:
    """A number of updates at an axis: 0, 500, 20k, 1.5M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:g}" if value == int(value) else ""


def short(value: float, _place: Any = None) -> str:
    """A number in as few characters as it takes: 0.002, 50, 3e-07."""
    return (
        f"{float(f'{value:.2g}'):g}".replace("e-0", "e-")
        .replace("e+0", "e")
        .replace("-", "\N{MINUS SIGN}", int(value < 0))
    )


def logarithmic(axes: Any, linear_below: float | None = None) -> None:
    """The axis of values, with few labels and as plain numbers."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator

    if linear_below is not None:
        axes.set_yscale("symlog", linthresh=linear_below)
        axes.yaxis.set_major_formatter(short)
        axes.yaxis.set_minor_locator(NullLocator())
        return
    low, high = axes.get_ylim()
    if 0 < high < 3 * low:
        return  # a straight line would look the same on either scale, and this one has better numbers
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    narrow = high < 30 * low  # not two powers of ten in it
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=6))
    axes.yaxis.set_major_formatter(short)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())


def over_updates(axes: Any, label: str = "update") -> None:
    """The axis of time."""
    axes.xaxis.set_major_formatter(counted)
    axes.set_xlabel(label, loc="right", labelpad=2)


def _colour(share: float) -> tuple[float, float, float]:
    at = min(share * (len(_STOPS) - 1), len(_STOPS) - 1.0001)
    low = int(at)
    part = at - low
    lightness, chroma, hue = (a + part * (b - a) for a, b in zip(_STOPS[low], _STOPS[low + 1], strict=True))
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _screen(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _screen(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _screen(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _screen(value: float) -> float:
    held = min(max(value, 0.0), 1.0)
    return 12.92 * held if held <= 0.0031308 else 1.055 * held ** (1 / 2.4) - 0.055


def limits(values: Sequence[float]) -> tuple[float, float] | None:
    """The ends of what is to be seen, a few far-off values left aside; None where all is to be seen."""
    known = sorted(value for value in values if math.isfinite(value))
    if len(known) < 50:
        return None
    low, high = known[len(known) // 200], known[-1 - len(known) // 200]
    room = 0.12 * (high - low)
    if room == 0 or (known[-1] <= high + 3 * room and known[0] >= low - 3 * room):
        return None
    return low - room, high + room
