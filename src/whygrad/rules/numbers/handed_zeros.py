"""Zeros that a program makes itself and hands to the optimizer, in place of the gradients that it has."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Step
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.wording import at_line, count, plain_subject, quoted, subject, verb

CODE, NAME = "W401", "zero-gradient"

_ENOUGH = 3
_ZEROS = frozenset({"zeros_like", "zeros", "fill"})


def handed_zeros(case: Case) -> Iterator[Finding]:
    """TensorFlow: optimizers that are given nothing but made-up zeros for variables whose gradient is not zero."""
    recording = case.recording
    if recording.framework != "tensorflow":
        return
    for optimizer in recording.optimizers.values():
        steps = [s for s in recording.steps if s.optimizer == optimizer.id and s.applied and s.error is None]
        if len(steps) < _ENOUGH or not all(_made_up(case, step) for step in steps):
            continue
        members = {v for step in steps for v in step.applied}
        moving = (b for b in recording.backwards if any(b.gradients[v].norm > 0 for v in members & b.gradients.keys()))
        backward = next(moving, None)
        maker = case.made_by.get(next(iter(steps[0].taken.values())))
        if backward is None or maker is None:
            continue
        where, applied, asked = case.site(maker.stack), case.site(steps[0].stack), case.site(backward.stack)
        stations = [(asked, backward.call, "the gradient comes here"), (where, maker.name, "zeros are made here"),
                    (applied, steps[0].call, "applied here")]  # fmt: skip
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, members)} {verb(members, case, 'is', 'are')} given zeros in place of "
            f"{verb(members, case, 'its', 'their')} gradient",
            why=f"The gradient is computed{at_line(asked, where)} and is not zero. What the optimizer was given in all "
            f"of {count(len(steps), 'update')} that were looked at are zeros, made by {quoted(where, 'the program')}.",
            fix=f"give the optimizer the gradients themselves in place of {quoted(where, 'the zeros')}",
            variables=case.names(members), where=where,
            label=f"zeros, in place of the gradient of {plain_subject(case, members)}",
            loss=case.loss_site(backward),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(steps),
        )  # fmt: skip


def _made_up(case: Case, step: Step) -> bool:
    """Whether everything that a step applies is zeros that were made as such."""
    made = [case.made_by.get(step.taken.get(v, -1)) for v in step.applied]
    zero = all(v in step.gradients and step.gradients[v].all_zero for v in step.applied)
    return zero and all(op is not None and base_name(op) in _ZEROS for op in made)
