"""Layers of which every unit is at the flat end of its function, in every update, though a trace of a gradient is left.

A row that is not quite at the end, or inputs that are large, leave a number that is not zero, and that teaches nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.numbers.flatness import Dead, fed_by, leads_through_weights
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.wording import at_line, quoted, subject, verb

_SQUASHERS = ("tanh", "sigmoid", "logistic")
_UNITS = 4
_PASSES = 2


def saturated_layers(case: Case) -> Iterator[Finding]:
    """Hidden layers: what lies before them is trained, and so is something between them and the loss."""
    losses = [b for b in case.recording.backwards if not b.implicit and b.error is None and b.loss is not None]
    flat: dict[Site, list[bool]] = {}
    last: dict[Site, Dead] = {}
    for backward in losses[-8:]:
        for op in case.slice(backward).ops:
            site = case.site(op.stack) if op.carries and base_name(op) in _SQUASHERS and op.inputs else None
            if site is not None:
                flat.setdefault(site, []).append(_all_saturated(op))
                last[site] = Dead(op, op.inputs[0], "flat", backward, set())
    for site, seen in flat.items():
        dead = last[site]
        members = fed_by(case, dead.source) & case.trained
        if len(seen) < _PASSES or not all(seen) or not members or not leads_through_weights(case, dead):
            continue
        name, loss = base_name(dead.op), case.loss_site(dead.backward)
        yield Finding(
            code="W401", rule="zero-gradient", severity="warning",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} next to no gradient from the loss"
            f"{at_line(loss, site)}: every unit is saturated",
            why=f"The input of {quoted(site)} is so large that the slope is below 1e-6 for every unit, in every row.",
            fix=f"make the input of {name} smaller: normalise the inputs, smaller first weights, or a factor before it",
            variables=case.names(members), where=site, label=f"saturated: every unit is at the flat end of {name}",
            loss=loss, path=stations((site, name, "the gradient all but ends here"), (loss, "loss", "the loss")),
            seen=len(seen),
        )  # fmt: skip


def _all_saturated(op: Op) -> bool:
    return op.units is not None and op.units.total >= _UNITS and op.units.saturated == op.units.total
