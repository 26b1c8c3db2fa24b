"""Layers that are computed for nothing, because somebody wanted what comes before them.

A hook, or an attribute that a network keeps, hands out its features; what the network returns is thrown away with the
last layer in it. That is how features are taken from a network that one did not write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow.recording import Backward, Op
from whygrad.flow.syntax import is_result

if TYPE_CHECKING:
    from whygrad.rules.case import Case


def taken_inside(case: Case, backward: Backward, output: Op) -> bool:
    """Whether a dropped output is all that a call returned, while the loss uses what was computed inside that call."""
    stack = case.stack(output.stack)
    used = {case.stack(op.stack) for op in case.slice(backward).ops if op.kind == "compute"}
    for depth in range(1, len(stack)):
        if not is_result(stack[depth - 1]):
            return False
        call = stack[depth:]
        if any(len(one) > len(call) and one[-len(call) :] == call for one in used):
            return True
    return False
