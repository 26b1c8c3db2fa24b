"""Variables that a loss reaches only through a term whose weight is 0, while the term that is for them was left out.

`loss = 0.0 * entropy + value_loss`: the weight is a setting and no fault, and the policy's own term lies unused.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.dropped_terms import dropped_terms
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.numbers.flatness import dead_ends, pass_before, zero_gradients


def switched_off(case: Case) -> Iterator[Missing]:
    """For each loss, the variables that it reaches through nothing else, with the terms that it leaves out."""
    groups: dict[int, tuple[Backward, set[int], int]] = {}
    for variable, steps in zero_gradients(case).items():
        backward = pass_before(case, steps[0], variable)
        if backward is None or backward.loss is None or backward.error:
            continue
        walls = dead_ends(case, backward, steps[0], {variable})
        if walls and all(wall.why == "zero constant" for wall in walls):
            groups.setdefault(backward.at, (backward, set(), len(steps)))[1].add(variable)
    for backward, variables, seen in groups.values():
        part = case.slice(backward, reach.CERTAIN)
        dropped = dropped_terms(case.recording, part, variables, backward)
        if dropped:
            yield Missing(backward, frozenset(dropped), [], part, seen=seen, dropped=dropped)
