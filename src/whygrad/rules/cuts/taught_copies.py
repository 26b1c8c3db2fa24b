"""PyTorch: a loss that is computed with a deep copy of what the optimizer holds, made anew for each update.

`copy.deepcopy` keeps the numbers and makes variables of their own: the gradient ends in them, and they are dropped. An
inner loop that adapts a copy (MAML) and hands its gradient on to the original by hand is no such thing: there the
original has a gradient.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.site import Site
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.missing import Missing, missing_gradients
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, subject, verb


@dataclass(slots=True)
class Taught:
    """Variables without a gradient, the copies of them that have it, and the line that makes the copies."""

    missing: Missing
    variables: set[int]
    copies: set[int]
    where: Site


@asked_once
def taught_copies(case: Case) -> list[Taught]:
    """One for each loss and line."""
    found: list[Taught] = []
    if case.recording.framework != "torch":
        return found
    generations: dict[int, int] = {}
    for variable in case.recording.variables.values():
        if variable.copy_of is not None:
            generations[variable.copy_of] = generations.get(variable.copy_of, 0) + 1
    for missing in missing_gradients(case):
        used = case.used_by(missing.backward)
        if not missing.backward.wanted:  # where the originals are asked for by name, nothing arrives at the copies
            used &= missing.backward.got
        pairs = {v: o for v in used if (o := case.variable(v).copy_of) in missing.unreached and o is not None}
        refused = missing.backward.error is not None  # in the very first update
        again = refused or all(generations[original] > 1 for original in pairs.values())
        where = created_at(case, set(pairs)) if pairs and again else None
        if where is not None and all(one.where != where for one in found):
            found.append(Taught(missing, set(pairs.values()), set(pairs), where))
    return found


def taught_finding(case: Case, taught: Taught, code: str, name: str) -> Finding:
    """What to say of it."""
    where, loss = taught.where, case.loss_site(taught.missing.backward)
    who = subject(case, taught.variables)
    steps = [(where, "deepcopy", "copied here, for this update"), (loss, "loss", "the loss, computed with the copy")]
    return Finding(
        code=code, rule=name, severity="error",
        message=f"{who} {verb(taught.variables, case, 'gets', 'get')} no gradient from the loss{at_line(loss, where)}, "
        "which is computed with a copy",
        why="A deep copy has the same numbers and is a network of its own: the gradient ends in it. The optimizer "
        "holds the original, and the copy is dropped.",
        fix="make the adapted parameters of the original, p - lr * g, and run it with them "
        "(torch.func.functional_call(model, params, x)); to use the copy's gradient as it is, hand it on: "
        "p.grad = copied.grad",
        variables=case.names(taught.variables), where=where,
        label="the gradient stops here: a copy of its own", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=taught.missing.update, seen=taught.missing.seen,
    )  # fmt: skip
