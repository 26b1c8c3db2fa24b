"""What `whygrad run` found in a run, as parts of its web page: escaped where they are made, without a script."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import whygrad
from whygrad.flow.drawing import Drawing
from whygrad.live.looks import INDEX
from whygrad.live.run_listing import Run
from whygrad.report import html_page, json_form, svg_drawing
from whygrad.report.plain import Unreadable
from whygrad.report.report import Report
from whygrad.report.terminal import summary

FILE = "report.json"
_THINNEST, _WIDEST, _DECADES = 1.5, 14.0, 4.0


def read(run: Run) -> Report | str | None:
    """The report in a run's folder, a sentence where it cannot be read, None where there is none."""
    file = run.folder / FILE
    if not file.is_file():
        return None
    try:
        return json_form.from_text(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, Unreadable) as error:
        return f"{FILE} of this run cannot be read: {error}."


def stamp(run: Run) -> str:
    """Another text whenever the report has changed; empty where there is none."""
    try:
        return str((run.folder / FILE).stat().st_mtime_ns)
    except OSError:
        return ""


def parts(run: Run) -> dict[str, Any]:
    """The main part of the report's page, and the training step with lines as wide as their gradients are large."""
    report = read(run)
    if not isinstance(report, Report):
        return {"trouble": report or "", "head": "", "main": "", "drawings": []}
    norms = network_norms(run)
    drawings = []
    for number, one in enumerate(report.drawings, 1):
        if one.nodes:
            figure = svg_drawing.figure(one, report, number, _widths(one, norms))
            drawings.append({"framework": one.framework, "html": figure})
    return {
        "trouble": "",
        "head": summary(report)[1],
        "main": html_page.render(report, whygrad.__version__).partition("<main>")[2].partition("</main>")[0],
        "drawings": drawings,
        "norms": [{"network": name, "norm": norm} for name, norm in norms.items()],
    }


def network_norms(run: Run) -> dict[str, float]:
    """The norm of each network's gradient, from the newest look at its variables."""
    squares: dict[str, float] = {}
    for group in run.reading.groups() if run.watched else []:
        looks = run.looks.looks(group.id)
        if not looks or len(looks[-1].rows) != len(group.variables):
            continue
        for one, row in zip(group.variables, looks[-1].rows, strict=True):
            norm = float(row[INDEX["norm"]])
            squares.setdefault(one.network, 0.0)
            squares[one.network] += norm * norm if math.isfinite(norm) else 0.0
    return {name: math.sqrt(total) for name, total in squares.items()}


def _widths(drawing: Drawing, norms: dict[str, float]) -> dict[int, float]:
    """Of networks by their gradients; what lies between them and a loss is as wide as the widest that flows into it."""
    found = {at: width for at, node in enumerate(drawing.nodes) if (width := _width(node.label, norms)) is not None}
    for _ in drawing.nodes:
        for edge in drawing.edges:
            if edge.kind == "gradient" and drawing.nodes[edge.target].kind == "operation":
                found[edge.target] = max(found.get(edge.target, 0.0), found.get(edge.source, 0.0))
    return found


def _width(label: str, norms: dict[str, float]) -> float | None:
    """How wide the lines of a network are: the widest for the largest gradient, one step for each power of ten."""
    mine = next((norm for name, norm in norms.items() if name == label or name.split(".")[-1] == label), None)
    largest = max(norms.values(), default=0.0)
    if mine is None or largest <= 0:
        return None
    if mine <= 0:
        return 0.0
    level = 1 + math.log10(mine / largest) / _DECADES
    return _THINNEST + (_WIDEST - _THINNEST) * max(level, 0.0)


@cache
def style() -> str:
    """The report page's style, less its colours: those are the page's own here, so that they follow its theme."""
    text = Path(html_page.__file__).with_name("page.css").read_text(encoding="utf-8")
    return text.replace(":root", ":not(*)")
