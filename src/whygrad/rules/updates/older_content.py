"""JAX: a gradient taken at older parameters than those it is applied to, which the same loss reads as constants.

A target network begins with the very arrays of the trained one, and is given them again at each sync. Where a gradient
is asked of it, and applied to the trained one, both are contents of one variable: an old one and the present one.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case

_TIMES = 2
"""The first update, and the one after a sync, have one content under both names."""


@dataclass(slots=True)
class Older:
    """Updates with the gradient of an older content, and the request that it came from."""

    step: Step
    backward: Backward
    variables: set[int]
    times: int


def asked_of_older(case: Case) -> list[Older]:
    """For each optimizer, the variables for which that is so in all updates that tell."""
    if case.recording.framework != "jax":
        return []
    found: list[Older] = []
    for optimizer in case.recording.optimizers:
        steps = [s for s in case.recording.steps if s.optimizer == optimizer and s.error is None]
        one = _of_optimizer(case, steps)
        if one is not None:
            found.append(one)
    return found


def _of_optimizer(case: Case, steps: list[Step]) -> Older | None:
    order: dict[int, dict[int, int]] = {}
    one: Older | None = None
    for step in steps:
        wrong, right = set(), False
        for variable, content in step.before.items():
            known = order.setdefault(variable, {})
            known.setdefault(content, len(known))
            backward = read_for(case, variable, step)
            if backward is not None and content != backward.read[variable]:
                asked = known.get(backward.read[variable])
                # Fast weights are the other way round: their gradient is taken later than what it is applied to.
                if asked is not None and asked < known[content] and _takes_in(case, backward, content):
                    wrong.add(variable)
                    one = one or Older(step, backward, set(), 0)
                else:
                    right = True
        if right:
            return None
        if one is not None and wrong:
            one.variables |= wrong
            one.times += 1
    return one if one is not None and one.times >= _TIMES else None


def _takes_in(case: Case, backward: Backward, content: int) -> bool:
    """Whether a loss is computed from a content that it does not differentiate."""
    return any(op.name == "captured" and content in op.inputs for op in case.slice(backward).ops)


def read_for(case: Case, variable: int, step: Step) -> Backward | None:
    """The request that gave a step its gradient of a variable."""
    before = [b for b in case.recording.backwards if b.at < step.at and variable in b.given and variable in b.read]
    return before[-1] if before else None
