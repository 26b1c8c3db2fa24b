"""Optimizers that hold each other's variables: each steps after the loss of the other. Shared by W204 and the rules
that would otherwise name what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from whygrad.flow.recording import Backward, Optimizer, Step
from whygrad.rules.case import Case
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


def swapped(case: Case) -> list[Swapped]:
    """PyTorch: pairs of optimizers of which each steps only after losses that train what the other one holds."""
    if case.recording.framework != "torch" or len(case.recording.optimizers) < _STEPS:
        return []
    waits = {o.id: found for o in case.recording.optimizers.values() if (found := _only_others(case, o)) is not None}
    pairs = []
    for first, second in combinations(sorted(waits), 2):
        one, other = case.recording.optimizers[first], case.recording.optimizers[second]
        crossed = waits[first][0] <= other.holds and waits[second][0] <= one.holds
        if crossed and not one.holds & other.holds:
            backward, step = waits[first][1:]
            built = _clears_first(case, one) and _clears_first(case, other)
            pairs.append(Swapped(one, other, backward, step, built))
    return pairs


def swapped_variables(case: Case) -> set[int]:
    """What such optimizers hold."""
    return {v for pair in swapped(case) for v in pair.one.holds | pair.other.holds}


def _only_others(case: Case, optimizer: Optimizer) -> tuple[set[int], Backward, Step] | None:
    """What the passes before its steps train, where that is never anything that the optimizer holds."""
    mine = steps_of(case, optimizer)
    if len(mine) < _STEPS or optimizer.skipped:
        return None
    trained, last = set[int](), None
    for step in mine:
        before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
        window = [b for b in passes(case) if before < b.at < step.at]
        got = {v for b in window for v in b.got if case.variable(v).parameter}
        if not got or got & optimizer.holds:
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
