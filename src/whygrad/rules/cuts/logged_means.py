"""The mean of a network's own output, which is kept for a log: `{"q": q.mean()}`. It looks like a term of a loss.

No loss is that number alone: it would only inflate the output. A critic's output that is to train what feeds it is not
the mean of the trained network's own.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case

_MEANS = frozenset({"mean", "sum", "reduce_mean", "reduce_sum", "div", "truediv", "__truediv__"})
_SHAPES = frozenset({
    "squeeze", "reshape", "view", "flatten", "getitem", "__getitem__", "slice", "gather", "identity", "astype", "cast",
    "to", "float", "convert_element_type",
})  # fmt: skip

_SPREADS = frozenset({"broadcast", "broadcast_in_dim", "broadcast_to", "expand_dims", "read_value"})


def is_mean(case: Case, op: Op) -> bool:
    """Whether an operation makes one number of many, and compares nothing."""
    values = case.recording.values
    return op.name in _MEANS and all(size == 1 for v in op.outputs if v in values for size in values[v].shape)


def is_logged_mean(case: Case, op: Op, variables: set[int]) -> bool:
    """Whether an operation makes the mean of the output of a layer of these, and of nothing else."""
    made: Op | None = op
    while made is not None and made.inputs:
        if any(_is_weight(case, v, variables) for v in made.inputs):
            return made is not op
        made = case.made_by.get(made.inputs[0]) if made.name in _MEANS | _SHAPES else None
    return False


def is_logged(case: Case, op: Op) -> bool:
    """Whether what an operation makes leaves as a number: `entropy.mean().item()`."""
    return any(o.kind == "leave" and any(v in op.outputs for v in o.inputs) for o in case.recording.ops.values())


def _is_weight(case: Case, value: int, variables: set[int]) -> bool:
    """Whether a value is a weight, or a bias that was brought into the shape of what it is added to."""
    while (variable := case.content.get(value)) is None:
        made = case.made_by.get(value)
        if made is None or made.name not in _SHAPES | _SPREADS or not made.inputs:
            return False
        value = made.inputs[0]
    return variable in variables
