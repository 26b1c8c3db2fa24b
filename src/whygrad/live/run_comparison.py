"""Runs side by side: in what their settings differ, and what came of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whygrad.live import series
from whygrad.live.looks import INDEX, Looks
from whygrad.live.reading import BadRecord
from whygrad.live.run_listing import Run

_OF_THE_PROCESS = ("began", "pid", "script")
"""Facts of a record that differ in any two runs, or are settings of nobody."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that is known of the runs; `None` where it is not known of one."""

    part: str
    name: str
    values: tuple[Any, ...]


def compare(runs: Sequence[Run]) -> list[Row]:
    """What differs in how they were made, then what they did."""
    made = [_made(run) for run in runs]
    rows = [Row("settings", name, values) for name, values in _beside(made) if len({repr(v) for v in values}) > 1]
    done = _beside([_done(run) for run in runs])
    told = sorted((pair for pair in done if set(pair[1]) != {None}), key=lambda pair: _rank(pair[0]))
    return rows + [Row("results", name, values) for name, values in told]


def _rank(name: str) -> int:
    """Runs do not all have the same numbers: those of a kind stand together all the same."""
    words = ("steps", "updates", "return", "evaluation", "loss", "norm", "clipping", "step/weights", "events")
    return next((at for at, word in enumerate(words) if word in name), len(words))


def _beside(parts: Sequence[Mapping[str, Any]]) -> list[tuple[str, tuple[Any, ...]]]:
    names = dict.fromkeys(name for part in parts for name in part)
    return [(name, tuple(part.get(name) for part in parts)) for name in names]


def _made(run: Run) -> dict[str, Any]:
    """All settings by their way: `agent`, `settings.gamma`, `plan.seed`."""
    found = dict(_flat(run.settings()))
    if run.watched:
        try:
            about = run.reading.about()
        except BadRecord:
            return found
        found["script"] = about.get("script") or None
        found |= {name: value for name, value in _flat(about) if name not in _OF_THE_PROCESS}
    return found


def _flat(held: Mapping[str, Any], way: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in held.items():
        if isinstance(value, Mapping) and value:
            found += _flat(value, f"{way}{name}.")
        else:
            found.append((f"{way}{name}", value))
    # What an agent is made of is called as `--set` calls it.
    return [(name.removeprefix("settings."), value) for name, value in found]


def _done(run: Run) -> dict[str, Any]:
    glance = run.glance()
    found: dict[str, Any] = {"steps": glance["steps"] or None, "updates": glance["updates"] or None}
    try:
        every = {name: [one.mean for one in values] for name, (_, values) in series.numbers(run).items()}
        norms = _norms(run)
        events = Counter(event.code for event in run.reading.events()) if run.watched else Counter()
    except BadRecord as error:
        return {**found, "trouble": str(error)}
    for name in ("return", "evaluation.return"):
        if name in every:
            found[f"{name}, last"] = _last(every[name])
            found[f"{name}, best"] = _best(every[name], max)
    for name, values in every.items():
        if series.kind(name) == "loss":
            found[f"{name}, last"] = _last(values)
            found[f"{name}, lowest"] = _best(values, min)
    found |= norms
    if run.watched:
        found["events"] = ", ".join(f"{code} × {n}" if n > 1 else code for code, n in sorted(events.items())) or "none"
    return found


def _norms(run: Run) -> dict[str, Any]:
    """Of each optimizer: the norm of its whole gradient, and what clipping leaves of it."""
    found: dict[str, Any] = {}
    groups = run.reading.groups() if run.watched else []
    for group in groups:
        looks = run.looks.looks(group.id)
        of = f" of {group.name}" if len(groups) > 1 else ""
        norm, applied = total(looks, "norm"), total(looks, "applied")
        known = np.isfinite(norm) & (norm > 0)
        if not known.any():
            continue
        found[f"norm{of}, last"] = float(norm[known][-1])
        found[f"norm{of}, median"] = float(np.median(norm[known]))
        left = applied[known] / norm[known]
        found[f"clipping leaves{of}"] = float(np.median(left[np.isfinite(left)])) if np.isfinite(left).any() else None
        ratio = np.array([_highest(look.rows[:, INDEX["ratio"]]) for look in looks])
        if np.isfinite(ratio).any():
            found[f"step/weights{of}"] = float(np.nanmedian(ratio))
    return found


def total(looks: Sequence[Looks], field: str) -> Any:
    """The length of all variables together, in each look; NaN where no variable has a number."""
    found = np.full(len(looks), np.nan)
    for at, look in enumerate(looks):
        column = look.rows[:, INDEX[field]]
        finite = np.isfinite(column)
        if finite.any():
            found[at] = math.sqrt(float(np.square(column[finite]).sum()))
    return found


def _highest(values: Any) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else math.nan


def _last(values: Sequence[float | None]) -> float | None:
    return next((value for value in reversed(values) if value is not None), None)


def _best(values: Sequence[float | None], pick: Any) -> float | None:
    known = [value for value in values if value is not None]
    return pick(known) if known else None
