"""The report as text for a terminal, in the manner of the best compilers.

`rows` lays the page out as styled text; `render` paints it. The notebook form paints the same rows.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TextIO

from whygrad.report.excerpt import ASCII, UNICODE, Page, Row, cells, excerpt, first_character, marks, shown_path
from whygrad.report.ownership_table import table_rows
from whygrad.report.report import Report
from whygrad.rules.finding import ORDER, Finding

NARROWEST, WIDEST, USUAL = 60, 100, 80
_NAMES_SHOWN = 6

_CODES = {
    "error": "1;31", "warning": "1;33", "note": "1;36", "good": "1;32",
    "station": "36", "gutter": "1;34", "strong": "1", "dim": "2",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """How to draw a report. `encoding` is what the text will be written in; None trusts `unicode`."""

    width: int = USUAL
    colour: bool = False
    unicode: bool = True
    quiet: bool = False
    encoding: str | None = None

    def page(self, report: Report | None = None) -> Page:
        """The page to draw a report on."""
        charset = self.encoding or ("utf-8" if self.unicode else "ascii")
        width, glyphs = max(self.width, NARROWEST), UNICODE if self.unicode else ASCII
        if report is None:
            return Page(width, glyphs, charset)
        return Page(width, glyphs, charset, report.line, report.folder or None)


def options_for(stream: TextIO, quiet: bool = False) -> Options:
    """What a stream can show: its width, colours, box characters."""
    tty = _is_tty(stream)
    encoding = _known(getattr(stream, "encoding", None))
    width = shutil.get_terminal_size((USUAL, 24)).columns if tty else USUAL
    return Options(
        width=min(max(width, NARROWEST), WIDEST),
        colour=_wants_colour(tty),
        unicode=_can_encode("".join((UNICODE.bar, UNICODE.below, UNICODE.before, UNICODE.cut)), encoding),
        quiet=quiet,
        encoding=encoding,
    )


def _is_tty(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # a stand-in for a stream, a closed stream
        return False


def _wants_colour(tty: bool) -> bool:
    """The order in which Python itself asks: NO_COLOR, then FORCE_COLOR, then the terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return tty and os.environ.get("TERM") != "dumb"


def _known(encoding: object) -> str:
    """An encoding that exists: a stream of plain text (StringIO) has none and takes everything."""
    if not isinstance(encoding, str):
        return "utf-8"
    try:
        "".encode(encoding)
    except LookupError:
        return "ascii"
    return encoding


def _can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def render(report: Report, options: Options) -> str:
    """The report as text, without a line break at its end."""
    return "\n".join(_painted(row, options.colour) for row in rows(report, options))


def _painted(row: Row, colour: bool) -> str:
    if not colour:
        return "".join(text for _, text in row)
    return "".join(f"\x1b[{_CODES[style]}m{text}\x1b[0m" if style in _CODES else text for style, text in row)


def rows(report: Report, options: Options) -> list[Row]:
    """The page line by line: errors and warnings, notes, what could not be seen, and the summary last."""
    page = options.page(report)
    if options.quiet:
        lines = [*(_short(finding, report, page) for finding in _sorted(report)), *_summary(report, page)]
    else:
        lines = _whole(report, page)
    return [_trimmed(row) for row in lines]


def _trimmed(row: Row) -> Row:
    """Without blanks at its end, coloured ones included."""
    row = list(row)
    while row and not row[-1][1].strip(" "):
        row.pop()
    if row:
        row[-1] = (row[-1][0], row[-1][1].rstrip(" "))
    return row


def _whole(report: Report, page: Page) -> list[Row]:
    findings = _sorted(report)
    sections = [_finding(finding, page) for finding in findings if finding.severity != "note"]
    sections.append([row for finding in findings if finding.severity == "note" for row in _note(finding, page)])
    tables = [table_rows(table, page) for table in report.ownership]
    sections += [rows for index, rows in enumerate(tables) if rows not in tables[:index]]  # phases may look alike
    unseen: Row = [("note", "note: ")]
    sections.append([row for note in dict.fromkeys(report.notes) for row in _paragraph(unseen, note, page)])
    sections.append([*_stopped(report, page), *_summary(report, page)])
    lines: list[Row] = []
    for section in sections:
        if section:
            lines += [[], *section] if lines else section
    return lines


def _sorted(report: Report) -> list[Finding]:
    return sorted(report.findings, key=lambda finding: ORDER.index(finding.severity))


def _finding(finding: Finding, page: Page) -> list[Row]:
    head: Row = [(finding.severity, f"{finding.severity}[{finding.code}]"), ("strong", f" {finding.rule}: ")]
    lines = _paragraph(head, finding.message, page, hang=2, style="strong")
    lines += excerpt(finding, page)
    if not _named_in_message(finding):
        lines += _paragraph([("strong", "  variables: ")], _names(finding), page)
    # Without a place to stand under, the label opens the explanation.
    label = f"{finding.label}. " if finding.label and finding.where is None else ""
    lines += _paragraph([("strong", "  why: ")], label + finding.why, page)
    lines += _paragraph([("good", "  fix: ")], finding.fix, page)
    lines += _paragraph([("strong", "  more: ")], f"whygrad explain {finding.code}", page)
    return lines


def _named_in_message(finding: Finding) -> bool:
    return len(finding.variables) == 1 and f"`{finding.variables[0]}`" in finding.message


def _names(finding: Finding) -> str:
    names = finding.variables
    more = len(names) - _NAMES_SHOWN
    return ", ".join(names[:_NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _paragraph(head: Row, text: str, page: Page, hang: int | None = None, style: str = "") -> list[Row]:
    """A heading and a text beside it, wrapped under itself (or `hang` cells in); nothing where there is no text."""
    if not text.strip():
        return []
    head = [(kind, page.clean(part)) for kind, part in head]
    begin = cells("".join(part for _, part in head))
    hang = begin if hang is None else hang
    first, *more = page.wrap(text, page.width - hang, page.width - begin)
    return [[*head, (style, first)], *([("", " " * hang), (style, line)] for line in more)]


def _note(finding: Finding, page: Page) -> list[Row]:
    """A finding that is only worth knowing, in a line or two."""
    place = next((f" ({shown_path(m.site.file, page.folder)}:{m.site.line})" for m in marks(finding)), "")
    head: Row = [("note", f"note[{finding.code}]"), ("", f" {finding.rule}: ")]
    return _paragraph(head, finding.message + place, page, hang=2)


def _short(finding: Finding, report: Report, page: Page) -> Row:
    """`train.py:44:9: error[W104] message`, however long: other programs read it."""
    place = shown_path(report.script, page.folder)
    if finding.where is not None:
        column = first_character(finding.where, page.read) + 1
        place = f"{shown_path(finding.where.file, page.folder)}:{finding.where.line}:{column}"
    named = page.clean(f"{finding.severity}[{finding.code}]")
    start = f"{page.clean(place)}: " if place else ""
    return [("", start), (finding.severity, named), ("", f" {page.one_line(finding.message)}")]


def _stopped(report: Report, page: Page) -> list[Row]:
    """What ended the script, in one line; its traceback has the rest."""
    if report.script_error is None:
        return []
    error = next((line for line in report.script_error.splitlines() if line.strip()), "an error without a message")
    head = "the script stopped with: "
    return [[("strong", head), ("", page.shorten(error, page.width - len(head)))]]


def _summary(report: Report, page: Page) -> list[Row]:
    style, text = summary(report)
    return _paragraph([], text, page, hang=2, style=style)


def summary(report: Report) -> tuple[str, str]:
    """The style and the text of the last line."""
    script = shown_path(report.script, report.folder or None) or "the recorded code"
    seen = _count(report.updates, "update")
    frameworks = ", ".join(report.frameworks)
    counts = ", ".join(_count(report.count(level), level) for level in ORDER if report.count(level))
    if not report.clean:
        when = f"{seen} traced" if report.updates else "before the first update"
        return "error" if report.count("error") else "warning", f"{counts} in {script} ({_listed(when, frameworks)})"
    if not report.frameworks:
        return "warning", f"neither PyTorch, TensorFlow nor JAX was imported by {script}: nothing to look at"
    if not report.updates:
        ended = " before it stopped" if report.script_error is not None else ""
        return "warning", (
            f"nothing was trained: no optimizer step was seen in {script}{ended} ({frameworks}); whygrad looks at "
            "gradients when an optimizer applies them, so let the script reach its first update"
        )
    notes = f", {counts}" if counts else ""
    return "good", f"no gradient faults found in {script}{notes} ({seen} seen, {frameworks})"


def _listed(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
