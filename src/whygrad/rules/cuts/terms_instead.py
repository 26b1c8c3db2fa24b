"""Outputs that a loss has something else in the place of: a constant term, or another output once more."""

from __future__ import annotations

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, plain_subject, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"


def constant_instead(case: Case, missing: Missing, members: set[int], site: Site | None, term: Site) -> Finding:
    """An output was dropped, and a term of the loss is a constant: it is there that the output belongs."""
    loss, name = case.loss_site(missing.backward), plain_subject(case, members)
    steps = [(site, "output", "computed here, and dropped"), (term, "term", "a constant"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: a term of the loss"
        f"{at_line(loss, term)} is a constant",
        why=f"{quoted(term)} is computed from data alone, so that it trains nothing; the output of {name} was computed"
        f"{at_line(site, term)} and dropped.",
        fix=f"let {quoted(term)} use the output of {name}",
        variables=case.names(members), where=term, label="this term of the loss depends on nothing that is trained",
        loss=loss, path=tuple(PathStep(s, op, role) for s, op, role in steps if s is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def repeated_instead(
    case: Case, missing: Missing, members: set[int], site: Site | None, term: Site | None, operand: Site | None
) -> Finding:
    """Of two outputs of one kind the loss takes the first twice: in a term of its own, or in one operation."""
    loss, name, twice = case.loss_site(missing.backward), plain_subject(case, members), term or operand
    again = "the same term once more" if term is not None else "the same output twice"
    has = "the term of another output twice" if term is not None else "another in its place"
    does = "computes what was computed before" if term is not None else "takes one output twice"
    steps = [(site, "output", "computed here, and dropped"), (twice, "term", again), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss"
        f"{at_line(loss, twice)} has {has}",
        why=f"{quoted(twice)} {does}; the output of {name}, of the same shape, was computed{at_line(site, twice)} and "
        "dropped.",
        fix=f"use the output of {name} in {quoted(twice)}",
        variables=case.names(members), where=twice,
        label="the same as before, once more" if term is not None else "takes the same output twice",
        loss=loss, path=tuple(PathStep(s, op, role) for s, op, role in steps if s is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip
