"""Cuts beside the one to blame: those that only choose, and those that stand right where another one does not.

An index or a condition, used to pick from values of the very same variables:
`codebook[argmin(distances)]`: the index has no derivative, and needs none, for the entry that it picks carries the
gradient on. Where that gradient is lost all the same, it is lost further on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.cuts.intent import is_straight_through, targets_behind

if TYPE_CHECKING:
    from whygrad.rules.case import Case

_PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "multiply"})


def without_selections(case: Case, part: reach.Slice, cuts: list[reach.Cut], tape: int | None) -> list[reach.Cut]:
    """Without the cuts that only choose, where others explain the same variables."""
    choosing = [c for c in cuts if c.op.kind == "discrete" and _only_chooses(case, part, c, tape)]
    others = {v for c in cuts if c not in choosing for v in c.variables}
    return [c for c in cuts if c not in choosing or not c.variables <= others]


def chooses_for_target(case: Case, part: reach.Slice, cut: reach.Cut, backward: Backward) -> bool:
    """Whether a cut picks the action that a target is taken for, and the rest of the network learns by another way.

    Double Q-learning asks the trained network which action is best. A head that reaches the loss by that alone is
    missing in the prediction; the index is as it should be.
    """
    targets = set(targets_behind(case, part, cut)) if cut.op.kind == "discrete" else set()
    if not targets or _arrives(part, cut, targets):
        return False
    learning = {case.variable(v).network for v in backward.got}
    return all(case.variable(v).network in learning for v in cut.variables)


def _arrives(part: reach.Slice, cut: reach.Cut, but: set[int]) -> bool:
    """Whether the loss is computed from what lies behind a cut on a way past certain values."""
    follow = set(cut.op.outputs)
    for op in part.ops:
        if op.at > cut.op.at and any(v in follow for v in op.inputs):
            follow.update(v for v in op.outputs if v not in but)
    return part.loss in follow


def one_of_compared(
    case: Case, part: reach.Slice, cuts: list[reach.Cut], compared: list[reach.Cut], tape: int | None
) -> list[reach.Cut]:
    """Of stops that are each compared with something trained, the first: one of them is on the wrong side.

    A quantizer stops its codes in one term, the encoder in another, and both in the straight-through estimator. Where
    the codes are stopped in all of them, the last is right, and one of the others: the one that says again what another
    one said, if there is such a one.
    """
    both = [c for c in cuts if c in compared and not is_straight_through(case, part, c, tape)]
    if not both or any(c.variables != both[0].variables for c in cuts if c in compared):
        return cuts
    met = [_met(part, c) for c in both]
    again = next((i for i in range(len(both)) if met[i] in met[:i]), None)
    blamed = both[0]
    if again is not None:
        # Of two that say the same the commitment has a weight of its own, and the term of the codes has none.
        first = both[met.index(met[again])]
        blamed = first if _is_weighed(case, part, both[again]) and not _is_weighed(case, part, first) else both[again]
    return [c for c in cuts if c not in compared or c is blamed]


def _is_weighed(case: Case, part: reach.Slice, cut: reach.Cut) -> bool:
    """Whether the term that a stop is a part of is multiplied by a number before it is added to the others."""
    values, follow = case.recording.values, set(cut.op.outputs)
    for op in part.ops:
        if op.at <= cut.op.at or not any(v in follow for v in op.inputs):
            continue
        others = [v for v in op.inputs if v not in follow and v in values]
        small = all(size == 1 for v in op.outputs if v in values for size in values[v].shape)
        if small and op.name in _PRODUCTS and not others:
            return True  # by a plain number
        if small and others and all(not values[v].shape for v in others):
            return op.name in _PRODUCTS
        follow.update(op.outputs)
    return False


def _met(part: reach.Slice, cut: reach.Cut) -> tuple[tuple[int, ...], frozenset[int]]:
    """What a stop is given, and what its result is compared with."""
    beside = {v for op in part.ops if any(o in op.inputs for o in cut.op.outputs) for v in op.inputs}
    return tuple(cut.op.inputs), frozenset(beside - set(cut.op.outputs))


def _only_chooses(case: Case, part: reach.Slice, cut: reach.Cut, tape: int | None) -> bool:
    values = case.recording.values
    follow = {v for v in cut.op.outputs if v in values and not values[v].floating}
    if not follow or len(follow) < len(cut.op.outputs):
        return False
    used = False
    for op in part.ops:
        if op.at <= cut.op.at or not any(v in follow for v in op.inputs):
            continue
        if not any(v in values and values[v].floating for v in op.outputs):
            follow.update(op.outputs)
            continue
        carrying = [
            v
            for v in op.inputs
            if v not in follow and any(reach.carries(case.recording, op, v, made, tape) for made in op.outputs)
        ]
        if not carrying:  # a row of zeros with a one in it: still nothing but a choice
            follow.update(op.outputs)
            continue
        if not any(cut.variables <= _behind(case, v, tape) for v in carrying):
            return False
        used = True
    return used


def _behind(case: Case, value: int, tape: int | None) -> set[int]:
    """The variables that a gradient arriving at a value gets to."""
    todo, seen, found = [value], {value}, set[int]()
    while todo:
        number = todo.pop()
        owner = case.content.get(number)
        if owner is not None:
            found.add(owner)
        made = case.made_by.get(number)
        for source in made.inputs if made is not None else ():
            if source not in seen and made is not None and reach.carries(case.recording, made, source, number, tape):
                seen.add(source)
                todo.append(source)
    return found
