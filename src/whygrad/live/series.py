"""Numbers over time for the charts: what the store has, and the rows of the metrics, thinned to what a screen shows."""

from __future__ import annotations

from typing import Any

from whygrad.live import scalars
from whygrad.live.run_listing import Run
from whygrad.live.scalars import Scalar, scalar

MOST = 480
_ORDER = ("return", "loss", "norm", "value")
_HIDDEN = ("step", "seconds", "episodes")


def series(run: Run) -> list[dict[str, Any]]:
    """Each with its name, what it is over (steps or updates), and its low, mean and high at each place."""
    return [_told(name, axis, values) for name, (axis, values) in numbers(run).items()]


def numbers(run: Run) -> dict[str, tuple[str, list[Scalar]]]:
    """All there are by name, the most telling first: what each is over, and its values as they were stored."""
    found = {}
    for name, values in _of_metrics(run).items():
        found[name] = ("step", values)
    if run.watched:
        reading = run.reading
        agent = bool(run.settings().get("agent"))
        axis = str(reading.about().get("axis") or ("step" if agent else "update"))
        for name, values in reading.scalars().items():
            if agent and name in _HIDDEN:
                continue
            # Losses that were seen being differentiated are of an update, whatever the others are over.
            found[name] = ("update" if name.startswith("loss/") else axis, values)
    return {name: held for name, held in sorted(found.items(), key=_rank) if held[1]}


def kind(name: str) -> str:
    """What a number is, by its name."""
    parts = name.replace("/", ".").split(".")
    return next((word for part in (parts[-1], parts[0]) for word in _ORDER if word in part), "other")


def _rank(item: tuple[str, Any]) -> tuple[int, bool, bool, str]:
    """`return` before `evaluation.return`, and that before `evaluation.discounted_return`."""
    name = item[0]
    what, last = kind(name), name.replace("/", ".").split(".")[-1]
    place = _ORDER.index(what) if what in _ORDER else len(_ORDER)
    return place, last != what, name != what, name


def _of_metrics(run: Run) -> dict[str, list[Scalar]]:
    found: dict[str, list[Scalar]] = {}
    for row in run.metrics.rows():
        step, when = int(row["step"]), float(row.get("seconds") or 0.0)
        for name, value in row.items():
            if name in _HIDDEN or isinstance(value, bool) or not isinstance(value, int | float | None):
                continue
            found.setdefault(name, []).append(scalar(step, when, float("nan") if value is None else float(value)))
    return {name: values for name, values in found.items() if any(one.mean is not None for one in values)}


def _told(name: str, axis: str, values: list[Scalar]) -> dict[str, Any]:
    some = thinned(values)
    return {
        "name": name,
        "kind": kind(name),
        "axis": axis,
        "x": [(one.first + one.last) / 2 for one in some],
        "low": [_short(one.low) for one in some],
        "mean": [_short(one.mean) for one in some],
        "high": [_short(one.high) for one in some],
        "merged": any(one.count > 1 for one in some),
    }


def thinned(values: list[Scalar], most: int = MOST) -> list[Scalar]:
    """Neighbours merged until there are no more than `most`."""
    if len(values) <= most:
        return values
    size = -(-len(values) // most)
    return [scalars.merged(values[at : at + size]) for at in range(0, len(values), size)]


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
