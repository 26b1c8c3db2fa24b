"""The table of who trains what, as rows of styled text: losses down, networks across, in each field the optimizer."""

from __future__ import annotations

from whygrad.flow.ownership import Cell, LossRow, Network, Ownership
from whygrad.report.excerpt import Page, Row, cells

_WORDS = {
    "cleared": "cleared", "unapplied": "not applied", "unasked": "not asked for", "stopped": "stopped", "unused": "-",
}  # fmt: skip
_STYLES = {
    "applied": "good", "cleared": "dim", "unapplied": "station", "unasked": "dim", "stopped": "station",
    "unused": "dim",
}  # fmt: skip
_GAP = "  "
_LONGEST = 28
"""A name longer than this is cut, so that one name does not take the room of the others."""


def table_rows(table: Ownership, page: Page) -> list[Row]:
    """The table where it fits the page, else one short paragraph for each loss."""
    if not table.telling:
        return []
    lines: list[Row] = [[("strong", "who trains what")]]
    across = _grid(table, page)
    lines += across if across is not None else _list(table, page)
    copies = [f"{n.name} is a copy of {n.copy_of}" for n in table.networks if n.copy_of]
    for text in page.wrap("; ".join(copies), page.width - 2) if copies else ():
        lines.append([("dim", f"  {text}")])
    return lines


def _grid(table: Ownership, page: Page) -> list[Row] | None:
    heads = [page.shorten(_head(n), _LONGEST) for n in table.networks]
    names = [page.shorten(_place(table, row, page), 2 * _LONGEST) for row in table.losses]
    fields = [[page.shorten(_word(table, c, n), _LONGEST) for c, n in _fields(table, row)] for row in table.losses]
    first = max(cells(name) for name in ["loss", *names])
    wide = [max(cells(head), *(cells(row[i]) for row in fields)) for i, head in enumerate(heads)]
    if 2 + first + sum(len(_GAP) + width for width in wide) > page.width:
        return None
    top: Row = [("dim", "  " + _padded("loss", first))]
    top += [("strong", _GAP + _padded(head, width)) for head, width in zip(heads, wide, strict=True)]
    lines: list[Row] = [top]
    for row, name, texts in zip(table.losses, names, fields, strict=True):
        line: Row = [("", "  " + _padded(name, first))]
        for cell, text, width in zip(row.cells, texts, wide, strict=True):
            line.append((_STYLES[cell.state], _GAP + _padded(text, width)))
        lines.append(line)
    return lines


def _list(table: Ownership, page: Page) -> list[Row]:
    """For a narrow page or many networks: each loss with what it trains, and what else it is computed from."""
    lines: list[Row] = []
    for row in table.losses:
        lines.append([("", f"  {page.shorten(_place(table, row, page), page.width - 2)}")])
        groups: dict[tuple[str, str], list[str]] = {}
        for cell, network in _fields(table, row):
            if cell.state != "unused":
                groups.setdefault((cell.state, _word(table, cell, network)), []).append(network.name)
        for (state, word), names in groups.items():
            verb = f"trains, by {word}: " if state == "applied" else f"{word}: "
            first, *more = page.wrap(", ".join(names), page.width - 6, page.width - 4 - cells(verb))
            lines.append([("", "    "), (_STYLES[state], page.clean(verb)), ("", first)])
            lines += [[("", f"      {text}")] for text in more]
    return lines


def _fields(table: Ownership, row: LossRow) -> list[tuple[Cell, Network]]:
    return list(zip(row.cells, table.networks, strict=True))


def _head(network: Network) -> str:
    return f"{network.name} (frozen)" if network.frozen and not network.copy_of else network.name


def _place(table: Ownership, row: LossRow, page: Page) -> str:
    """`actor_loss, line 226`, with the file where the losses are spread over several."""
    if row.site is None:
        return row.label
    files = {other.site.file for other in table.losses if other.site is not None}
    return f"{row.label}, line {row.site.line}" if len(files) == 1 else f"{row.label}, {page.place(row.site)}"


def _word(table: Ownership, cell: Cell, network: Network) -> str:
    if cell.state != "applied":
        return _WORDS[cell.state]
    by = table.called(cell.optimizers) or "by hand"
    return by if cell.variables == network.variables else f"{by} ({cell.variables} of {network.variables})"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))
