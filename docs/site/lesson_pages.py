"""Lessons as pages: cells of text become text, cells of code become blocks."""

from __future__ import annotations

import re
from pathlib import Path

_CELL = re.compile(r"^# %%( \[markdown\])?$", re.MULTILINE)


def cells(text: str) -> list[tuple[bool, str]]:
    """(is it text, its content) of every cell of a file in Jupytext's percent format."""
    parts = _CELL.split(text)
    found = [(bool(kind), body.strip()) for kind, body in zip(parts[1::2], parts[2::2], strict=True)]
    return [(is_text, re.sub(r"^# ?", "", body, flags=re.MULTILINE) if is_text else body) for is_text, body in found]


def lesson_page(lesson: Path) -> str:
    """A lesson as Markdown, with a line that says how to run it after its title."""
    parts = []
    for number, (is_text, body) in enumerate(cells(lesson.read_text(encoding="utf-8"))):
        if number == 0:
            title, _, rest = body.partition("\n")
            run = f"Run it: `python lessons/{lesson.name}`, or open the file as a notebook ([how](README.md))."
            body = f"{title}\n\n{run}\n\n{rest.strip()}"
        parts.append(body if is_text else f"```python\n{body}\n```")
    return "\n\n".join(parts) + "\n"
