"""Layers that are given nothing but zeros because of a mask that is never open."""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import base_name, numbers_of

CELLS = {"gru_cell": 2, "rnn_tanh_cell": 2, "rnn_relu_cell": 2, "lstm_cell": 3}
"""PyTorch's recurrent cells, with the place of the first weights among the inputs; the state comes second."""

_HANDS_ON = frozenset({"view", "reshape", "unsqueeze", "squeeze", "expand", "to", "clone", "contiguous", "flatten"})


def state_of(op: Op, weights: int) -> int | None:
    """The state that a recurrent cell multiplies with its second weights; None for anything else."""
    first = CELLS.get(base_name(op))
    if first is None or len(op.inputs) < first + 2 or op.inputs[first + 1] != weights:
        return None
    return op.inputs[1]


def masked_away(case: Case, value: int) -> Op | None:
    """The product that makes zeros of something that is learned, with a factor of zeros that was computed."""
    made = case.made_by.get(value)
    while made is not None and base_name(made) in _HANDS_ON and made.inputs:
        made = case.made_by.get(made.inputs[0])
    if made is None or base_name(made) not in ("mul", "rmul", "imul", "multiply") or len(made.inputs) != 2:
        return None
    for mask, other in (made.inputs, made.inputs[::-1]):
        closed, kept = numbers_of(case, mask), numbers_of(case, other)
        if closed is None or kept is None or not closed.all_zero or kept.all_zero:
            continue
        return made if case.recording.values[other].live else None
    return None
