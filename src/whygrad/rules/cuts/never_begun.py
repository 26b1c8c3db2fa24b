"""Updates that never begin, because the program asks its loss for a gradient first and there is none.

`if alpha_loss.requires_grad: alpha_loss.backward()` is no error where something stopped the gradient before: the
backward pass is left out in silence, and what it should have trained keeps its first values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.flow.events import Backward

if TYPE_CHECKING:
    from whygrad.rules.case import Case

ASKED = "requires_grad"


def never_begun(case: Case) -> list[tuple[Backward, set[int]]]:
    """For each such question a backward pass that was not run, and the variables that nothing else trains."""
    recording = case.recording
    if not recording.asked or not recording.steps or recording.cut_short:
        return []
    waiting = {v for o in recording.optimizers.values() if not o.skipped for v in o.holds if case.variable(v).trainable}
    waiting -= {v for step in recording.steps for v in step.applied} | {v for b in recording.backwards for v in b.got}
    waiting -= recording.later_gradients | recording.moved_later | recording.hand_updated
    found = []
    for question in recording.asked:
        if not waiting or question.value not in recording.values:
            continue
        part = reach.backward_slice(recording, question.value, case.made_by, question.at, reach.PROVED)
        behind = {v for n in part.values if (v := recording.values[n].variable) in waiting and v is not None}
        if behind:
            found.append((Backward(question.at, ASKED, question.value, question.stack), behind))
            waiting -= behind
    return found
