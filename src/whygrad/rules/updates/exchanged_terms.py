"""Two losses, each applied to the network of the other: each has a term that nothing it trains has a part in.

The two generators of a cycle share most of what they are told, so that both get a gradient either way. What is each
one's own (what its judge says of it) stands in the loss of the other one then, where it trains nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.loss_terms import terms_of
from whygrad.rules.finding import Finding, stations
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates.history import history
from whygrad.rules.wording import at_line, plain_subject, subject

CODE, NAME = "W204", "crossed-wires"
_LOSSES = 6
_ROUNDS = 2


@dataclass(slots=True)
class Exchanged:
    """One loss with what it is applied to, and the other with what that is applied to."""

    one: Backward
    ours: set[int]
    other: Backward
    theirs: set[int]
    rounds: int


@asked_once
def exchanged_terms(case: Case) -> list[Exchanged]:
    """Each pair once."""
    told, losses = history(case).applied, dict[int, list[Backward]]()
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values:
            losses.setdefault(backward.stack, []).append(backward)
    applied = {stack: {v for b in group for v in b.got if (b.at, v) in told} for stack, group in losses.items()}
    if len(losses) > _LOSSES:
        return []
    found = []
    for first, second in combinations(losses, 2):
        ours, theirs, rounds = applied[first], applied[second], min(len(losses[first]), len(losses[second]))
        if not ours or not theirs or ours & theirs or rounds < _ROUNDS:
            continue
        pairs = list(zip(losses[first], losses[second], strict=False))
        if all(_of_the_other(case, a, b, ours, theirs) and _of_the_other(case, b, a, theirs, ours) for a, b in pairs):
            one, other = pairs[0]
            found.append(Exchanged(one, ours, other, theirs, rounds))
    return found


def _of_the_other(case: Case, backward: Backward, other: Backward, ours: set[int], theirs: set[int]) -> bool:
    """Whether a loss has a term that could train the others, none of its own, and that the others' loss is without."""
    if backward.loss == other.loss or not theirs & within_reach(case, backward):
        return False
    known = case.slice(other, reach.CERTAIN).values
    terms, sums = terms_of(case, backward)
    for term in terms if sums else ():
        read = _read(case, term, backward.at)
        if term not in known and read & theirs and not read & ours:
            return True
    return False


def _read(case: Case, value: int, until: int) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, until, reach.CERTAIN)
    return {case.content[v] for v in (*part.values, value) if v in case.content}


def findings(case: Case) -> Iterator[Finding]:
    """One for each pair."""
    for pair in exchanged_terms(case):
        where, there = case.site(pair.one.stack), case.site(pair.other.stack)
        ours, theirs = plain_subject(case, pair.ours), plain_subject(case, pair.theirs)
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, pair.ours)} and {subject(case, pair.theirs)} are each trained by the other's loss",
            why=f"The loss that {ours} is moved by has a term which {ours} has no part in and {theirs} has; with the "
            f"one that moves {theirs}{at_line(there, where)} it is the other way round. Neither term trains anybody.",
            fix="exchange the two losses, or the two networks that their gradients are asked of",
            variables=case.names(pair.ours | pair.theirs), where=where,
            label=f"this loss is for {theirs}", loss=case.loss_site(pair.one), seen=pair.rounds,
            path=stations((where, pair.one.call, f"applied to {ours}"),
                          (there, pair.other.call, f"applied to {theirs}")),
        )  # fmt: skip
