"""Text of the user's program as HTML: escaped, every character visible, `code` in backticks as code."""

from __future__ import annotations

import re
from html import escape

from whygrad.report.excerpt import UNICODE, Page

PAGE = Page(100, UNICODE, "utf-8")


def plain(text: str) -> str:
    """On one line, escaped; fit for an attribute too."""
    return escape(PAGE.one_line(text))


def prose(text: str) -> str:
    """The same, with what stands in backticks as code."""
    parts = re.split(r"`([^`]+)`", PAGE.one_line(text))
    return "".join(f"<code>{escape(part)}</code>" if index % 2 else escape(part) for index, part in enumerate(parts))


def verbatim(text: str) -> str:
    """Escaped line by line, line breaks kept."""
    return "\n".join(escape(PAGE.clean(line)) for line in text.split("\n"))


def count(number: int, word: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}{'es' if word.endswith('x') else 's'}"
