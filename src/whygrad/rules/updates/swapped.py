"""Optimizers that hold each other's variables: each steps after the loss of the other. Shared by W204 and the rules
that would otherwise name what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from whygrad.flow.events import Backward, Step
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case, asked_once
from whygrad.rules.updates.order import passes, steps_of

_STEPS = 2


@dataclass(slots=True)
class Swapped:
    """Two optimizers, and for each the loss that it steps after."""

    one: Optimizer
    other: Optimizer
    backward: Backward
    step: Step
    built: bool
    """Each optimizer clears, waits for the loss and steps under one name: it was built for the wrong variables."""
    both: bool
    """Neither finds anything; else the other one moves what a loss that is not for it goes through."""


@asked_once
def swapped(case: Case) -> list[Swapped]:
    """PyTorch: pairs of optimizers of which each steps only after losses that train what the other one holds.

    An actor's loss goes through the critic, and trains both: it is enough that one of the two never finds anything,
    where each was built for the wrong variables.
    """
    if case.recording.framework != "torch" or len(case.recording.optimizers) < _STEPS:
        return []
    waits = {o.id: found for o in case.recording.optimizers.values() if (found := _trained_before(case, o)) is not None}
    pairs = []
    for first, second in combinations(sorted(waits), 2):
        one, other = case.recording.optimizers[first], case.recording.optimizers[second]
        ours, theirs = waits[first][0], waits[second][0]
        if one.holds & other.holds or not ours & other.holds or not theirs & one.holds:
            continue
        built = _clears_first(case, one) and _clears_first(case, other)
        strict = ours <= other.holds, theirs <= one.holds
        if all(strict) or (any(strict) and built and ours | theirs <= one.holds | other.holds):
            if not strict[0]:
                one, other = other, one
            backward, step = waits[one.id][1:]
            pairs.append(Swapped(one, other, backward, step, built, all(strict)))
    return pairs


def swapped_variables(case: Case) -> set[int]:
    """What such optimizers hold."""
    return {v for pair in swapped(case) for v in pair.one.holds | pair.other.holds}


def _trained_before(case: Case, optimizer: Optimizer) -> tuple[set[int], Backward, Step] | None:
    """What the passes right before its steps train, where there are such passes before each of them."""
    mine = steps_of(case, optimizer)
    if len(mine) < _STEPS or optimizer.skipped:
        return None
    trained, last = set[int](), None
    for step in mine:
        before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
        window = [b for b in passes(case) if before < b.at < step.at]
        got = {v for b in window for v in b.got if case.variable(v).parameter}
        if not got:
            return None
        trained |= got
        last = window[-1]
    return (trained, last, mine[0]) if last is not None else None


def _clears_first(case: Case, optimizer: Optimizer) -> bool:
    """Whether the clear before the pass is its own, and its alone."""
    for step in steps_of(case, optimizer)[1:]:
        before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
        cleared = {c.optimizer for c in case.recording.clears if before < c.at < step.at}
        if cleared != {optimizer.id}:
            return False
    return True
