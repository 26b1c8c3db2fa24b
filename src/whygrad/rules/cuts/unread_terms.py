"""Terms that are computed beside a loss, with a gradient for what it trains, and go to a name that nothing reads.

A penalty that was meant to be added. What is logged, returned or tracked has a use; a name that is never read has none.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import bound_at
from whygrad.rules.case import Case
from whygrad.rules.cuts.dropped_terms import dropped_terms
from whygrad.rules.cuts.logged_means import is_logged_mean
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.history import applied_of
from whygrad.rules.updates.let_fall import handed_back
from whygrad.rules.wording import at_line, plain_subject, quoted


def unread_terms(case: Case, told: set[int]) -> Iterator[Finding]:
    """Told once for each place; but not of a loss whose request is named already (`told`, by its stack).

    In TensorFlow alone: what a compiled function of JAX computes beside its loss has no name of its own outside.
    """
    if case.recording.framework != "tensorflow":
        return
    done: set[int] = set()
    places: dict[Site, tuple[Backward, set[int]]] = {}
    for backward in case.recording.backwards:
        if backward.implicit or backward.error or backward.loss not in case.recording.values or backward.stack in done:
            continue
        done.add(backward.stack)
        trained = applied_of(case, backward) or set()
        if not trained or backward.stack in told:
            continue
        part = case.slice(backward, reach.CERTAIN)
        for variable, op in dropped_terms(case.recording, part, trained, backward).items():
            site = _unread(case, op) if not is_logged_mean(case, op, trained) else None
            if site is not None:
                places.setdefault(site, (backward, set()))[1].add(variable)
    for site, (backward, members) in places.items():
        yield _finding(case, backward, site, members)


def _unread(case: Case, op: Op) -> Site | None:
    """The line in the user's own code that gives a term to a name which is never read."""
    site = handed_back(case.stack(op.stack))
    return site if site is not None and site.own and bound_at(site) else None


def _finding(case: Case, backward: Backward, term: Site, members: set[int]) -> Finding:
    loss, name = case.loss_site(backward), plain_subject(case, members)
    steps = [(term, "term", "a term of a loss, used by nothing"), (loss, "loss", "the loss, put together without it")]
    return Finding(
        code="W105", rule="loss-ignores", severity="warning",
        message=f"{quoted(term)} is computed for {name} and is no part of the loss{at_line(loss, term)}",
        why="It has a gradient for what that loss trains, and goes to a name that nothing reads: neither a loss nor a "
        "log gets it.",
        fix=f"add it to the loss{at_line(loss, term)}, or leave it out", variables=case.names(members), where=term,
        label="computed, and used by nothing", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
