"""The fenced blocks of a Markdown page, with the marks that stand before them as HTML comments.

| mark | |
|---|---|
| `<!-- not run: REASON -->` | cannot be run in a test; Python is compiled, options of commands are parsed |
| `<!-- slow: REASON -->` | is run by `make test-docs-long` alone |
| `<!-- file: train.py -->` | is written to this file, for the commands that follow; Python is compiled |
| `<!-- raises: NAME -->` | a Python block that ends with this exception |
| `<!-- status: 3 -->` | the exit status of the commands of a block |
| `<!-- output -->` | a text block: what the block before it printed, word for word; a line `⋮` is any lines |
| `<!-- output of: COMMAND -->` | the same for a command that the test runs |

A text block without a mark shows what output looks like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CODE = {"python", "sh", "console", "yaml", "json", "html"}
OUTPUT = {"text"}
MARKS = ("not run", "slow", "file", "raises", "status", "output of", "output")
_FENCE = re.compile(r"^(\s*)(```+)\s*(\S*)\s*$")
_COMMENT = re.compile(r"^\s*<!--\s*(.*?)\s*-->\s*$")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    language: str
    text: str
    marks: dict[str, str]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_skipped(self) -> bool:
        return "not run" in self.marks

    def commands(self) -> list[str]:
        """The command lines of a block of sh, of a console session, or of a workflow."""
        lines = self.text.replace("\\\n", " ").splitlines()
        if self.language == "sh":
            return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
        if self.language in ("console", "text"):
            return [line[2:] for line in lines if line.startswith("$ ")]
        if self.language == "yaml":
            return [found.group(1) for line in lines if (found := re.match(r"\s*-?\s*run: (?!\|)(.*)", line))]
        return []


def pages() -> list[str]:
    """Every page that people read, but those that are made from code."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("lessons/*.md")]
    found += [ROOT / "benchmarks/README.md", ROOT / "examples/README.md"]
    return sorted(str(path.relative_to(ROOT)) for path in found)


def blocks(page: str) -> list[Block]:
    """The blocks of one page, in order."""
    return blocks_of(page, (ROOT / page).read_text(encoding="utf-8"))


def blocks_of(page: str, text: str) -> list[Block]:
    """The blocks of a Markdown text."""
    found: list[Block] = []
    marks: dict[str, str] = {}
    start, indent, fence, language, inside = 0, "", "", "", []
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(2) == fence and not mark.group(3):
                found.append(Block(page, start, language, "\n".join(inside) + "\n", marks))
                fence, marks = "", {}
            else:
                inside.append(line.removeprefix(indent))
        elif mark:
            indent, fence, language = mark.groups()
            start, inside = number, []
        elif comment := _COMMENT.match(line):
            name, _, value = comment.group(1).partition(":")
            marks[name.strip()] = value.strip()
        elif line.strip():
            marks = {}
    if fence:
        raise ValueError(f"{page}:{start}: a block that does not end")
    return found
