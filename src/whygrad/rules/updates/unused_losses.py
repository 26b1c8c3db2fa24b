"""Losses that were computed and on which backward() was never called."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Step
from whygrad.flow.operations import Op, Value
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.updates.order import idle, steps_of


def unused_loss(case: Case, optimizer: Optimizer) -> Op | None:
    """For an optimizer that never has a gradient: the last scalar computed from its variables that could be one.

    It must carry a gradient to them, and no backward pass may be computed from it. Where nothing is ever
    backpropagated it may be one number for each row, which `loss.mean().backward()` would have taken. None where there
    is no such loss: then the variables are not used, or something stops their gradient, which other rules explain.
    """
    steps = steps_of(case, optimizer)
    cut = {v for missing in missing_gradients(case) for found in missing.cuts for v in found.variables}
    if not steps or cut & optimizer.holds:
        return None
    values = case.recording.values
    used = {v for b in case.recording.backwards if b.loss is not None for v in case.slice(b, reach.CERTAIN).values}
    alive = {value.id for value in values.values() if value.variable in optimizer.holds}
    scalars: list[Op] = []
    rows: list[Op] = []
    consumed: set[int] = set()
    for at, op in case.recording.ops.items():
        if at > steps[0].at:
            break
        if op.kind not in ("leave", "stop"):
            consumed.update(op.inputs)
        for target in op.outputs:
            if any(s in alive and reach.carries(case.recording, op, s, target, None) for s in op.inputs):
                alive.add(target)
                if target in used or _one_row(values, op):
                    continue
                (scalars if all(size == 1 for size in values[target].shape) else rows).append(op)
    ends = [op for op in scalars if not any(value in consumed for value in op.outputs)]
    if not ends and not case.recording.backwards:  # the mean is often taken in the line that is not there
        ends = [op for op in rows if not any(v in consumed for v in op.outputs) and _compares(case, op)]
    if case.recording.backwards:  # beside another loss, a mean that is printed is no loss
        ends = [op for op in ends if _compares(case, op)]
    return ends[-1] if ends and not _beside_another(case, ends[-1], steps[0]) else None


def _beside_another(case: Case, end: Op, step: Step) -> bool:
    """Whether a function computed this loss and another, and only the other left it: a term that was not added.

    Where backward() is called nobody has it. The function that steps may call it; that one is not meant.
    """
    here, stepped = case.site(end.stack), case.site(step.stack)
    if here is None or stepped is None or (here.file, here.first_line) == (stepped.file, stepped.first_line):
        return False
    since = max((s.at for s in case.recording.steps if s.at < end.at), default=0)
    for backward in case.recording.backwards:
        made = case.made_by.get(backward.loss) if backward.loss is not None else None
        there = case.site(made.stack) if made is not None and since < made.at and backward.at < step.at else None
        if there is not None and (there.file, there.first_line) == (here.file, here.first_line):
            return True
    return False


def _one_row(values: dict[int, Value], op: Op) -> bool:
    """Whether an operation keeps the shape of a batch of one, (1, 1) of (1, 1): what an agent computes as it acts."""
    shape = values[op.outputs[0]].shape
    return len(shape) > 1 and all(len(values[v].shape) == len(shape) and values[v].shape[:1] == (1,) for v in op.inputs)


def _compares(case: Case, end: Op) -> bool:
    """Whether a number was made as losses are: from a difference, a logarithm, or with its sign turned."""
    part = reach.backward_slice(case.recording, end.outputs[0], case.made_by, end.at + 1, reach.CERTAIN)
    names = [op.name.lower() for op in part.ops[-40:]]
    turned = any(n in ("neg", "__neg__", "negative", "rsub", "__rsub__") for n in names[-3:])
    return turned or any(n in DIFFERENCE or n.endswith("loss") or n.startswith("log") or "entropy" in n for n in names)


def unstarted(case: Case) -> set[int]:
    """Variables whose own loss waits for a backward() that never comes: the step is to blame, not the other losses."""
    found: set[int] = set()
    if case.recording.framework == "jax":
        return found  # there a gradient is asked for of a function, and comes
    for optimizer in case.recording.optimizers.values():
        if idle(case, optimizer) and unused_loss(case, optimizer) is not None:
            found |= optimizer.holds
    return found
