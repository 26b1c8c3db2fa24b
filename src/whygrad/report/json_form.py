"""The machine form. Stable: other programs read it, so a change that could break one raises `SCHEMA`.

Beside what a program needs it holds what a saved report needs to be drawn again where the source is gone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from whygrad.flow.drawing import Drawing
from whygrad.flow.ownership import Ownership
from whygrad.flow.site import Site
from whygrad.flow.source import Read, expression
from whygrad.report.plain import Unreadable, from_plain, to_plain
from whygrad.report.report import Report
from whygrad.report.sources import kept
from whygrad.rules.finding import Finding, PathStep, Severity

SCHEMA = 1
_TALLEST = 100_000
_OF_OTHERS = "it was not written by `whygrad run --json`"


def to_json(report: Report) -> dict[str, Any]:
    """A report as plain JSON data."""
    sources = kept(report)
    report = replace(report, sources=sources)
    return {
        "schema": SCHEMA,
        "script": report.script,
        "frameworks": list(report.frameworks),
        "updates": report.updates,
        "script_error": report.script_error,
        "findings": [_finding(finding, report.line) for finding in report.findings],
        "notes": list(report.notes),
        "ownership": to_plain(report.ownership),
        "drawings": to_plain(report.drawings),
        "folder": report.folder,
        "root": report.root,
        "sources": {file: {str(n): text for n, text in lines.items()} for file, lines in sources.items()},
    }


def as_text(report: Report) -> str:
    """The content of a saved report."""
    return json.dumps(to_json(report), indent=2) + "\n"


def _finding(finding: Finding, read: Read) -> dict[str, Any]:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "why": f"{finding.label}. {finding.why}" if finding.label else finding.why,
        "fix": finding.fix,
        "variables": list(finding.variables),
        "where": _place(finding.where, read),
        "loss": to_plain(finding.loss),
        "path": [to_plain(step.site) | {"op": step.op, "role": step.role} for step in finding.path],
        "first_update": finding.first_update,
        "seen": finding.seen,
        "label": finding.label,
        "contract": finding.contract,
    }


def _place(site: Site | None, read: Read) -> dict[str, Any] | None:
    return None if site is None else to_plain(site) | {"code": expression(site, limit=200, read=read)}


def from_text(text: str) -> Report:
    """A saved report; `Unreadable` says what is wrong with one that is not."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(f"{_OF_OTHERS}: it is not JSON") from None
    return from_json(data)


def from_json(data: Any) -> Report:
    """The report that `to_json` wrote down."""
    if not isinstance(data, dict) or "schema" not in data or "findings" not in data:
        raise Unreadable(f"{_OF_OTHERS}: it has no {'schema' if 'findings' in _keys(data) else 'findings'}")
    if data["schema"] != SCHEMA:
        raise Unreadable(
            f"it has the form {data['schema']!r} and this whygrad reads form {SCHEMA}: make it again, or use the "
            "whygrad that wrote it"
        )
    if "sources" not in data:
        raise Unreadable("it was written by an older whygrad, without the source it is about: make it again")
    saved = from_plain(_Saved, data, "the report")
    findings = [_read_finding(one, f"findings[{index}]") for index, one in enumerate(saved.findings)]
    return Report(
        script=saved.script,
        frameworks=saved.frameworks,
        updates=saved.updates,
        findings=tuple(findings),
        script_error=saved.script_error,
        notes=saved.notes,
        ownership=tuple(_checked_table(one) for one in saved.ownership),
        drawings=tuple(_checked_drawing(one) for one in saved.drawings),
        folder=saved.folder,
        root=saved.root,
        sources=_sources(saved.sources),
    )


def _keys(data: Any) -> set[str]:
    return set(data) if isinstance(data, dict) else set()


@dataclass(frozen=True)
class _Saved:
    """What the outermost object holds."""

    script: str
    frameworks: tuple[str, ...]
    updates: int
    script_error: str | None
    findings: tuple[dict, ...]  # type: ignore[type-arg]
    notes: tuple[str, ...]
    sources: dict  # type: ignore[type-arg]
    ownership: tuple[Ownership, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    folder: str = ""
    root: str = ""


@dataclass(frozen=True)
class _SavedFinding:
    """A finding, less its path."""

    code: str
    rule: str
    severity: Severity
    message: str
    why: str
    fix: str
    variables: tuple[str, ...]
    where: Site | None
    loss: Site | None
    path: tuple[dict, ...]  # type: ignore[type-arg]
    first_update: int
    seen: int
    label: str = ""
    contract: str = ""


@dataclass(frozen=True)
class _Station:
    op: str
    role: str


def _read_finding(data: dict[str, Any], where: str) -> Finding:
    one = from_plain(_SavedFinding, data, where)
    path = []
    for index, step in enumerate(one.path):
        at = f"{where}.path[{index}]"
        station = from_plain(_Station, step, at)
        path.append(PathStep(from_plain(Site, step, at), station.op, station.role))
    if any(site is not None and site.end_line - site.line > _TALLEST for site in (one.where, one.loss)):
        raise Unreadable(f"{where} is about an expression that never ends")
    return Finding(
        code=one.code,
        rule=one.rule,
        severity=one.severity,
        message=one.message,
        why=one.why.removeprefix(f"{one.label}. ") if one.label else one.why,
        fix=one.fix,
        variables=one.variables,
        where=one.where,
        label=one.label,
        loss=one.loss,
        path=tuple(path),
        first_update=one.first_update,
        seen=one.seen,
        contract=one.contract,
    )


def _checked_table(table: Ownership) -> Ownership:
    """A table without holes, whose optimizers exist."""
    known = range(len(table.optimizers))
    numbers = [number for row in table.losses for cell in row.cells for number in cell.optimizers]
    numbers += [number for network in table.networks for number in network.optimizers]
    holes = any(len(row.cells) != len(table.networks) for row in table.losses)
    if holes or any(number not in known for number in numbers):
        raise Unreadable("the table of losses and networks does not fit together")
    return table


def _checked_drawing(drawing: Drawing) -> Drawing:
    """A drawing whose lines end at boxes that exist."""
    boxes = range(len(drawing.nodes))
    if any(edge.source not in boxes or edge.target not in boxes for edge in drawing.edges):
        raise Unreadable("a drawing has a line to a box that is not there")
    return drawing


def _sources(data: dict[str, Any]) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for file, lines in data.items():
        if not isinstance(lines, dict):
            raise Unreadable(f"sources[{file!r}] should be an object")
        for number, text in lines.items():
            if not (number.isascii() and number.isdigit() and len(number) < 10 and isinstance(text, str)):
                raise Unreadable(f"sources[{file!r}] should hold texts by line number")
            found.setdefault(file, {})[int(number)] = text
    return found
