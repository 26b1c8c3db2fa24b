"""Matrices of pairs that nobody can have wanted, whoever put the axis in.

The sum of all (aᵢ - bⱼ)² says of b no more than its mean, and the sum of all aᵢ bⱼ is the product of two sums. A
program that wants pairs puts something in between that tells them apart: a root, an absolute value, a kernel, a mask.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.batches.stretched_rows import SQUARED
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import MINUS, PRODUCT, SHAPING, SUM, Objective

_SQUARES = frozenset({"square", "pow", "__pow__", "pow_", "integer_pow"})
_MEANS = frozenset({"mean", "sum", "reduce_mean", "reduce_sum"})
_SIGNS = frozenset({"neg", "negative", "__neg__"})


def in_vain(case: Case, objective: Objective, op: Op) -> bool:
    """Whether differences of pairs are squared and added up, or products of pairs added up, and nothing else."""
    if op.name not in MINUS | PRODUCT:
        return False
    pairs, squares, sums = set(op.outputs), set[int](), set[int]()
    if op.name in PRODUCT:
        pairs, squares = set(), set(op.outputs)
    for later in objective.part.ops:
        if later.at <= op.at or not any(v in pairs or v in squares for v in later.inputs):
            continue
        if later.name in _SIGNS or (
            later.name in PRODUCT | {"div", "truediv", "__truediv__"} and _by_number(case, later)
        ):
            (pairs if later.inputs[0] in pairs else squares).update(later.outputs)
        elif any(v in pairs for v in later.inputs):
            twice = later.name in PRODUCT and len(set(later.inputs)) == 1
            if not twice and not (later.name in _SQUARES and _by_number(case, later)):
                return False
            squares.update(later.outputs)
        elif later.name in _MEANS:
            sums.update(later.outputs)
        else:
            return False
    return bool(sums) and all(_only_summed(case, objective, v) for v in sums)


def meets_own_target(case: Case, objective: Objective, op: Op) -> bool:
    """Whether a matrix that an operation makes is held against one column of data, which broadcasting lays over it.

    Then each row of it should be one prediction: what wants pairs has something to say of each pair.
    """
    values, made = case.recording.values, set(op.outputs)
    for later in objective.part.ops:
        if later.name in MINUS | SQUARED and later.outputs and any(v in made for v in later.inputs):
            shape = values[later.outputs[0]].shape
            beside = [v for v in later.inputs[:2] if v not in made]
            if len(shape) == 2 and any(_is_target(case, objective, v, shape) for v in beside):
                return True
    return False


def _is_target(case: Case, objective: Objective, value: int, shape: tuple[int | None, ...]) -> bool:
    one = case.recording.values[value]
    return one.shape == (shape[0], 1) and not objective.live.get(value, 0)


def _by_number(case: Case, op: Op) -> bool:
    """Whether all that comes beside the first operand is one number."""
    return all(case.recording.values[v].shape == () for v in op.inputs[1:])


def _only_summed(case: Case, objective: Objective, value: int) -> bool:
    """Whether what is left of the pairs after one sum is added up to one number, and not put through anything."""
    follow = {value}
    for op in objective.part.ops:
        if not any(v in follow and case.recording.values[v].shape != () for v in op.inputs):
            continue
        if op.name not in _MEANS | _SIGNS | SHAPING | SUM and not (op.name in PRODUCT and _by_number(case, op)):
            return False
        follow.update(op.outputs)
    return True
