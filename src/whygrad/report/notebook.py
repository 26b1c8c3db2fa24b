"""The report as a small piece of HTML for a notebook: the rows of the terminal form, painted with inline styles."""

from __future__ import annotations

from html import escape

from whygrad.report.excerpt import Row
from whygrad.report.report import Report
from whygrad.report.terminal import Options, rows, summary

_WIDTH = 100

# A notebook may be light or dark and does not say which: text takes the notebook's own colour, and these are of a
# middle brightness, with a contrast of about 4.5 on white and 4 on near-black.
_STYLES = {
    "error": "color:#e03131;font-weight:bold",
    "warning": "color:#a86500;font-weight:bold",
    "note": "color:#0b7f99;font-weight:bold",
    "good": "color:#2b8a3e;font-weight:bold",
    "station": "color:#0b7f99",
    "gutter": "color:#4670d8",
    "strong": "font-weight:bold",
    "dim": "opacity:.65",
}
# Line height 1.2 lets the box characters touch.
_FRAME = (
    "color:inherit;background:transparent;border:0;margin:0;padding:0;overflow-x:auto;white-space:pre;"
    "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:13px;line-height:1.2"
)


def render(report: Report) -> str:
    """The report as an HTML fragment that needs nothing from outside."""
    options = Options(width=_WIDTH)
    lines = "\n".join(_painted(row) for row in rows(report, options))
    label = escape(options.page().one_line(f"whygrad: {summary(report)[1]}"))
    return f'<div role="region" aria-label="{label}"><pre style="{escape(_FRAME)}">{lines}</pre></div>'


def _painted(row: Row) -> str:
    return "".join(
        f'<span style="{_STYLES[style]}">{escape(text)}</span>' if style in _STYLES else escape(text)
        for style, text in row
    )
