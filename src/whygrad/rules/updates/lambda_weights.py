"""Weights that the function of a Keras Lambda layer uses. The layer keeps none, so no model lists them."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.finding import Finding, stations
from whygrad.rules.wording import subject, verb


def lambda_weights(case: Case) -> Iterator[Finding]:
    """What such a function uses and nobody trains, layer by layer."""
    for where, group in taken_in_by_lambda(case).items():
        yield _finding(case, where, group)


def taken_in_by_lambda(case: Case) -> dict[Site, set[int]]:
    """The variables, by the line that made the layer."""
    found: dict[Site, set[int]] = {}
    for number in sorted(case.unheld - case.recording.hand_updated):
        one = case.variable(number)
        where = case.site(one.taken_in) if one.registered and not one.copied else None
        if where is not None:
            found.setdefault(where, set()).add(number)
    return found


def _finding(case: Case, where: Site, group: set[int]) -> Finding:
    made, it = created_at(case, group), verb(group, case, "it", "them")
    steps = [(made, "creation", "made here"), (where, "Lambda", "used by its function")]
    return Finding(
        code="W203", rule="unregistered", severity="error",
        message=f"{subject(case, group)} {verb(group, case, 'is', 'are')} used by a Lambda layer, which registers no "
        "weights",
        why="A Lambda layer calls a function and does not look at what that uses: trainable_variables of the model "
        f"leaves {it} out, no optimizer holds {it}, no checkpoint saves {it}.",
        fix="use the layer itself in the model; for a variable of your own write a keras.layers.Layer whose build() "
        "makes it with self.add_weight(…)",
        variables=case.names(group), where=where, label="what this function uses is invisible to the model",
        path=stations(*steps),
    )  # fmt: skip
