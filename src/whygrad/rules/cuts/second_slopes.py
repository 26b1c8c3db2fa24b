"""Variables that a loss uses only where it differentiates, and that have no part in the derivative.

A force is the slope of an energy, a score that of a density: the last bias of the network changes neither. No gradient
comes to it, and nothing is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.flow.events import Backward

if TYPE_CHECKING:
    from whygrad.rules.case import Case


def without_slope(case: Case, backward: Backward, variables: set[int]) -> set[int]:
    """Those of the variables that a gradient inside of this loss was computed from, while others learn through it."""
    if not variables:
        return set()
    part, found = case.slice(backward, reach.CERTAIN), set[int]()
    for inner in case.recording.backwards:
        if inner.at >= backward.at or inner.loss is None or inner.error is not None:
            continue
        feeds = any(op.stack == inner.stack and inner.loss in op.inputs for op in part.ops)
        if feeds and any(case.uses(inner, v) for v in backward.got):
            found |= {v for v in variables if case.uses(inner, v)}
    return found
