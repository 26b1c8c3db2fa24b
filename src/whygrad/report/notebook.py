"""The report for a notebook cell: findings that fold, the terminal's source with its marks, the ownership table.

No script, and a style that reaches nothing but this piece: notebooks show HTML of many cells in one page. The marks are
characters, so that the report can be read where a viewer takes every style away. Text takes the notebook's own colour;
`notebook.css` has colours for notebooks that say whether they are light or dark, and middle ones for the others.
"""

from __future__ import annotations

from functools import cache
from html import escape
from pathlib import Path

from whygrad.report.excerpt import Page, Row, excerpt
from whygrad.report.html_table import table
from whygrad.report.html_text import count, plain, prose
from whygrad.report.report import Report
from whygrad.report.terminal import Options, summary
from whygrad.rules.finding import ORDER, Finding

_WIDTH = 96
_NAMES_SHOWN = 6

_CLASSES = {
    "error": "we", "warning": "ww", "note": "wn", "good": "wg", "station": "wn", "gutter": "wb", "strong": "ws",
    "dim": "wd",
}  # fmt: skip


@cache
def _style() -> str:
    return Path(__file__).with_name("notebook.css").read_text(encoding="utf-8")


def render(report: Report) -> str:
    """The report as an HTML fragment that needs nothing from outside."""
    style, text = summary(report)
    page = Options(width=_WIDTH).page(report)
    findings = sorted(report.findings, key=lambda finding: ORDER.index(finding.severity))
    parts = [f'<p class="whygrad-sum {_CLASSES[style]}">{plain(text)}</p>']
    if report.script_error is not None:
        error = next((line for line in report.script_error.splitlines() if line.strip()), "an error without a message")
        parts.append(f"<p>the script stopped with: <code>{plain(error)}</code></p>")
    parts += [_finding(finding, page) for finding in findings]
    parts += [
        f"<details><summary>who trains what</summary>{table(one, report)}</details>"
        for one in report.ownership
        if one.telling
    ]
    notes = list(dict.fromkeys(note for note in report.notes if note.strip()))
    if notes:
        items = "".join(f"<p>{prose(note)}</p>" for note in notes)
        parts.append(
            f"<details><summary>{count(len(notes), 'note')} on what could not be seen</summary>{items}</details>"
        )
    label = plain(f"whygrad: {text}")
    return f'<div class="whygrad" role="region" aria-label="{label}"><style>{_style()}</style>{"".join(parts)}</div>'


def _finding(finding: Finding, page: Page) -> str:
    tag = f'<span class="{_CLASSES[finding.severity]}">{finding.severity}[{plain(finding.code)}]</span>'
    head = f"<summary>{tag} {plain(finding.rule)}: {prose(finding.message)}</summary>"
    rows = "\n".join(_painted(row) for row in excerpt(finding, page))
    # Without a place to stand under, the label opens the explanation.
    label = f"{finding.label}. " if finding.label and finding.where is None else ""
    body = f"<pre>{rows}</pre>" if rows else ""
    if (label + finding.why).strip():
        body += f'<p><span class="ws">why:</span> {prose(label + finding.why)}</p>'
    if finding.fix.strip():
        body += f'<p><span class="wg">fix:</span> {prose(finding.fix)}</p>'
    body += _variables(finding)
    body += f'<p><span class="ws">more:</span> <code>whygrad explain {plain(finding.code)}</code></p>'
    return f"<details{' open' if finding.severity != 'note' else ''}>{head}{body}</details>"


def _variables(finding: Finding) -> str:
    names = finding.variables
    if not names or (len(names) == 1 and f"`{names[0]}`" in finding.message):
        return ""
    listed = ", ".join(f"<code>{plain(name)}</code>" for name in names)
    if len(names) <= _NAMES_SHOWN:
        return f'<p><span class="ws">variables:</span> {listed}</p>'
    return f"<details><summary>{count(len(names), 'variable')}</summary><p>{listed}</p></details>"


def _painted(row: Row) -> str:
    return "".join(
        f'<span class="{_CLASSES[style]}">{escape(text)}</span>' if style in _CLASSES else escape(text)
        for style, text in row
    ).rstrip()
