"""Optimizers that hold each other's variables: each steps after the loss of the other. Shared by W204 and the rules
that would otherwise name what follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, assignments, bound_at, function_of
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case, asked_once
from whygrad.rules.updates.adversaries import exchanged
from whygrad.rules.updates.order import optimizer_name, passes, steps_of

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
    opposed: bool = False
    """Each finds the gradient that the loss of its adversary has for what it holds."""


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
        built = all(_clears_first(case, o) for o in (one, other))
        built |= _clears_network(case, one, other) and _clears_network(case, other, one)
        strict = ours <= other.holds, theirs <= one.holds
        if all(strict) or (any(strict) and built and ours | theirs <= one.holds | other.holds):
            if not strict[0]:
                one, other = other, one
            backward, step = waits[one.id][1:]
            pairs.append(Swapped(one, other, backward, step, built, all(strict)))
    return pairs or _opposed(case)


def _opposed(case: Case) -> list[Swapped]:
    """A judge and what it judges, neither of them stopped for the other's loss: each optimizer always finds something.

    It is the optimizers that were built for the wrong ones where each clears right before the loss that it steps after.
    """
    for pair in exchanged(case):
        holders = [[o for o in case.recording.optimizers.values() if o.holds & net] for net in (pair.maker, pair.judge)]
        if any(len(found) != 1 for found in holders) or holders[0] == holders[1]:
            continue
        one, other = holders[0][0], holders[1][0]
        step = next((s for s in steps_of(case, one) if s.at > pair.judges.at), None)
        if step is not None and _clears_last(case, one) and _clears_last(case, other):
            return [Swapped(one, other, pair.judges, step, built=True, both=False, opposed=True)]
    return []


def handed_crosswise(case: Case, pair: Swapped) -> Site | None:
    """Where the two changed names on their way: each is made under the name that the other one steps under.

    `g_opt, d_opt = self.optimizers()` in the wrong order, or two arguments of a call.
    """
    made = [case.built(o) for o in (pair.one, pair.other)]
    steps = [case.site(steps_of(case, o)[0].stack) for o in (pair.one, pair.other)]
    names = [
        optimizer_name(o, site, "").rpartition(".")[2] for o, site in zip((pair.one, pair.other), steps, strict=True)
    ]
    begun = [bound_at(site) if site is not None else set[str]() for site in made]
    if not all(names) or names[0] not in begun[1] or names[1] not in begun[0] or names[0] in begun[0]:
        return None
    stack, function = case.stack(pair.step.stack), function_of(steps[0]) if steps[0] is not None else None
    first, last = (function.lineno, function.end_lineno or 0) if isinstance(function, Function) else (0, 0)
    for site, _ in assignments(stack[0].file).get(names[0], ()):
        if first <= site.line <= last:
            return replace(site, function=stack[0].function, first_line=stack[0].first_line)
    given = isinstance(function, Function) and any(a.arg == names[0] for a in function.args.args)
    return stack[1] if given and len(stack) > 1 else None


def swapped_variables(case: Case) -> set[int]:
    """What such optimizers hold."""
    return {v for pair in swapped(case) for v in pair.one.holds | pair.other.holds}


def _trained_before(case: Case, optimizer: Optimizer) -> tuple[set[int], Backward, Step] | None:
    """What the passes right before its steps train, where there are such passes before each of them."""
    mine = steps_of(case, optimizer)
    failed = any(b.error for b in case.recording.backwards)  # a step that came too early has changed what it needs
    if len(mine) < (1 if failed else _STEPS) or optimizer.skipped:
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


def _clears_network(case: Case, optimizer: Optimizer, other: Optimizer) -> bool:
    """Whether what is cleared before each of its steps is a network, and one that the other optimizer holds."""
    for step in steps_of(case, optimizer):
        before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
        cleared = [c for c in case.recording.clears if before < c.at < step.at]
        if not cleared or not all(c.optimizer is None and c.variables <= other.holds for c in cleared):
            return False
    return True


def _clears_last(case: Case, optimizer: Optimizer) -> bool:
    """Whether the last clear before the pass is its own; a loss that is left out at times has cleared for nothing."""
    for step in steps_of(case, optimizer)[1:]:
        before = max((s.at for s in case.recording.steps if s.at < step.at), default=0)
        cleared = [c.optimizer for c in case.recording.clears if before < c.at < step.at]
        if not cleared or cleared[-1] != optimizer.id:
            return False
    return True
