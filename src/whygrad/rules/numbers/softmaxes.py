"""Softmaxes, as one operation or written out (exponentials over their sum, as JAX has it), and where they are flat."""

from __future__ import annotations

import math

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import base_name, numbers_of

QUOTIENTS = frozenset({"div", "truediv", "rtruediv", "divide", "true_divide", "real_div"})
_SHAPES = frozenset({"broadcast", "broadcast_to", "reshape", "expand_dims", "squeeze"})
_SAME = _SHAPES | {"view", "unsqueeze", "expand", "identity", "cast", "to", "float", "convert_element_type", "clone"}
_NEARLY = 1e-6


def is_softmax(case: Case, op: Op) -> bool:
    """A softmax, or exponentials over their sum: JAX writes it out."""
    return base_name(op) == "softmax" or written_softmax(case, op)


def written_softmax(case: Case, op: Op) -> bool:
    """Whether an operation ends a softmax that is written out."""
    return _sum_below(case, op) is not None


def is_chance(case: Case, value: int) -> bool:
    """Whether a value has the chances of all there is: a softmax, or the exponential of its logarithm."""
    made = case.made_by.get(value)
    while made is not None and base_name(made) in _SAME and made.inputs:
        made = case.made_by.get(made.inputs[0])
    if made is None or not made.inputs:
        return False
    before = case.made_by.get(made.inputs[0])
    return is_softmax(case, made) or (
        base_name(made) == "exp" and before is not None and base_name(before) == "log_softmax"
    )


def structural(case: Case, op: Op) -> bool:
    """A softmax over a single entry is constant, whatever the numbers are."""
    below = _sum_below(case, op)
    if below is not None:
        return _over_one_entry(case, below)
    inside = "cross_entropy" in base_name(op)
    if ("softmax" not in base_name(op) and not inside) or not op.flat or not op.outputs:
        return False
    # A loss that has the softmax of its logits within makes one number of each row.
    shape = case.recording.values[op.inputs[0] if inside else op.outputs[0]].shape
    return bool(shape) and (shape[-1] == 1 or (len(shape) > 2 and shape[1] == 1))


def flat_softmax(case: Case, op: Op) -> bool:
    """Whether a softmax that is written out lets nothing through: of one entry, or with 0 and 1 in every row."""
    below = _sum_below(case, op)
    if below is None:
        return False
    made = numbers_of(case, op.outputs[0])
    if _over_one_entry(case, below) or made is None or not made.finite:
        return made is not None and made.finite
    return made.low == 0 and made.high == 1 and abs(made.zeros + made.norm**2 - made.size) < _NEARLY * made.size


def _sum_below(case: Case, op: Op) -> Op | None:
    """The sum that exponentials are divided by, where it is the sum of these."""
    if base_name(op) not in QUOTIENTS or len(op.inputs) != 2:
        return None
    powers, whole = (case.made_by.get(v) for v in op.inputs)
    while whole is not None and base_name(whole) in _SHAPES:
        whole = case.made_by.get(whole.inputs[0])
    summed = whole is not None and base_name(whole) in ("sum", "reduce_sum") and whole.inputs[0] == op.inputs[0]
    return whole if summed and powers is not None and base_name(powers) == "exp" else None


def _over_one_entry(case: Case, below: Op) -> bool:
    """Whether a sum adds nothing up: it is as large as what it was made of."""
    values = case.recording.values
    if below.inputs[0] not in values or below.outputs[0] not in values:
        return False
    given, made = (values[v].shape for v in (below.inputs[0], below.outputs[0]))
    if any(size is None for size in (*given, *made)) or not given:
        return False
    return math.prod(size or 1 for size in given) == math.prod(size or 1 for size in made) > 0
