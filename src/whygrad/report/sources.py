"""The lines of source that a report is about, so that it can be drawn where the files are gone or have changed."""

from __future__ import annotations

import io
import linecache
import os
import tokenize
from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.report.report import Report

CONTEXT = 2
"""Lines shown around the one that matters, where there is room for them."""
_TALLEST = 30
"""An expression over more lines than this is not kept whole."""


def kept(report: Report) -> dict[str, dict[int, str]]:
    """For each file, the lines around every place that the report names."""
    if report.sources is not None:
        return {file: dict(lines) for file, lines in report.sources.items()}
    wanted: dict[str, set[int]] = {}
    around: dict[str, set[int]] = {}
    for site in _sites(report):
        last = min(site.end_line, site.line + _TALLEST)
        wanted.setdefault(site.file, set()).update(range(site.line, last + 1))
        around.setdefault(site.file, set()).update(range(site.line - CONTEXT, site.line + CONTEXT + 1))
    found: dict[str, dict[int, str]] = {}
    for file, numbers in wanted.items():
        lines = linecache.getlines(file)
        # A line of a docstring, without its beginning, would be read and coloured as code.
        numbers = numbers | (around[file] - _inside_strings(lines))
        texts = {n: lines[n - 1].rstrip("\r\n") for n in sorted(numbers) if 1 <= n <= len(lines)}
        if texts:
            found[file] = texts
    return found


def _sites(report: Report) -> Iterator[Site]:
    for finding in report.findings:
        places = [finding.where, finding.loss, *(step.site for step in finding.path)]
        yield from (site for site in places if site is not None)
    for table in report.ownership:
        places = [*(row.site for row in table.losses), *(row.site for row in table.optimizers)]
        yield from (site for site in places if site is not None)
    for drawing in report.drawings:
        yield from (node.site for node in drawing.nodes if node.site is not None)


def _inside_strings(lines: list[str]) -> set[int]:
    """Numbers of the lines that begin inside a string; what cannot be read as Python has none."""
    found: set[int] = set()
    begin: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
            kind = tokenize.tok_name[token.type]
            if kind == "STRING":
                found.update(range(token.start[0] + 1, token.end[0] + 1))
            elif kind.endswith("STRING_START"):  # an f-string, from Python 3.12 on
                begin.append(token.start[0])
            elif kind.endswith("STRING_END") and begin:
                found.update(range(begin.pop() + 1, token.end[0] + 1))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def project_root(folder: str) -> str:
    """The repository that a folder lies in, else the folder itself."""
    at = folder
    while at and not os.path.exists(os.path.join(at, ".git")):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at or folder
