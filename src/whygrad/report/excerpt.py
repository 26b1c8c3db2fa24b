"""The user's source with marks under it, as rows of styled text.

Whoever paints the rows (a terminal, a notebook) only has to know the styles. Everything that comes from the user's
program passes through `Page.clean`, so that no character of it can command a terminal.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from whygrad.flow.site import Site
from whygrad.flow.source import Read, line_text
from whygrad.rules.finding import Finding

Span = tuple[str, str]
"""A style and a text. Styles: "", error, warning, note, good, station, gutter, strong, dim."""
Row = list[Span]

_TAB = 4
_KEPT_INDENT = 4
"""How much of the indentation that all shown lines share is kept; the rest only costs room."""
_FAR = 5
"""Lines further apart than this get a mark between them; nearer ones speak through their numbers."""
_NARROW = 28
"""A column of text narrower than this reads badly: the text moves elsewhere."""
_WIDE = 44
"""The room that a text gets when it has moved."""
_TALL = 3
"""So many lines beside an underlined expression are too many."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters a page is drawn with."""

    bar: str
    below: str
    before: str
    cut: str


UNICODE = Glyphs(bar="│", below="╰──", before="──╯", cut="…")
ASCII = Glyphs(bar="|", below="'--", before="--'", cut="...")

_PLAIN = {
    "…": "...", "–": "-", "—": "--", "→": "->", "×": "x", "·": "-", "≤": "<=", "≥": ">=", "≠": "!=", "‘": "'", "’": "'",
    "“": '"', "”": '"',
}  # fmt: skip
_CELL = re.compile(r"[/\\]ipykernel_\d+[/\\]\d+\.py$")
_JOINERS = "\u200c\u200d"  # part of how emoji and several scripts are written, and harmless


@dataclass(frozen=True, slots=True)
class Page:
    """What a page can hold: its width in cells, its drawing characters, and the characters it can show."""

    width: int
    glyphs: Glyphs
    charset: str
    read: Read = line_text
    folder: str | None = None
    """What paths are shown relative to; None for the current directory."""

    def place(self, site: Site) -> str:
        """`train.py:44`, cleaned."""
        return f"{self.clean(shown_path(site.file, self.folder))}:{site.line}"

    def clean(self, text: str) -> str:
        """The text with control, direction and invisible characters, and what the charset lacks, written out."""
        if text.isascii() and text.isprintable():
            return text
        return "".join(self._character(character) for character in text)

    def _character(self, character: str) -> str:
        category = unicodedata.category(character)
        hidden = category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in _JOINERS)
        if hidden:
            return _written_out(character)
        try:
            character.encode(self.charset)
        except UnicodeEncodeError:
            return _PLAIN.get(character) or _written_out(character)
        return character

    def one_line(self, text: str) -> str:
        """Cleaned, with line breaks and runs of blanks as one blank."""
        return " ".join(self.clean(word) for word in _words(text))

    def wrap(self, text: str, room: int, first: int | None = None) -> list[str]:
        """Lines of at most `room` cells (the first one of `first`), broken between words where that is possible."""
        lines, line = [], ""
        limit = room if first is None else first
        for word in _words(text):
            for piece in _pieces(self.clean(word), room):
                joined = f"{line} {piece}" if line else piece
                if cells(joined) <= limit:
                    line = joined
                    continue
                # An empty first line is right where the text begins beside a long heading.
                lines.append(line)
                line, limit = piece, room
        return [*lines, line]

    def shorten(self, text: str, room: int) -> str:
        """One line, cut to `room` cells."""
        text = self.one_line(text)
        if cells(text) <= room:
            return text
        kept = next(_pieces(text, room - len(self.glyphs.cut)))
        return kept.rstrip() + self.glyphs.cut


def _words(text: str) -> list[str]:
    """Words, with short code in backticks as one of them: code is copied, and a line break would come along."""
    # Not str.split(): that also swallows control characters, which are to be seen.
    text = re.sub(r"[ \t\r\n]+", " ", text)
    words = re.findall(r"(?:`[^`]*`|[^ ])+", text)
    return [part for word in words for part in ([word] if len(word) <= _WIDE else word.split(" ")) if part]


def _written_out(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word, broken where it is longer than a line."""
    room = max(room, 2)
    while cells(word) > room:
        end, used = 0, 0
        while used + _cell(word[end]) <= room:
            used += _cell(word[end])
            end += 1
        yield word[:end]
        word = word[end:]
    yield word


def _cell(character: str) -> int:
    """How many columns a terminal gives a character."""
    if character.isascii():
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def cells(text: str) -> int:
    """How many columns a terminal gives a text."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def shown_path(file: str, folder: str | None = None) -> str:
    """Relative where the file lies below the folder (the current one where none is given), as it is otherwise."""
    if _CELL.search(file):
        return "notebook cell"
    try:
        here = os.path.join(folder or os.getcwd(), "")
    except OSError:  # the script removed its own directory
        return file
    return os.path.relpath(file, here) if file.startswith(here) and file != here else file


def first_character(site: Site, read: Read = line_text) -> int:
    """The column of a site in characters; the interpreter counts UTF-8 bytes."""
    return characters(read(site.file, site.line), site.column)


def characters(text: str, offset: int) -> int:
    """How many characters of a line lie before a byte of it."""
    if not text:
        return offset
    return len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore"))


@dataclass(frozen=True, slots=True)
class Mark:
    """Something to say about an expression. The main mark is the finding's own; the others are stations."""

    site: Site
    text: str
    main: bool

    @property
    def span(self) -> tuple[str, int, int, int, int]:
        """What is underlined, whoever says it."""
        site = self.site
        return site.file, site.line, site.column, site.end_line, site.end_column


def marks(finding: Finding) -> list[Mark]:
    """What the excerpt of a finding points at: the place itself first, then the other stations of the way."""
    found = [Mark(finding.where, finding.label, True)] if finding.where is not None else []
    place = found[0].span if found else None
    for step in finding.path:
        mark = Mark(step.site, step.role, False)
        if mark.span != place and mark not in found:
            found.append(mark)
    return found


def excerpt(finding: Finding, page: Page) -> list[Row]:
    """The source a finding is about: one block per file, the file of the finding itself first."""
    files: dict[str, list[Mark]] = {}
    for mark in marks(finding):
        files.setdefault(mark.site.file, []).append(mark)
    if not files:
        return []
    highest = max(mark.site.line for group in files.values() for mark in group)
    gutter = max(5, len(str(highest)) + 1)
    rows: list[Row] = []
    for file, group in files.items():
        rows += _Block(file, group, page, gutter, finding.severity).rows()
    return rows


class _Line:
    """A source line as a page shows it: tabs expanded, hidden characters written out, and where each one begins."""

    def __init__(self, raw: str, page: Page) -> None:
        self.raw = raw
        self.pieces: list[str] = []
        self.starts = [0]
        for character in raw.rstrip():
            at = self.starts[-1]
            piece = " " * (_TAB - at % _TAB) if character == "\t" else page.clean(character)
            self.pieces.append(piece)
            self.starts.append(at + cells(piece))

    @property
    def end(self) -> int:
        return self.starts[-1]

    @property
    def indent(self) -> int:
        return self.starts[len(self.raw) - len(self.raw.lstrip())] if self.pieces else 0

    def reach(self, site: Site) -> tuple[int, int]:
        """The cells of an expression: of its first line, where it has several; of the whole line, where unknown."""
        begin = self._cell_at(site.column)
        end = self._cell_at(site.end_column) if site.end_line == site.line else self.end
        return (begin, end) if begin < end else (self.indent, self.end)

    def _cell_at(self, offset: int) -> int:
        return self.starts[min(characters(self.raw, offset), len(self.pieces))]

    def window(self, begin: int, end: int) -> str:
        """The text in some cells; half of a wide character becomes a blank."""
        text, used = "", begin
        for piece, at in zip(self.pieces, self.starts, strict=False):
            if at >= end:
                break
            # Blanks and written-out characters can be shown in part, others only whole.
            whole = at >= begin and at + cells(piece) <= end
            part = piece[max(begin - at, 0) : end - at] if piece.isascii() else piece if whole else ""
            if not part:
                continue
            text += " " * (max(at, begin) - used) + part
            used = max(at, begin) + cells(part)
        return text.rstrip()


class _Block:
    """The lines of one file with their marks."""

    def __init__(self, file: str, found: list[Mark], page: Page, gutter: int, severity: str) -> None:
        self.page, self.gutter, self.severity = page, gutter, severity
        self.file, self.marks = file, found
        self.room = page.width - gutter - 3
        self.lines = {n: _Line(page.read(file, n), page) for n in sorted({mark.site.line for mark in found})}
        readable = [line.indent for line in self.lines.values() if line.pieces]
        self.shift = max(0, min(readable, default=0) - _KEPT_INDENT)

    def rows(self) -> list[Row]:
        head: Row = [("gutter", "  --> "), ("", self.page.place(self.marks[0].site))]
        if not any(line.pieces for line in self.lines.values()):
            head.append(("dim", " (source not available)"))
        rows, before = [head], None
        for number, line in self.lines.items():
            if before is not None and number - before > _FAR:
                rows.append([("dim", self.page.glyphs.cut.rjust(self.gutter))])
            rows += self._line(number, line)
            before = number
        return rows

    def _line(self, number: int, line: _Line) -> list[Row]:
        here = sorted((m for m in self.marks if m.site.line == number), key=lambda m: (not m.main, -m.site.column))
        if not line.pieces:
            rows = [row for mark in here for row in self._mark(mark, 0, 1)]
            return [self._row([] if i else [number], row) for i, row in enumerate(rows)]
        text, offset, last = self._window(line, *self._in_view(line, here))
        rows = [self._row([number], [("", text)])]
        for mark in here:
            begin, end = (min(max(cell - offset, 0), last) for cell in line.reach(mark.site))
            begin = min(begin, last - 1)
            rows += [self._row([], row) for row in self._mark(mark, begin, max(end, begin + 1))]
        return rows

    def _row(self, number: list[int], rest: Row) -> Row:
        digits = str(number[0]) if number else ""
        return [("gutter", f"{digits:>{self.gutter}} {self.page.glyphs.bar}"), ("", " "), *rest]

    def _in_view(self, line: _Line, here: list[Mark]) -> tuple[int, int]:
        """The cells that a cut line must still show: all that is marked, or the most important mark alone."""
        reaches = [line.reach(mark.site) for mark in here]
        begin, end = min(begin for begin, _ in reaches), max(end for _, end in reaches)
        return (begin, end) if end - begin <= self.room - 2 * len(self.page.glyphs.cut) else reaches[0]

    def _window(self, line: _Line, begin: int, end: int) -> tuple[str, int, int]:
        """The part of a line that fits, around what is underlined; its offset in the line; one past its last cell."""
        cut, left, room = self.page.glyphs.cut, self.shift, self.room
        if line.end - left <= room:
            return line.window(left, line.end), left, line.end - left
        if end - begin > room - 2 * len(cut):
            # It does not fit: its beginning says more than its end.
            left = max(left, begin - room // 4)
        elif end - left > room - len(cut):
            # Move right until it ends in view, with a little of what follows.
            left = max(left, min(begin, min(end + 8, line.end) - room + 2 * len(cut)))
        if left <= self.shift:
            return line.window(self.shift, self.shift + room - len(cut)) + cut, self.shift, room - len(cut)
        offset = left - len(cut)
        if line.end - offset <= room:
            return cut + line.window(left, line.end), offset, line.end - offset
        return cut + line.window(left, offset + room - len(cut)) + cut, offset, room - len(cut)

    def _mark(self, mark: Mark, begin: int, end: int) -> list[Row]:
        if mark.main:
            return [[("", " " * at), (self.severity, text)] for at, text in self._carets(mark.text, begin, end)]
        return [[("", " " * at), ("station", text)] for at, text in self._station(mark.text, begin)]

    def _carets(self, text: str, begin: int, end: int) -> Iterable[tuple[int, str]]:
        carets, length = "^" * (end - begin), cells(self.page.one_line(text))
        beside = self.room - end - 1
        if not length:
            return [(begin, carets)]
        if beside >= min(_NARROW, length):
            first, *more = self.page.wrap(text, beside)
            if len(more) < _TALL:
                return [(begin, f"{carets} {first}"), *((end + 1, line) for line in more)]
        # Below, from where the carets begin, or further left where that leaves too little room.
        at = begin if self.room - begin >= min(length, _NARROW) else self.room - min(length, _WIDE)
        return [(begin, carets), *((at, line) for line in self.page.wrap(text, self.room - at))]

    def _station(self, text: str, begin: int) -> Iterable[tuple[int, str]]:
        glyphs, length = self.page.glyphs, cells(self.page.one_line(text))
        after, before = self.room - begin - 4, begin - 3
        if after >= min(length, _NARROW) and not after < length <= before:
            first, *more = self.page.wrap(text, after)
            return [(begin, f"{glyphs.below} {first}"), *((begin + 4, line) for line in more)]
        # Too near the right edge: the text stands left of the mark.
        first, *more = self.page.wrap(text, before)
        at = before - max(map(cells, (first, *more)))
        gap = " " * (before - at - cells(first))
        return [(at, f"{first}{gap} {glyphs.before}"), *((at, line) for line in more)]
