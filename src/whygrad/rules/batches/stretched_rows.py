"""Rows that a program lays beside a column by hand: `returns.unsqueeze(0).expand(n, -1)` against values (n, 1).

Broadcasting would have made the same pairs. Pairs that are wanted are laid out on both sides (`x[:, None]`,
`y[None, :]`) or are held against each other by a distance, a kernel, a comparison. A column that a network gave as it
is, and a square, is a regression: over all pairs it knows nothing but the mean of the row.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import MINUS, SHAPING, Objective

_STRETCHES = SHAPING | {"repeat", "tile", "expand_copy"}
SQUARED = frozenset({"mse_loss", "smooth_l1_loss", "huber_loss", "squared_difference"})
_SQUARES = frozenset({"pow", "__pow__", "square", "integer_pow"})


def stretched_row(case: Case, objective: Objective, op: Op, column: int, row: int) -> bool:
    """Whether a difference that is squared holds a network's own column against a row that was laid down for it."""
    values = case.recording.values
    rows = values[column].shape[0]
    if values[row].shape not in ((rows, rows), (1, rows)) or not _squared(objective, op):
        return False
    return _was_flat(case, row, (rows,)) and not _was_flat(case, column, (rows,))


def _was_flat(case: Case, value: int, flat: tuple[int | None, ...]) -> bool:
    """Whether a value is a plain row that was only given other axes."""
    values, made = case.recording.values, case.made_by.get(value)
    while made is not None and made.name in _STRETCHES and made.inputs and made.inputs[0] in values:
        if values[made.inputs[0]].shape == flat:
            return True
        made = case.made_by.get(made.inputs[0])
    return False


def _squared(objective: Objective, op: Op) -> bool:
    """Whether an operation is a squared difference, or a difference that all goes into squares."""
    if op.name in SQUARED:
        return True
    after = [later for later in objective.part.ops if any(v in later.inputs for v in op.outputs)]
    doubled = [later.name in _SQUARES or (len(later.inputs) == 2 and len(set(later.inputs)) == 1) for later in after]
    return op.name in MINUS and bool(doubled) and all(doubled)
