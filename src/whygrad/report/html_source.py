"""The source that a finding is about, as HTML: coloured, the expression underlined, the stations of the way below."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from whygrad.report.excerpt import Mark, characters, marks, shown_path
from whygrad.report.html_text import PAGE, plain, prose
from whygrad.report.python_colours import colours
from whygrad.report.report import Report
from whygrad.report.sources import CONTEXT, kept
from whygrad.rules.finding import Finding

_TAB = 4
_FAR = 2 * CONTEXT + 1


def figures(finding: Finding, report: Report) -> str:
    """One figure per file, the file of the finding itself first."""
    files: dict[str, list[Mark]] = {}
    for mark in marks(finding):
        files.setdefault(mark.site.file, []).append(mark)
    known = kept(report)
    return "".join(_figure(file, found, report, known.get(file, {})) for file, found in files.items())


def _figure(file: str, found: list[Mark], report: Report, known: dict[int, str]) -> str:
    path = plain(shown_path(file, report.folder or None))
    first = found[0].site
    inside = f" <span>in {plain(first.function)}</span>" if first.function not in ("", "<module>") else ""
    missing = (
        "" if any(known.get(mark.site.line, "").strip() for mark in found) else " <span>source not available</span>"
    )
    caption = f"<figcaption>{path}:{first.line}{inside}{missing}</figcaption>"
    body = "".join(_rows(found, known))
    return (
        f'<figure class="source">{caption}'
        f'<div class="code" role="group" tabindex="0" aria-label="Source of {path}">{body}</div></figure>'
    )


def _rows(found: list[Mark], known: dict[int, str]) -> Iterable[str]:
    marked = {mark.site.line for mark in found}
    shown = sorted(marked | {n for line in marked for n in range(line - CONTEXT, line + CONTEXT + 1) if n in known})
    shown = _without_blank_edges(shown, marked, known)
    texts = {number: known.get(number, "").rstrip() for number in shown}
    shift = min((_indent(text) for text in texts.values() if text), default=0)
    before = None
    for number in shown:
        if before is not None and number - before > 1:
            yield '<div class="gap" aria-hidden="true">⋮</div>'
        here = sorted((m for m in found if m.site.line == number), key=lambda m: (not m.main, -m.site.column))
        line = _Line(texts[number], shift)
        kind = "ln" if here else "ln context"
        yield f'<div class="{kind}"><span class="no">{number}</span><code>{line.html(here)}</code></div>'
        for mark in here:
            if mark.text.strip():
                yield line.says(mark)
        before = number


def _without_blank_edges(shown: list[int], marked: set[int], known: dict[int, str]) -> list[int]:
    """Less the blank lines at the beginning and at the end of each run of lines."""
    kept_lines = set(shown)
    for step in (1, -1):
        for number in shown if step == 1 else reversed(shown):
            edge = number - step not in kept_lines
            if edge and number not in marked and not known.get(number, "").strip():
                kept_lines.discard(number)
    return sorted(kept_lines)


def _indent(text: str) -> int:
    expanded = text.expandtabs(_TAB)
    return len(expanded) - len(expanded.lstrip(" "))


class _Line:
    """One line: for each character what is shown for it, and in which colour."""

    def __init__(self, raw: str, shift: int) -> None:
        self.raw, self.shift = raw, shift
        self.pieces: list[str] = []
        self.starts = [0]
        for character in raw:
            at = self.starts[-1]
            piece = " " * (_TAB - at % _TAB) if character == "\t" else PAGE.clean(character)
            self.pieces.append(piece)
            self.starts.append(at + len(piece))

    def _reach(self, mark: Mark) -> tuple[int, int]:
        """The characters of an expression: of its first line, where it has several; of the whole line, if unknown."""
        site = mark.site
        begin = min(characters(self.raw, site.column), len(self.raw))
        end = min(characters(self.raw, site.end_column), len(self.raw)) if site.end_line == site.line else self._end
        return (begin, end) if begin < end else (len(self.raw) - len(self.raw.lstrip()), self._end)

    @property
    def _end(self) -> int:
        """Where the code of the line ends, before a comment."""
        kinds = colours(self.raw)
        code = self.raw[: kinds.index("comment")] if "comment" in kinds else self.raw
        return len(code.rstrip()) or len(self.raw)

    def html(self, here: list[Mark]) -> str:
        """The line with its colours, what is marked underlined."""
        kinds = colours(self.raw)
        marked = [""] * len(self.raw)
        for mark in reversed(here):  # the finding's own mark last: where two overlap it is the one to see
            begin, end = self._reach(mark)
            marked[begin:end] = ["main" if mark.main else "station"] * (end - begin)
        runs: list[tuple[str, str, str]] = []
        cut = self.shift
        for piece, kind, mark_kind in zip(self.pieces, kinds, marked, strict=True):
            if cut > 0:  # indentation that all lines share
                cut, piece = cut - len(piece), piece[min(cut, len(piece)) :]
            if runs and runs[-1][0] == mark_kind and runs[-1][1] == kind:
                runs[-1] = (mark_kind, kind, runs[-1][2] + piece)
            else:
                runs.append((mark_kind, kind, piece))
        text, open_mark = "", ""
        for mark_kind, kind, piece in runs:
            if mark_kind != open_mark:
                text += "</mark>" if open_mark else ""
                text += f'<mark class="{mark_kind}">' if mark_kind else ""
                open_mark = mark_kind
            text += f'<span class="{kind}">{escape(piece)}</span>' if kind else escape(piece)
        return text + ("</mark>" if open_mark else "")

    def says(self, mark: Mark) -> str:
        """What stands below a marked expression, beginning under it."""
        begin = max(self.starts[self._reach(mark)[0]] - self.shift, 0)
        kind, hook = ("main", "") if mark.main else ("station", '<span class="hook" aria-hidden="true">╰── </span>')
        pad = f'<span class="pad">{" " * begin}</span>'
        return f'<div class="say {kind}">{pad}<span class="text">{hook}{prose(mark.text)}</span></div>'
