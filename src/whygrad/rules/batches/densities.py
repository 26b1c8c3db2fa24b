"""A Gaussian's log-density, written out by hand: `-0.5 * ((x - mean) / exp(log_std)) ** 2 - log_std`."""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import ops_behind
from whygrad.rules.targets.objective import MINUS, SUM

_SQUARES = frozenset({"square", "pow", "__pow__", "integer_pow"})
_FAR, _NEAR = 10, 5


def is_density(case: Case, value: int) -> bool:
    """Whether a square of what is measured in deviations is added to the logarithm of that deviation."""
    behind = list(ops_behind(case.made_by, value, _FAR))
    added = {v for op in behind if op.name in SUM | MINUS for v in op.inputs}
    scales = {
        below.inputs[0]
        for op in behind
        if op.name in _SQUARES
        for below in ops_behind(case.made_by, op.inputs[0], _NEAR)
        if below.name == "exp" and below.inputs
    }
    return any(added & {scale, *_of_one(case, scale)} for scale in scales)


def _of_one(case: Case, value: int) -> list[int]:
    """What a value is the negative, or a multiple, of: `exp(-log_std)`."""
    made = case.made_by.get(value)
    return list(made.inputs) if made is not None and made.name.strip("_") in ("neg", "negative", "mul", "rmul") else []
