"""What the page asks about one run, as plain data for JSON. Nothing here knows of the web."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whygrad.live import heat, series
from whygrad.live.columns import gather, span
from whygrad.live.looks import FIELDS
from whygrad.live.reading import Group
from whygrad.live.run_listing import Run
from whygrad.live.spread_rows import SpreadMemory
from whygrad.view import report_parts
from whygrad.view.histograms import histogram, timeline

LINES = ("norm", "peak", "applied", "ratio", "weights")
"""Of each variable over time."""
_HIDDEN = ("axis", "name", "pid")
"""Facts that are not for people."""


class Unknown(LookupError):
    """There is no such thing in the run."""


def overview(run: Run) -> dict[str, Any]:
    """The head of the page: facts, groups and events so far."""
    settings = run.settings()
    groups = run.reading.groups() if run.watched else []
    return {
        **run.glance(),
        "facts": _facts(run, settings),
        "groups": [
            {
                "id": g.id,
                "name": g.name,
                "updates": g.updates,
                "looks": g.looks,
                "every": g.every,
                "variables": len(g.variables),
            }
            for g in groups
        ],
        "series": [*series.series(run), *_totals(run, groups)],
        "events": events(run),
        "report": report_parts.stamp(run),
        "snake": _plan(settings).get("env") == "whygrad/Snake-v0",
    }


def _totals(run: Run, groups: Sequence[Group]) -> list[dict[str, Any]]:
    """The length of each optimizer's whole gradient over time, as it came and after clipping."""
    found = []
    for group in groups:
        looks = run.looks.looks(group.id)
        over = span([looks], None, None)
        if over is None:
            continue
        lines = {}
        for field in ("norm", "applied"):
            values = gather(looks, field, over, len(group.variables)).values
            known = np.isfinite(values).any(axis=0)
            total = np.sqrt(np.nansum(np.square(values), axis=0))
            lines[field] = [_number(value) if there else None for value, there in zip(total, known, strict=True)]
        found.append(
            {
                "name": f"norm, {group.name}" if len(groups) > 1 else "gradient norm",
                "kind": "norm",
                "axis": "update",
                "x": over.middles(),
                "low": lines["norm"],
                "mean": lines["norm"],
                "high": lines["norm"],
                "applied": lines["applied"],
                "merged": False,
            }
        )
    return found


def events(run: Run) -> list[dict[str, Any]]:
    """What happened, in the order in which it was noticed."""
    if not run.watched:
        return []
    return [
        {
            "id": one.id,
            "group": one.group,
            "at": one.at,
            "time": one.time,
            "kind": one.kind,
            "code": one.code,
            "variable": one.variable,
            "text": one.text,
            "worker": one.worker,
        }
        for one in run.reading.events()
    ]


def heat_map(run: Run, field: str, begin: int | None = None, end: int | None = None) -> dict[str, Any]:
    """All variables over time, one byte each, rows in the order of their networks."""
    if field not in heat.FIELDS:
        raise Unknown(f"the heat map shows {', '.join(heat.FIELDS)}, not {field!r}")
    groups = run.reading.groups() if run.watched else []
    looks = [run.looks.looks(group.id) for group in groups]
    over = span(looks, begin, end)
    if over is None:
        return {"field": field, "rows": [], "cells": "", "columns": 0, "first": 0, "last": 0}
    parts = [gather(some, field, over, len(group.variables)) for some, group in zip(looks, groups, strict=True)]
    low, high = heat.scale(parts, field)
    rows, lines = [], []
    for group, part in zip(groups, parts, strict=True):
        found = heat.cells(part, field, low, high)
        for place in _order(group):
            one = group.variables[place]
            rows.append(
                {
                    "group": group.id,
                    "place": place,
                    "name": one.name,
                    "network": one.network or group.name,
                    "shape": list(one.shape),
                }
            )
            lines.append(found[place])
    return {
        "field": field,
        "scale": heat.FIELDS[field],
        "first": over.first,
        "last": over.last,
        "columns": over.columns,
        "low": low,
        "high": high,
        "rows": rows,
        "cells": heat.packed(np.stack(lines)) if lines else "",
        "whole": begin is None and end is None,
    }


def _order(group: Group) -> list[int]:
    """Places by network, in the order in which networks first appear."""
    networks = {name: at for at, name in enumerate(dict.fromkeys(one.network for one in group.variables))}
    return sorted(range(len(group.variables)), key=lambda place: networks[group.variables[place].network])


def variable(run: Run, group: int, place: int, spreads: SpreadMemory) -> dict[str, Any]:
    """One variable over the whole run: its lines and the timeline of its histograms."""
    found = _group(run, group, place)
    looks = run.looks.looks(group)
    over = span([looks], None, None)
    lines: dict[str, Any] = {"x": []}
    if over is not None:
        lines["x"] = over.middles()
        for field in LINES:
            part = gather([_only(one, place) for one in looks], field, over, 1)
            lines[field] = [_number(value) for value in part.values[0]]
    one = found.variables[place]
    return {
        "group": group,
        "place": place,
        "name": one.name,
        "network": one.network or found.name,
        "optimizer": found.name,
        "shape": list(one.shape),
        "lines": lines,
        "timeline": timeline(spreads.spreads(run.folder, group, place)),
    }


def _only(look: Any, place: int) -> Any:
    return type(look)(look.first, look.last, look.count, look.time, look.rows[place : place + 1])


def moment(run: Run, group: int, place: int, at: int, spreads: SpreadMemory) -> dict[str, Any]:
    """One variable at one update: what the nearest look saw, and the histogram around it."""
    _group(run, group, place)
    looks = run.looks.looks(group)
    near = _nearest(looks, at)
    seen = None
    if near is not None:
        row = near.rows[place]
        seen = {
            "first": near.first,
            "last": near.last,
            "count": near.count,
            "time": near.time,
            **{name: _number(value) for name, value in zip(FIELDS, row, strict=True)},
        }
    spread = _nearest(spreads.spreads(run.folder, group, place), at)
    return {"at": at, "seen": seen, "histogram": None if spread is None else histogram(spread)}


def _nearest(items: Any, at: int) -> Any:
    return min(items, key=lambda one: max(one.first - at, at - one.last, 0), default=None)


def _group(run: Run, group: int, place: int) -> Group:
    for one in run.reading.groups() if run.watched else []:
        if one.id == group and 0 <= place < len(one.variables):
            return one
    raise Unknown(f"there is no variable {place} of group {group} in {run.name!r}")


def _plan(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    found = settings.get("plan")
    return found if isinstance(found, dict) else {}


def _facts(run: Run, settings: Mapping[str, Any]) -> list[list[str]]:
    """Pairs of a word and what there is to say, the most important first."""
    plan, versions = _plan(settings), settings.get("versions")
    backend = versions.get("backend") if isinstance(versions, dict) else None
    found: dict[str, Any] = {
        "agent": settings.get("agent"),
        "environment": plan.get("env"),
        "backend": backend,
        "seed": plan.get("seed"),
        "steps planned": plan.get("steps"),
    }
    if run.watched:
        about = run.reading.about()
        found["script"] = os.path.basename(str(about.pop("script", "")))
        found["began"] = _when(about.pop("began", None))
        for key, value in about.items():
            if isinstance(value, str | int | float) and not isinstance(value, bool) and key not in _HIDDEN:
                found.setdefault(key, value)
    return [[key, _words(value)] for key, value in found.items() if value not in (None, "")]


def _when(seconds: Any) -> str | None:
    """A time as a clock on the wall says it."""
    if not isinstance(seconds, int | float):
        return None
    try:
        return time.strftime("%d %b %Y, %H:%M", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return None


def _words(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)[:200]


def _number(value: Any) -> float | None:
    number = float(value)
    return float(f"{number:.5g}") if math.isfinite(number) else None
