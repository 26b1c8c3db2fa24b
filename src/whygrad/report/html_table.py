"""The ownership table as HTML: rows are losses, columns are networks, a cell says what becomes of the gradient."""

from __future__ import annotations

import os

from whygrad.flow.ownership import Cell, LossRow, Network, Ownership
from whygrad.report.excerpt import shown_path
from whygrad.report.html_text import count, plain
from whygrad.report.report import Report

WORDS = {
    "applied": "trains it",
    "cleared": "arrives, is cleared",
    "unapplied": "arrives, nobody applies it",
    "unasked": "not asked for",
    "stopped": "stops before it",
    "unused": "–",
}
EXPLAINED = {
    "applied": "the gradient of the loss arrives, and an optimizer applies it",
    "cleared": "the gradient arrives, and is cleared before an optimizer could apply it",
    "unapplied": "the gradient arrives, and no optimizer applies it",
    "unasked": "the gradient could arrive, and nobody asks for it",
    "stopped": "the loss is computed from the network, and no gradient arrives",
    "unused": "the loss is not computed from the network",
}


def table(one: Ownership, report: Report) -> str:
    """The table with its legend; empty where there is nothing to say."""
    if not one.losses or not one.networks:
        return ""
    heads = "".join(_head(network, one) for network in one.networks)
    rows = "".join(_row(row, one, report) for row in one.losses)
    states = list(dict.fromkeys(cell.state for row in one.losses for cell in row.cells))
    legend = "".join(
        f'<li><span class="state {state}">{WORDS[state]}</span> {EXPLAINED[state]}</li>'
        for state in EXPLAINED
        if state in states
    )
    return (
        '<div class="wide" role="group" tabindex="0" aria-label="Table: which loss trains which network">'
        f'<table><thead><tr><th scope="col">loss</th>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        f'<ul class="legend">{legend}</ul>'
    )


def _head(network: Network, one: Ownership) -> str:
    facts = [count(network.variables, "variable")]
    if network.copy_of:
        facts.append(f"copy of {network.copy_of}")
    if network.frozen:
        facts.append("frozen")
    held = one.called(network.optimizers)
    facts.append(f"held by {held}" if held else "in no optimizer")
    return f'<th scope="col">{plain(network.name)}<small>{"<br>".join(plain(fact) for fact in facts)}</small></th>'


def _row(row: LossRow, one: Ownership, report: Report) -> str:
    small = f"<small>{plain(_place(row, one, report))}</small>" if row.site is not None else ""
    cells = "".join(_cell(cell, network, one) for cell, network in zip(row.cells, one.networks, strict=True))
    return f'<tr><th scope="row">{plain(row.label)}{small}</th>{cells}</tr>'


def _place(row: LossRow, one: Ownership, report: Report) -> str:
    """The line of a loss, with the file where the losses are spread over several; by its name alone if that will do."""
    if row.site is None:
        return ""
    files = {other.site.file for other in one.losses if other.site is not None}
    if len(files) == 1:
        return f"line {row.site.line}"
    name = os.path.basename(row.site.file)
    told_apart = len({os.path.basename(file) for file in files}) == len(files)
    return f"{name if told_apart else shown_path(row.site.file, report.folder or None)}:{row.site.line}"


def _cell(cell: Cell, network: Network, one: Ownership) -> str:
    by = one.called(cell.optimizers)
    facts = [f"by {by}"] if by else []
    if cell.state != "unused" and 0 < cell.variables < network.variables:
        facts.append(f"{cell.variables} of {count(network.variables, 'variable')}")
    small = f"<small>{'<br>'.join(plain(fact) for fact in facts)}</small>" if facts else ""
    return f'<td><span class="state {cell.state}">{WORDS[cell.state]}</span>{small}</td>'
