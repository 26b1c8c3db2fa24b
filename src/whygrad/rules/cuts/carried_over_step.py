"""A state that was kept with its graph over an optimizer's step, and went into the next loss.

PyTorch says that a value was modified in place, and it was: by the step. But the pass has no business in that graph,
which belongs to a round before. What tells it from a loss whose own forward pass came before the step: the state is
older than the last pass of this same loss, and the layers that made it are called anew for this one.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Op
from whygrad.rules.case import Case


@dataclass(slots=True)
class Carried:
    """The operation that made the state, the one that takes it into the loss, and the step in between."""

    made: Op
    taken: Op
    step: Step


def carried_over_step(case: Case, backward: Backward) -> Carried | None:
    """What a pass that ran into changed weights owes to a round before; None where its own loss came too early."""
    recording = case.recording
    if not backward.error or "modified by an inplace operation" not in backward.error:
        return None
    before = [b.at for b in recording.backwards if b.at < backward.at and b.stack == backward.stack]
    steps = [s for s in recording.steps if before and s.at > before[-1] and s.at < backward.at]
    part = case.slice(backward, reach.CERTAIN)
    walked = reach.gradient_reach(recording, part, backward.tape)
    for op in part.ops if steps else ():
        if op.at < steps[-1].at or not op.carries or not any(v in walked for v in op.outputs):
            continue
        for value in op.inputs:
            made = case.made_by.get(value)
            if made is None or value in case.content or not made.carries or made.at > before[-1]:
                continue
            old = reach.backward_slice(recording, value, case.made_by, made.at + 1, reach.CERTAIN)
            layers = {case.content[v] for v in old.values if v in case.content} & steps[-1].applied
            anew = (o for o in part.ops if o.at > steps[-1].at and o.carries)
            if layers and any(case.content.get(v) in layers for o in anew for v in o.inputs):
                return Carried(made, op, steps[-1])
    return None
