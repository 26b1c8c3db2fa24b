"""Outputs that a network hands to the function of the loss, and that the loss does not use: the second of two heads.

Nothing is wrong where the output is computed. The line to change is the loss.
"""

from __future__ import annotations

from itertools import pairwise

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import handed_out
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.last_use import runs_others
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import plain_subject, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"


def handed_over(case: Case, missing: Missing, members: set[int], site: Site | None, output: Op) -> Finding | None:
    """A finding at the loss, where the output got as far as the function that computes it."""
    loss = case.loss_site(missing.backward)
    if site is None or loss is None or not _arrives(case, members, site, output, loss) or not _alone(case, members):
        return None
    made = created_at(case, members) if _same_function(site, loss) else None
    it, name = verb(members, case, "it", "them"), plain_subject(case, members)
    steps = [(made or site, "output", "computed here, and handed over"), (loss, "loss", f"the loss, without {it}")]
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss does not use the "
        f"output of {name}",
        why=f"{quoted(made or site, 'The output')} is computed and handed to the function that computes the loss; no "
        "data leads from it to the loss.",
        fix=f"let the loss use the output of {name} (add its term), or do not train {it}",
        variables=case.names(members), where=loss, label=f"computed without the output of {name}", loss=loss,
        path=tuple(PathStep(one, op, role) for one, op, role in steps if one is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _arrives(case: Case, members: set[int], site: Site, output: Op, loss: Site) -> bool:
    """Whether each function on the way returns it, up to the one of the loss."""
    if case.recording.framework == "tensorflow" and _same_function(site, loss) and runs_others(case, site, members):
        return True  # a Keras model that was put together of layers computes nothing but its outputs
    stack = case.stack(output.stack)
    for inner, outer in pairwise(stack[stack.index(site) :] if site in stack else ()):
        if not handed_out(inner):
            return False
        if _same_function(outer, loss):
            return True
    return False


def _alone(case: Case, members: set[int]) -> bool:
    """Whether one loss alone trains their network: of several, the one that should use an output is not known."""
    family = {v for member in members for v in case.family(case.variable(member).network, members)}
    losses = [case.loss_site(b) for b in case.recording.backwards if not b.implicit and b.got & family]
    return len({(loss.file, loss.line) for loss in losses if loss is not None}) == 1


def _same_function(one: Site, other: Site) -> bool:
    return (one.file, one.function, one.first_line) == (other.file, other.function, other.first_line)
