"""JAX: clipping by hand that is written in several operations: `where(norm < limit, g, (g / norm) * limit)`.

The recorder marks the operation that brings the norm in. What clipping was given, and what it left, lies a few
operations before and after: a number that it is multiplied by, and the choice of the one or the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from whygrad.flow.events import Edit
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once

_SCALES = frozenset({"mul", "multiply", "div", "true_divide"})
_CHOICES = frozenset({"where", "select_n"})
_NEAR = 0.01


def whole_clipping(case: Case, edit: Edit) -> Edit:
    """The same clipping from the gradients to what is left of them; as it is, where nothing else belongs to it."""
    given = tuple(_unscaled(case, edit, value) for value in edit.given)
    made = tuple(_limited(case, edit, value) for value in edit.made)
    before, went_in, came_out = (norm(case, side) for side in (given, edit.given, edit.made))
    if before is None or went_in is None or came_out is None:
        return edit
    # The number is the limit only if it is the norm that is left: a learning rate, or a loss scale, is not.
    if given != edit.given and not math.isclose(came_out * before, went_in, rel_tol=_NEAR):
        given = edit.given
    if made != edit.made and not math.isclose(came_out, 1.0, rel_tol=_NEAR):
        made = edit.made
    return replace(edit, given=given, made=made)


def norm(case: Case, numbers: Sequence[int]) -> float | None:
    """The norm of several values together; None where one of them was not looked at, or is not finite."""
    values = case.recording.values
    known = [n.norm for v in numbers if v in values and (n := values[v].numbers) is not None and n.finite]
    return math.hypot(*known) if len(known) == len(numbers) else None


def _unscaled(case: Case, edit: Edit, value: int) -> int:
    """What was multiplied by a number just before: `g * limit / norm`."""
    op = case.made_by.get(value)
    if op is None or op.name not in _SCALES or not _together(case, edit, op) or value in _applied(case):
        return value
    same = [v for v in op.inputs if _shape(case, v) == _shape(case, value)]
    return same[0] if len(same) == 1 and _of_numbers(case, op, same[0]) else value


def _limited(case: Case, edit: Edit, value: int) -> int:
    """What came of it by a number that it was multiplied by, and by a choice between it and what it was before."""
    while True:
        readers = _readers(case).get(value, [])
        if len(readers) != 1 or len(readers[0].outputs) != 1 or not _together(case, edit, readers[0]):
            return value
        [op] = readers
        result = op.outputs[0]
        belongs = op.name in _CHOICES or (op.name in _SCALES and _of_numbers(case, op, value))
        # What is multiplied and then applied was given its learning rate.
        if not belongs or _shape(case, result) != _shape(case, value) or result in _applied(case):
            return value
        value = result


def _of_numbers(case: Case, op: Op, value: int) -> bool:
    return len(op.inputs) == 2 and all(not _shape(case, v) for v in op.inputs if v != value)


def _shape(case: Case, value: int) -> tuple[int | None, ...] | None:
    return case.recording.values[value].shape if value in case.recording.values else None


def _together(case: Case, edit: Edit, op: Op) -> bool:
    """Whether an operation of the program's own is in the function that clips."""
    here, there = case.site(edit.stack), case.site(op.stack)
    if op.inside or here is None or there is None:
        return False
    return (here.file, here.function, here.first_line) == (there.file, there.function, there.first_line)


@asked_once
def _applied(case: Case) -> frozenset[int]:
    return frozenset(value for step in case.recording.steps for value in step.taken.values())


@asked_once
def _readers(case: Case) -> dict[int, list[Op]]:
    found: dict[int, list[Op]] = {}
    for op in case.recording.ops.values():
        for value in op.inputs:
            found.setdefault(value, []).append(op)
    return found
