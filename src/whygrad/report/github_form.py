"""The report as GitHub annotations: one workflow command per finding, shown beside the line in a pull request."""

from __future__ import annotations

from whygrad.flow.site import Site
from whygrad.report.excerpt import UNICODE, Page, characters, shown_path
from whygrad.report.report import Report
from whygrad.rules.finding import Finding

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """Lines of `::error file=…,line=…::message`, each with its line break; empty where there is nothing to say."""
    return "".join(_annotation(finding, report) + "\n" for finding in report.findings)


def _annotation(finding: Finding, report: Report) -> str:
    page = Page(80, UNICODE, "utf-8")
    properties = {"title": f"{finding.code} {finding.rule}"}
    if finding.where is not None:
        properties = _place(finding.where, report) | properties
    given = ",".join(f"{key}={_property(page.one_line(value))}" for key, value in properties.items())
    label = finding.label[:1].upper() + finding.label[1:]
    parts = [finding.message, f"{label}. {finding.why}" if label else finding.why, f"fix: {finding.fix}"]
    message = "\n".join(page.one_line(part) for part in parts if part.strip() not in ("", "fix:"))
    return f"::{_LEVELS[finding.severity]} {given}::{_escaped(message)}"


def _place(site: Site, report: Report) -> dict[str, str]:
    """Where it is; GitHub wants the path from the top of the repository, and columns only within one line."""
    found = {"file": shown_path(site.file, report.root or None), "line": str(site.line)}
    text = report.line(site.file, site.line)
    begin, end = characters(text, site.column), characters(text, site.end_column)
    if site.end_line > site.line:
        return found | {"endLine": str(site.end_line)}
    return found | ({"col": str(begin + 1), "endColumn": str(end + 1)} if begin < end else {})


def _escaped(text: str) -> str:
    """As the runner's own toolkit writes the message of a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
