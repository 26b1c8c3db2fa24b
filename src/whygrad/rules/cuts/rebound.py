"""A variable's name that was given to the result of its own update: `w = w - lr * w.grad`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.cuts.intent import DIFFERENCE

if TYPE_CHECKING:
    from whygrad.rules.case import Case


def variable_behind(case: Case, number: int) -> int | None:
    """The variable that a value was made from by an update, and whose name it goes by now."""
    value, made = case.recording.values[number], case.made_by.get(number)
    if made is None or made.name not in DIFFERENCE or value.variable is not None:
        return None
    if made.tapes:  # an outer tape follows the update: fast weights, which are new tensors on purpose
        return None
    variable = case.content.get(made.inputs[0]) if made.inputs else None
    if variable is None or case.recording.variables[variable].shape != value.shape:
        return None
    asked = any(variable in b.wanted or variable in b.got for b in case.recording.backwards if b.at < made.at)
    return variable if asked else None


def rebound_under_no_grad(case: Case, backward: Backward) -> dict[int, Op]:
    """PyTorch: variables whose update was computed under no_grad, where the loss is computed from the result.

    Nothing in it asks for a gradient any more, and backward() fails.
    """
    if backward.error is None or "does not require grad" not in backward.error or backward.loss is None:
        return {}
    part, found = case.slice(backward), dict[int, Op]()
    for op in part.ops:
        for number in op.outputs if op.switch is not None and op.name in DIFFERENCE else ():
            variable = variable_behind(case, number)
            if variable is not None:
                found.setdefault(variable, op)
    return found
