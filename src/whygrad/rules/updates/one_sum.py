"""Two players with an optimizer each, and one loss that is the sum of both: each is moved by the other's loss, too.

The judge's term shows it what the maker made and something else; the maker's reaches the maker through the judge. Who
means the two to learn together gives them one optimizer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.loss_terms import terms_of
from whygrad.rules.updates.adversaries import calls_within, contrast_within, made_through
from whygrad.rules.updates.history import history

_PASSES = 2


@dataclass(frozen=True, slots=True)
class OneSum:
    """The pass, and what belongs to either player."""

    backward: Backward
    maker: frozenset[int]
    judge: frozenset[int]


def sums_of_two_players(case: Case) -> Iterator[OneSum]:
    """Each place of a loss once."""
    told, seen = history(case).applied, dict[int, int]()
    for backward in case.recording.backwards:
        seen[backward.stack] = seen.get(backward.stack, 0) + 1
        if backward.implicit or backward.error or backward.loss is None or seen[backward.stack] != _PASSES:
            continue
        applied = {v: steps[0].optimizer for v in backward.got if (steps := told.get((backward.at, v)))}
        players = _players(case, applied)
        terms, _ = terms_of(case, backward, rows=False)
        for maker, judge in permutations(players, 2) if len(players) == len(terms) == 2 else ():
            if _opposed(case, backward, terms, maker, judge):
                yield OneSum(backward, frozenset(maker), frozenset(judge))


def _players(case: Case, applied: dict[int, int]) -> list[set[int]]:
    """What each optimizer applies the gradient to; in JAX where one line steps, what each was begun for."""
    values, begun = case.recording.values, case.recording.begun
    by_optimizer = [{v for v, number in applied.items() if number == one} for one in sorted(set(applied.values()))]
    if len(by_optimizer) != 1:
        return by_optimizer
    parts = [{v for n in one.values if n in values and (v := values[n].variable) in applied} for one in begun]
    parts = [{v for v in part if v is not None} for part in parts]
    return parts if set().union(*parts) == applied.keys() and sum(map(len, parts)) == len(applied) else []


def _opposed(case: Case, backward: Backward, terms: list[int], maker: set[int], judge: set[int]) -> bool:
    """Whether one term is the judge's own, and the other reaches the maker through the judge, both moving both."""
    parts = [reach.backward_slice(case.recording, t, case.made_by, backward.at, reach.CERTAIN) for t in terms]
    for own, other in permutations(parts, 2):
        shown = contrast_within(case, own, backward.at, maker, judge)
        made = bool(calls_within(case, other, judge)) and not contrast_within(case, other, backward.at, maker, judge)
        if shown and made and made_through(case, other, backward.at, maker, judge):
            return bool(_moves(case, other, backward) & judge) and bool(_moves(case, own, backward) & maker)
    return False


def _moves(case: Case, part: reach.Slice, backward: Backward) -> set[int]:
    arrived = reach.gradient_reach(case.recording, part, backward.tape)
    return {case.content[n] for n in arrived if n in case.content}
