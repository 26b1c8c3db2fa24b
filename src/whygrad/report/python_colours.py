"""What each character of a line of Python is: keyword, string, number, comment. One line at a time, never failing.

The lines of an excerpt lie apart, so that a tokenizer of whole files (`tokenize`) would stumble over them.
"""

from __future__ import annotations

import keyword
import re

_TOKEN = re.compile(
    r"""
    (?P<comment>\#.*)
  | (?P<string>[rbfuRBFU]{0,2}(?:'''(?:\\.|(?!''').)*(?:'''|$)|\"\"\"(?:\\.|(?!\"\"\").)*(?:\"\"\"|$)
                |'(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)))
  | (?P<number>(?<![\w.])(?:0[xXoObB][\da-fA-F_]+|\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?j?|\.\d[\d_]*(?:[eE][+-]?\d+)?))
  | (?P<decorator>^\s*@[\w.]+)
  | (?P<word>[^\W\d]\w*)
  | (?P<other>.)
    """,
    re.VERBOSE,
)
_CONSTANTS = ("True", "False", "None")
_SOFT = re.compile(r"\s*(match|case|type)\b(?!\s*[=.,)\]:(\[]).*:?\s*$")


def colours(line: str) -> list[str]:
    """For each character of a line, one of keyword, constant, string, number, comment, decorator, or nothing."""
    found: list[str] = []
    for match in _TOKEN.finditer(line):
        kind, text = match.lastgroup or "", match.group()
        found += [_style(kind, text, line)] * len(text)
    return found + [""] * (len(line) - len(found))  # what `.` does not match


def _style(kind: str, text: str, line: str) -> str:
    if kind == "word":
        if text in _CONSTANTS:
            return "constant"
        soft = text in ("match", "case", "type") and _SOFT.match(line) is not None and line.lstrip().startswith(text)
        return "keyword" if keyword.iskeyword(text) or soft else ""
    return "" if kind == "other" else kind
