"""The machine form. Stable: other programs read it, so a change here raises `SCHEMA`."""

from __future__ import annotations

from typing import Any

from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

SCHEMA = 1


def to_json(report: Report) -> dict[str, Any]:
    """A report as plain JSON data."""
    return {
        "schema": SCHEMA,
        "script": report.script,
        "frameworks": list(report.frameworks),
        "updates": report.updates,
        "script_error": report.script_error,
        "findings": [_finding(finding) for finding in report.findings],
        "notes": list(report.notes),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "why": f"{finding.label}. {finding.why}" if finding.label else finding.why,
        "fix": finding.fix,
        "variables": list(finding.variables),
        "where": _site(finding.where),
        "loss": {"file": finding.loss.file, "line": finding.loss.line} if finding.loss is not None else None,
        "path": [
            {"file": step.site.file, "line": step.site.line, "op": step.op, "role": step.role} for step in finding.path
        ],
        "first_update": finding.first_update,
        "seen": finding.seen,
    }


def _site(site: Site | None) -> dict[str, Any] | None:
    if site is None:
        return None
    return {
        "file": site.file,
        "line": site.line,
        "column": site.column,
        "end_column": site.end_column,
        "function": site.function,
        "code": expression(site, limit=200),
    }
