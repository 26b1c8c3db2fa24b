"""Optimizers that were given a network which no loss uses, while one of the same build gets the gradient.

`optimizer = Adam(target.parameters())`: the copy is held, the original learns nothing, and every step is empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.wording import networks


def given_by_mistake(case: Case) -> list[tuple[Optimizer, set[int]]]:
    """PyTorch: such an optimizer, and the variables that it should have been given."""
    if case.recording.framework != "torch":
        return []
    groups = [set(group) for group in networks(case, case.unheld).values()] + [{v} for v in _kept_alone(case)]
    idle = [(group, _shapes(case, group)) for group in groups]
    # What a loss is computed from, behind a wall, is what it should train: the wall is the fault (W101 to W104).
    stopped = {v for lost in missing_gradients(case) for cut in lost.cuts for v in cut.variables}
    found = []
    for optimizer in case.recording.optimizers.values():
        if not optimizer.holds or optimizer.holds & (case.trained | stopped):
            continue
        mine = _shapes(case, optimizer.holds)
        for group, shapes in idle:
            if _several(mine, shapes) and not _follows(case, optimizer, group):
                found.append((optimizer, group))
                break
    return found


def _kept_alone(case: Case) -> list[int]:
    """Tensors that are no parameter of a module, were made once and get a gradient again and again: a temperature."""
    recording = case.recording
    times = Counter(v for b in recording.backwards if not b.implicit for v in b.got)
    held = {v for o in recording.optimizers.values() for v in o.holds}
    return [
        v
        for v, often in times.items()
        if often > 1 and v not in held and not case.variable(v).parameter and v not in recording.hand_updated
    ]


def _follows(case: Case, optimizer: Optimizer, group: set[int]) -> bool:
    """Whether the other network is given what this one holds, over and over: then the loss uses the copy (W105)."""
    begun = min((s.at for s in case.recording.steps if s.optimizer == optimizer.id), default=0)
    return any(c.at > begun and c.source in optimizer.holds and c.target in group for c in case.recording.copies)


def _several(one: Counter[str], all_of_them: Counter[str]) -> bool:
    """Whether a count is that of one network, or of several of its build (one for each worker)."""
    times = next(iter(all_of_them.values()), 0) // next(iter(one.values()), 1) if one else 0
    return times > 0 and all_of_them == Counter({shape: times * count for shape, count in one.items()})


def _shapes(case: Case, members: Iterable[int]) -> Counter[str]:
    return Counter(str(case.variable(v).shape) for v in members)
