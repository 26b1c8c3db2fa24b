"""A loss that is computed from a gradient (a force, a penalty, a score), where that gradient is not finite.

The call that asks for it is where the NaN comes out; what made it is an operation of the function that is
differentiated there, whose own result is finite: a root at 0, a branch that `where` hides.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import Origin, hides_trouble, infinite_slope, numbers_of

_GRADIENTS = frozenset({"gradient", "autograd.grad"})


def inside_gradient(case: Case, origin: Origin) -> Origin | None:
    """The operation behind a gradient that is not finite, where that is what the forward pass got its NaN from."""
    if origin.op.name not in _GRADIENTS or not origin.forward:
        return None
    backward = _asked(case, origin)
    if backward is None or backward.loss not in case.recording.values:
        return None
    recording, part = case.recording, case.slice(backward, reach.CERTAIN)
    asked = set(backward.asked_values) | {n for n, v in case.content.items() if v in backward.wanted}
    for op in reversed(part.ops):
        inputs = [numbers_of(case, v) for v in op.inputs]
        output = op.outputs[0] if op.outputs else -1
        numbers = numbers_of(case, output)
        if not (infinite_slope(op, inputs, numbers) or hides_trouble(op, inputs, numbers)):
            continue
        behind = reach.backward_slice(recording, output, case.made_by, backward.at, reach.CERTAIN)
        if asked & set(behind.values):
            return Origin(op, False, output, numbers, inputs=inputs)
    return None


def _asked(case: Case, origin: Origin) -> Backward | None:
    """The request that gave these gradients."""
    made = set(origin.op.outputs)
    passes = [b for b in case.recording.backwards if b.loss is not None and b.error is None]
    given = [b for b in passes if made & set(b.given.values())]
    alike = [b for b in passes if b.stack == origin.op.stack and b.loss in origin.op.inputs]
    return next(iter([*given, *alike]), None)
