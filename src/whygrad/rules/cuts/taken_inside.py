"""Layers that are computed for nothing, because somebody wanted what comes before them.

A hook, or an attribute that a network keeps, hands out its features; what the network returns is thrown away with the
last layer in it. That is how features are taken from a network that one did not write.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Stack
from whygrad.flow.syntax import is_result

if TYPE_CHECKING:
    from whygrad.rules.case import Case


def taken_inside(case: Case, backward: Backward, output: Op) -> bool:
    """Whether a dropped output is all that a call returned, made from what the loss takes out of that very call."""
    stack = case.stack(output.stack)
    used = {op.at for op in case.slice(backward).ops}
    for depth in range(len(stack)):
        if depth and not is_result(stack[depth - 1]):
            return False
        # The line of the operation itself is a call of a framework's module. In Keras that may have several outputs; of
        # a `Sequential` nothing but a hook gets at the inside.
        if (depth or case.recording.framework == "torch") and _made_from(case, output, stack[depth:], used):
            return True
    return False


def _made_from(case: Case, output: Op, call: Stack, used: set[int]) -> bool:
    """Whether something that was computed within a call, and is used, leads to its output."""
    todo, seen = [output], {output.at}
    while todo:
        for value in todo.pop().inputs:
            made = case.made_by.get(value)
            if made is None or made.at in seen or case.stack(made.stack)[-len(call) :] != call:
                continue
            if made.at in used:
                return True
            seen.add(made.at)
            todo.append(made)
    return False
