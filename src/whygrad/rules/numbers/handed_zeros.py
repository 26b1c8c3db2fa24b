"""Zeros that a program makes itself and hands to the optimizer, in place of the gradients that it has.

Where it has summed them up over several batches, the sum was emptied too early: that is W301.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Step
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.targets.objective import SUM
from whygrad.rules.updates.history import trace
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
        total = _summed(case, members)
        if total is not None:
            yield _emptied(case, members, total, where, steps)
            continue
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


def _summed(case: Case, members: set[int]) -> Op | None:
    """The first sum of these variables' gradients out of several passes."""
    for op in case.recording.ops.values():
        shares = [s for value in op.outputs for s in trace(case, value)] if op.name in SUM else []
        if len({s.backward.at for s in shares}) > 1 and all(s.variable in members for s in shares):
            return op
    return None


def _emptied(case: Case, members: set[int], total: Op, where: Site | None, steps: list[Step]) -> Finding:
    summed, applied = case.site(total.stack), case.site(steps[0].stack)
    stations = [(summed, total.name, "the gradient is added here"), (where, "zeros", "and zeros take its place here"),
                (applied, steps[0].call, "before it could be applied here")]  # fmt: skip
    return Finding(
        code="W301", rule="cleared-before-step", severity="error",
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} zeros in every step: they take the "
        f"place of the gradients that were summed up{at_line(summed, where)}",
        why=f"{quoted(applied, 'The step')} is to apply the sum of several gradients. Zeros were put in its place just "
        "before, so that the step changes nothing.",
        fix=f"move {quoted(where, 'the reset')} behind {quoted(applied, 'the step')}",
        variables=case.names(members), where=where, label="empties what the gradients were summed up in",
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None), seen=len(steps),
    )  # fmt: skip
