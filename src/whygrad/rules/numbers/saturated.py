"""Layers of which all but a few units are at the flat end of their function, in every update.

A row that is not quite at the end, or inputs that are large (pixels of 0 to 255), leave a gradient that is not zero,
and that teaches next to nothing.
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
_NEARLY = 0.9
"""Of all units in all rows."""


def saturated_layers(case: Case) -> Iterator[Finding]:
    """Hidden layers: what lies before them is trained, and so is something between them and the loss."""
    losses = [b for b in case.recording.backwards if not b.implicit and b.error is None and b.loss is not None]
    flat: dict[Site, list[float]] = {}
    last: dict[Site, Dead] = {}
    for backward in losses[-8:]:
        for op in case.slice(backward).ops:
            site = case.site(op.stack) if op.carries and base_name(op) in _SQUASHERS and op.inputs else None
            if site is not None:
                flat.setdefault(site, []).append(_saturated(op))
                last[site] = Dead(op, op.inputs[0], "flat", backward, set())
    for site, seen in flat.items():
        dead = last[site]
        members = fed_by(case, dead.source) & case.trained
        least = min(seen)
        if len(seen) < _PASSES or least < _NEARLY or not members or not leads_through_weights(case, dead):
            continue
        every = least == 1
        units = "every unit is" if every else f"{100 * least:.0f} % of what it computes is"
        far = "below 1e-6 for every unit, in every row"
        if not every:
            far = f"below a thousandth of its best for {100 * least:.0f} % of all units and rows"
        name, loss = base_name(dead.op), case.loss_site(dead.backward)
        yield Finding(
            code="W401", rule="zero-gradient", severity="warning",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} next to no gradient from the loss"
            f"{at_line(loss, site)}: {'every unit is' if every else 'nearly all units are'} saturated",
            why=f"The input of {quoted(site)} is so large that the slope is {far}.",
            fix=f"make the input of {name} smaller: normalise the inputs, smaller first weights, or a factor before it",
            variables=case.names(members), where=site, label=f"saturated: {units} at the flat end of {name}",
            loss=loss, path=stations((site, name, "the gradient all but ends here"), (loss, "loss", "the loss")),
            seen=len(seen),
        )  # fmt: skip


def _saturated(op: Op) -> float:
    """The share of what a layer computes that is at the flat end; 1 where every unit is, in every row."""
    if op.units is None or op.units.total < _UNITS:
        return 0.0
    return 1.0 if op.units.saturated == op.units.total else min(op.units.flat, 0.99)
