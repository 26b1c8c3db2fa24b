"""Cuts beside the one to blame: those that only choose, and those that stand right where another one does not.

An index or a condition, used to pick from values of the very same variables:
`codebook[argmin(distances)]`: the index has no derivative, and needs none, for the entry that it picks carries the
gradient on. Where that gradient is lost all the same, it is lost further on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.rules.intent import is_straight_through

if TYPE_CHECKING:
    from whygrad.rules.case import Case


def without_selections(case: Case, part: reach.Slice, cuts: list[reach.Cut], tape: int | None) -> list[reach.Cut]:
    """Without the cuts that only choose, where others explain the same variables."""
    choosing = [c for c in cuts if c.op.kind == "discrete" and _only_chooses(case, part, c, tape)]
    others = {v for c in cuts if c not in choosing for v in c.variables}
    return [c for c in cuts if c not in choosing or not c.variables <= others]


def one_of_compared(
    case: Case, part: reach.Slice, cuts: list[reach.Cut], compared: list[reach.Cut], tape: int | None
) -> list[reach.Cut]:
    """Of stops that are each compared with something trained, the first: one of them is on the wrong side.

    A quantizer stops its codes in one term, the encoder in another, and both in the straight-through estimator. Where
    the codes are stopped in all of them, the last is right, and one of the others.
    """
    both = [c for c in cuts if c in compared and not is_straight_through(case, part, c, tape)]
    if not both or any(c.variables != both[0].variables for c in cuts if c in compared):
        return cuts
    return [c for c in cuts if c not in compared or c is both[0]]


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
