"""PyTorch: gradients that pile up within one step, over the calls of the closure that an optimizer is given.

L-BFGS calls it many times, with other weights each time. Several passes within one call are batches that are summed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case, asked_once


@dataclass(slots=True)
class ClosureHeap:
    """A pass that added to the gradient of the call before, in which steps, and of what."""

    backward: Backward
    steps: list[Step]
    variables: set[int]


@asked_once
def closure_heaps(case: Case) -> list[ClosureHeap]:
    """One for each optimizer and line."""
    found: dict[tuple[int, int], ClosureHeap] = {}
    for step in case.recording.steps:
        for begin, end in pairwise((*step.called_back, step.at)):
            inside = [b for b in case.recording.backwards if begin < b.at < end and b.call == "backward"]
            if begin == step.called_back[0] or not inside:
                continue  # what lies there before the first call is the affair of the steps before
            first = inside[0]
            cleared = {v for c in case.recording.clears if begin < c.at < first.at for v in c.variables}
            variables = (first.piled & step.applied) - cleared
            if variables:
                heap = found.setdefault((step.optimizer, first.stack), ClosureHeap(first, [], set()))
                heap.variables |= variables
                if step not in heap.steps:
                    heap.steps.append(step)
    return list(found.values())
