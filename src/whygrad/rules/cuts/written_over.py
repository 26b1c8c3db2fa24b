"""Results that a write replaces as a whole before the loss: a gradient comes back, and is all zeros."""

from __future__ import annotations

import math
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.numbers.flatness import behind, pass_before, was_alive, zero_gradients

_PUTS = {"scatter": 2, "dynamic_update_slice": 1}
"""JAX's writes: the first input is what was there before, this one is what is put in its place."""


@dataclass(slots=True)
class WrittenOver:
    """One write, what it replaced, and the variables of which nothing else reaches the loss."""

    op: Op
    before: int
    backward: Backward
    variables: set[int]


def written_over(case: Case) -> list[WrittenOver]:
    """Writes behind which variables have a gradient of exactly zero, and no way around them."""
    found: dict[int, WrittenOver] = {}
    for variable, steps in zero_gradients(case).items():
        if not case.variable(variable).trainable or variable not in case.trained or was_alive(case, variable):
            continue
        backward = pass_before(case, steps[-1], variable)
        if backward is None or backward.loss is None or backward.loss not in case.recording.values:
            continue
        part = case.slice(backward, reach.CERTAIN)
        writes = _whole(case, part)
        walls = {(op.at, before) for op, before in writes}
        if not writes or variable in behind(case, part, part.loss, backward, walls):
            continue
        for op, before in reversed(writes):
            made = reach.backward_slice(case.recording, before, case.made_by, backward.at, reach.CERTAIN)
            if variable in behind(case, made, before, backward):
                found.setdefault(op.stack, WrittenOver(op, before, backward, set())).variables.add(variable)
                break
    return list(found.values())


def _whole(case: Case, part: reach.Slice) -> list[tuple[Op, int]]:
    """The operations on the way to a loss that leave nothing of what they write to, with what that was."""
    values, ats = case.recording.values, {op.at for op in part.ops}
    found = [
        (case.made_by[w.after], w.before)
        for w in case.recording.writes
        if w.at in ats and w.after in case.made_by and w.before not in case.made_by[w.after].inputs
    ]
    for op in part.ops:
        place = _PUTS.get(op.name) if case.recording.framework == "jax" else None
        if place is None or len(op.inputs) <= place:
            continue
        shape = values[op.inputs[0]].shape
        sizes = [math.prod(length or 0 for length in one) for one in (shape, values[op.inputs[place]].shape)]
        if None not in shape and sizes[0] == sizes[1]:
            found.append((op, op.inputs[0]))
    return sorted(found, key=lambda pair: pair[0].at)
