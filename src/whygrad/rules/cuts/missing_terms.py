"""Losses that are put together without a term: it was computed and left out, there is none, or another loss has it."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import bound_for_return, returned
from whygrad.rules.case import Case
from whygrad.rules.cuts.asked_of_another import asked_of_another
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"


def left_out(case: Case, missing: Missing, variables: set[int]) -> Iterator[Finding]:
    """A loss term was computed for these, and the loss was put together without it."""
    terms: dict[Site | None, set[int]] = {}
    for variable, op in missing.dropped.items():
        if variable in variables:
            terms.setdefault(case.site(op.stack), set()).add(variable)
    together = _put_together(case, missing)
    for term, members in terms.items():
        dropped = missing.dropped[min(members)]
        loss = _beside(case, missing, dropped, together) or together
        where = _asked_without(case, missing, dropped, loss) or loss
        asked = asked_of_another(case, missing, members, missing.dropped[min(members)])
        if asked is not None:
            yield asked
            continue
        steps = [
            (term, "term", "a loss term for them, used by nothing"),
            (loss, "loss", "the loss, put together without it"),
        ]
        yield Finding(
            code=CODE,
            rule=NAME,
            severity=severity_of(case, members, missing),
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: "
            f"{verb(members, case, 'its', 'their')} term"
            f"{at_line(term, where)} is not part of the loss",
            why=f"{quoted(term, 'The term')} was computed and dropped: the loss does not contain it.",
            fix=f"add the term{at_line(term, where)} to the loss",
            variables=case.names(members),
            where=where,
            label=f"this loss leaves out the term computed{at_line(term, where)}",
            loss=loss,
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
            first_update=missing.update,
            seen=missing.seen,
        )


def _beside(case: Case, missing: Missing, term: Op, loss: Site | None) -> Site | None:
    """Where the function that computes a term goes on to the loss without it, for a loss that `fit` runs as a whole."""
    stack, values = case.stack(term.stack), case.recording.values
    if loss is None or not any((site.file, site.line) == (loss.file, loss.line) for site in stack[1:]):
        return None
    place = stack[0].file, stack[0].function
    for op in case.slice(missing.backward, reach.CERTAIN).ops:
        site = case.site(op.stack) if op.at > term.at and op.carries else None
        if site is not None and (site.file, site.function) == place and values[op.outputs[0]].shape == ():
            return site
    return None


def _asked_without(case: Case, missing: Missing, term: Op, loss: Site | None) -> Site | None:
    """The call that asks for the gradient of one loss, though a line between the two has computed another.

    The line of the loss cannot hold what is computed behind it. In JAX that line is the one that returns the loss.
    """
    made = case.made_by.get(missing.backward.loss) if missing.backward.loss is not None else None
    asked, behind = case.site(missing.backward.stack), case.site(term.stack)
    if case.recording.framework == "jax" or made is None or term.at < made.at or None in (loss, asked, behind):
        return None
    place = {(site.file, site.function) for site in (loss, asked, behind) if site is not None}
    between = loss is not None and asked is not None and behind is not None and loss.line < behind.line < asked.line
    return asked if between and len(place) == 1 else None


def _put_together(case: Case, missing: Missing) -> Site | None:
    """Where a term should have been added: the loss; in JAX what is returned, if terms are computed after the loss."""
    loss = case.loss_site(missing.backward)
    made = case.made_by.get(missing.backward.loss) if missing.backward.loss is not None else None
    if case.recording.framework != "jax" or loss is None or made is None:
        inner = case.site(made.stack) if made is not None and loss is not None else None
        apart = inner is not None and loss is not None and inner.first_line != loss.first_line
        together = inner is not None and all(
            term is not None and (term.file, term.first_line) == (inner.file, inner.first_line)
            for op in missing.dropped.values()
            for term in [case.site(op.stack)]
        )  # a function of losses that returns one of them: the fault is in there
        inside = apart and together and inner is not None
        return (bound_for_return(inner) or returned(inner) if inside and inner is not None else None) or loss
    later = [term for term in missing.dropped.values() if term.at > made.at]
    # Unless the loss got its name after that: `loss = policy_loss` is where the term is missing.
    behind = [site for term in later if (site := case.site(term.stack)) is not None and site.line >= loss.line]
    return (returned(loss) if behind else None) or loss


def without_term(case: Case, missing: Missing, members: set[int]) -> Iterator[Finding]:
    """A baseline or critic that is used, rightly stopped, as an advantage, and has no loss of its own."""
    if not members:
        return
    loss = case.loss_site(missing.backward)
    yield Finding(
        code=CODE,
        rule=NAME,
        severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the "
        f"loss{at_line(loss)} has no term that trains it",
        why="It only serves as a weight for a log-probability (an advantage), and that weight is stopped, as it "
        "should be. "
        "Nothing else in the loss depends on it, so it keeps its first values.",
        fix="add a term for it: the squared difference between its value and the return (value_loss); do not "
        "remove the stop",
        variables=case.names(members),
        where=loss,
        label="no term of this loss trains it",
        loss=loss,
        path=(PathStep(loss, "loss", "the loss"),) if loss is not None else (),
        first_update=missing.update,
        seen=missing.seen,
    )


def taken_by_another(case: Case, missing: Missing, members: set[int], output: Op) -> Finding | None:
    """What was made from these goes into a loss that is asked for others, and the loss that is asked for them lacks it.

    Both losses may come out of one function: the line where their ways part is the one that makes this loss.
    """
    backward = missing.backward
    other = next((b for b in case.recording.backwards if _takes(case, b, backward, output)), None)
    made, theirs = (case.made_by.get(b.loss) if b is not None and b.loss is not None else None
                    for b in (backward, other))  # fmt: skip
    ours, beside = (case.stack(op.stack) if op is not None else () for op in (made, theirs))
    inner = [site for depth, site in enumerate(ours) if ours[depth:] != beside[len(beside) - len(ours) + depth :]]
    if other is None or not inner:
        return None
    where, loss = inner[-1], case.site(theirs.stack) if theirs is not None else None
    it = verb(members, case, "it", "them")
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss"
        f"{at_line(where, where)} does not use {it}",
        why=f"What is made from {it} goes into another loss{at_line(loss, where)}, of which the gradient is asked for "
        "others.",
        fix=f"let {quoted(where)} use what is made from {it}",
        variables=case.names(members), where=where, label=f"the loss that should train {it} is made here, without {it}",
        loss=where, path=(PathStep(where, "loss", "the loss"),), first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _takes(case: Case, other: Backward, backward: Backward, output: Op) -> bool:
    """Whether an output is part of another loss of the same update."""
    if other.loss == backward.loss or other.loss not in case.recording.values or other.implicit:
        return False
    between = sorted((other.at, backward.at))
    if any(between[0] < step.at < between[1] for step in case.recording.steps):
        return False
    part = case.slice(other, reach.CERTAIN).values
    return any(value in part for value in output.outputs)
