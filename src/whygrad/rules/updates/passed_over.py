"""JAX: an optimizer makes updates of the gradients, and the gradients themselves are added to the parameters.

`updates` and `grads` are trees of the same form, so `apply_updates(params, grads)` raises nothing. The parameters move,
uphill, by steps of the gradient's own size.
"""

from __future__ import annotations

from whygrad.flow.events import Step
from whygrad.rules.case import Case


def passed_over(case: Case) -> dict[int, list[Step]]:
    """By the stack of the line that applies: the steps that took gradients as they were, beside an optimizer's work."""
    recording = case.recording
    if recording.framework != "jax":
        return {}
    raw = {value for b in recording.backwards for value in b.given.values()}
    found: dict[int, list[Step]] = {}
    kept: set[int] = set()
    for step in recording.steps:
        last = max((b.at for b in recording.backwards if b.at < step.at and b.got & step.applied), default=0)
        made = [e for e in recording.edits if e.call == "update" and last < e.at < step.at]
        worked_on = {v for edit in made for v in edit.variables}
        if step.applied and step.applied <= worked_on and all(step.taken.get(v) in raw for v in step.applied):
            found.setdefault(step.stack, []).append(step)
        else:
            kept |= step.applied
    return {stack: steps for stack, steps in found.items() if not any(s.applied & kept for s in steps)}
