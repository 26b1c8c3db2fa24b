"""Advantages that are centred, and added to no value: the other half of a dueling network was computed and dropped."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.finding import Finding, Severity, stations
from whygrad.rules.numbers.flatness import DIFFERENCES
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.wording import at_line, quoted, subject, verb

_MEANS = frozenset({"mean", "reduce_mean", "reduce_sum", "sum"})
_BACK = 4


def centred_alone(case: Case, missing: Missing, members: set[int], output: Op, severity: Severity) -> Finding | None:
    """The difference from a mean that this output was to be added to, in the function that computes both."""
    dropped = case.site(output.stack)
    where = _difference(case, missing, output, dropped) if dropped is not None else None
    if dropped is None or where is None:
        return None
    loss, made = case.loss_site(missing.backward), quoted(dropped)
    return Finding(
        code="W105", rule="loss-ignores", severity=severity,
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss"
        f"{at_line(loss, where)} does not use {verb(members, case, 'it', 'them')}",
        why=f"{quoted(where)} takes the mean away, and nothing is added to what is left. {made}"
        f"{at_line(dropped, where)} makes one number for each of its rows, and nothing uses it.",
        fix=f"add {made} to {quoted(where)}, as a dueling network does, or do not train these variables",
        variables=case.names(members), where=where, label=f"{made} is not added here", loss=loss,
        path=stations(
            (dropped, "output", "computed here, and dropped"), (where, "sub", "goes on without it"),
            (loss, "loss", "the loss"),
        ),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _difference(case: Case, missing: Missing, output: Op, dropped: Site) -> Site | None:
    shape = case.recording.values[output.outputs[0]].shape if output.outputs else ()
    if len(shape) < 2 or shape[-1] != 1:
        return None
    for op in case.slice(missing.backward, reach.CERTAIN).ops:
        site = case.site(op.stack)
        if site is None or base_name(op) not in DIFFERENCES or len(op.inputs) != 2:
            continue
        one, other = op.inputs
        wide = case.recording.values[one].shape
        beside = (site.file, site.function) == (dropped.file, dropped.function)
        if beside and len(wide) == len(shape) and wide[-1] not in (1, None) and _is_mean(case, other, one):
            return site
    return None


def _is_mean(case: Case, value: int, whole: int) -> bool:
    """Whether a value is a mean over what another one holds."""
    summed = False
    for _ in range(_BACK):
        made = case.made_by.get(value)
        if made is None or not made.inputs:
            return False
        summed = summed or base_name(made) in _MEANS
        value = made.inputs[0]
        if value == whole:
            return summed
    return False
