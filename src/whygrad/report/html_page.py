"""The report as one web page that needs nothing from outside: no network, no script, its style in itself.

What comes from the user's program is escaped where it is written down (`html_text`), and the page's own policy forbids
the browser to run or to fetch anything whatever the text may say.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from whygrad.flow.drawing import Drawing
from whygrad.flow.ownership import Ownership
from whygrad.report.excerpt import marks, shown_path
from whygrad.report.html_source import figures
from whygrad.report.html_table import table
from whygrad.report.html_text import count, plain, prose, verbatim
from whygrad.report.report import Report
from whygrad.report.svg_drawing import figure
from whygrad.report.terminal import summary
from whygrad.rules.catalogue import CODES
from whygrad.rules.finding import ORDER, Finding

_SHOWN_NAMES = 4


@cache
def _style() -> str:
    return Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def render(report: Report, version: str) -> str:
    """The whole page."""
    style = _style()
    title = plain(f"whygrad: {summary(report)[1]}")
    sections = [_findings(report), _notes(report), _drawings(report), _tables(report), _unseen(report), _pages(report)]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{_header(report)}{_index(report)}<main>\n{''.join(sections)}</main>\n"
        f"<footer>Made by whygrad {plain(version)}.</footer>\n</body>\n</html>\n"
    )


def _header(report: Report) -> str:
    style, text = summary(report)
    lead = ""
    facts = re.fullmatch(r"(.*) \(([^()]*)\)", text)
    if report.clean and style == "warning":
        head, _, lead = text.partition(": ")
    elif facts is not None:
        head, lead = facts.groups()
    else:
        head = text
    parts = [
        f'<p class="brand">whygrad</p>\n<h1>{plain(head[:1].upper() + head[1:])}</h1>\n',
        f'<p class="facts">{plain(lead[:1].upper() + lead[1:])}</p>\n' if lead else "",
    ]
    if report.script_error is not None:
        error = next((line for line in report.script_error.splitlines() if line.strip()), "an error without a message")
        parts.append(f'<p class="ended">The script stopped with <code>{plain(error)}</code></p>\n')
    return f"<header>\n{''.join(parts)}</header>\n"


def _counted(report: Report) -> list[tuple[int, Finding]]:
    """Errors and warnings with their numbers, the worst first."""
    numbered = [(number, f) for number, f in enumerate(report.findings, 1) if f.severity != "note"]
    return sorted(numbered, key=lambda pair: ORDER.index(pair[1].severity))


def _index(report: Report) -> str:
    found = _counted(report)
    if len(found) < 2:
        return ""
    items = "".join(
        f'<li><a href="#finding-{number}">{_tag(finding)} <span class="what">{prose(finding.message)}</span> '
        f'<span class="place">{_place(finding, report)}</span></a></li>\n'
        for number, finding in found
    )
    return f'<nav aria-label="Findings">\n<ol>\n{items}</ol>\n</nav>\n'


def _tag(finding: Finding) -> str:
    return f'<span class="tag {finding.severity}">{finding.severity} {plain(finding.code)}</span>'


def _place(finding: Finding, report: Report) -> str:
    mark = next(iter(marks(finding)), None)
    return plain(f"{shown_path(mark.site.file, report.folder or None)}:{mark.site.line}") if mark is not None else ""


def _section(title: str, body: str, kind: str = "") -> str:
    name = title.lower().replace(" ", "-")
    return f'<section{kind} aria-labelledby="{name}">\n<h2 id="{name}">{title}</h2>\n{body}</section>\n' if body else ""


def _findings(report: Report) -> str:
    return _section("Findings", "".join(_finding(number, finding, report) for number, finding in _counted(report)))


def _finding(number: int, finding: Finding, report: Report) -> str:
    # Without a place to stand under, the label opens the explanation.
    label = f"{finding.label}. " if finding.label and finding.where is None else ""
    why = f"<dt>Why</dt><dd>{prose(label + finding.why)}</dd>" if (label + finding.why).strip() else ""
    fix = f'<dt class="fix">Fix</dt><dd>{prose(finding.fix)}</dd>' if finding.fix.strip() else ""
    return (
        f'<article id="finding-{number}" class="{finding.severity}" aria-labelledby="finding-{number}-title">\n'
        f'<p class="kicker">{_tag(finding)} <span class="rule">{plain(finding.rule)}</span></p>\n'
        f'<h3 id="finding-{number}-title">{prose(finding.message)}</h3>\n'
        f"{figures(finding, report)}\n<dl>{why}{fix}</dl>\n{_variables(finding)}{_more(finding)}</article>\n"
    )


def _variables(finding: Finding) -> str:
    names = finding.variables
    if not names or (len(names) == 1 and f"`{names[0]}`" in finding.message):
        return ""
    items = "".join(f"<li>{plain(name)}</li>" for name in names)
    state = " open" if len(names) <= _SHOWN_NAMES else ""
    return (
        f'<details{state}><summary>{count(len(names), "variable")}</summary><ul class="names">{items}</ul></details>\n'
    )


def _more(finding: Finding) -> str:
    seen = (
        f"Seen in {count(finding.seen, 'update')}, first in update {finding.first_update}. " if finding.seen > 1 else ""
    )
    if finding.code not in CODES:
        return f'<p class="more">{seen}</p>\n' if seen else ""
    return f'<p class="more">{seen}More: <a href="#{finding.code}">the page of {finding.code}</a></p>\n'


def _notes(report: Report) -> str:
    """Findings that are only worth knowing."""
    items = "".join(
        f'<li id="finding-{number}">{_tag(finding)} {prose(finding.message)}'
        f"{f' <small>{_place(finding, report)}</small>' if marks(finding) else ''}</li>"
        for number, finding in enumerate(report.findings, 1)
        if finding.severity == "note"
    )
    return _section("Worth knowing", f'<ul class="plain">{items}</ul>\n' if items else "")


def _drawings(report: Report) -> str:
    pictures = [
        heading + figure(one, report, number)
        for number, (one, heading) in enumerate(zip(report.drawings, _headings(report.drawings), strict=True), 1)
        if one.nodes
    ]
    return _section("The training step", "\n".join(pictures) + "\n" if pictures else "")


def _tables(report: Report) -> str:
    tables = [
        heading + made
        for one, heading in zip(report.ownership, _headings(report.ownership), strict=True)
        if (made := table(one, report))
    ]
    return _section("Who trains what", "\n".join(tables) + "\n" if tables else "")


def _headings(parts: Sequence[Ownership | Drawing]) -> list[str]:
    """What stands above each of several: its framework, and which phase of the program it is where there are more."""
    names = [one.framework for one in parts]
    phases = [f", phase {names[: i + 1].count(name)}" if names.count(name) > 1 else "" for i, name in enumerate(names)]
    if len(names) < 2:
        return [""] * len(names)
    return [f'<h3 class="phase">{plain(name)}{phase}</h3>\n' for name, phase in zip(names, phases, strict=True)]


def _unseen(report: Report) -> str:
    items = "".join(f"<li>{prose(note)}</li>" for note in dict.fromkeys(report.notes) if note.strip())
    return _section("What could not be seen", f"<ul>{items}</ul>\n" if items else "")


def _pages(report: Report) -> str:
    """The manual pages of the rules that found something, folded."""
    rules = [CODES[code] for code in dict.fromkeys(f.code for _, f in _counted(report)) if code in CODES]
    pages = "".join(
        f"<details><summary>{rule.code} {rule.name}: {prose(rule.summary)}</summary>"
        f'<div class="manual" id="{rule.code}" role="group" tabindex="0" aria-label="Page of {rule.code}">'
        f"{verbatim(_body(rule.manual))}</div></details>\n"
        for rule in rules
    )
    return _section("The rules", pages, ' class="pages"')


def _body(manual: str) -> str:
    """A manual page without its title."""
    return manual.strip().partition("\n")[2].strip("\n")
