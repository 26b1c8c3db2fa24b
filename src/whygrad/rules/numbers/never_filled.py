"""Advantages of zero that cannot come of rewards that are rare: the returns of the same rows are not zero.

Where the rewards are still zero, the returns that the value learns are zero as well, or all one number. Rows that have
different returns have advantages, unless nobody filled them in.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE, is_log_probability
from whygrad.rules.numbers.flatness import Dead
from whygrad.rules.numbers.origin import numbers_of
from whygrad.rules.targets.objective import objectives


def returns_beside(case: Case, dead: Dead) -> Op | None:
    """Where another prediction is held against data of as many rows as a log-probability is weighed with zeros."""
    weights = [v for v in dead.op.inputs if v != dead.source]
    rows = [case.recording.values[v].shape[:1] for v in weights]
    if not is_log_probability(case.made_by, dead.source) or not rows or rows[0] in ((), (1,)):
        return None
    for objective in reversed(objectives(case)):
        for op in objective.part.ops:
            live = [bool(objective.live.get(v, 0) & objective.trained) for v in op.inputs[:2]]
            if op.name in DIFFERENCE and sum(live) == 1 and len(live) == 2:
                target = op.inputs[live.index(False)]
                if case.recording.values[target].shape[:1] == rows[0] and _varies(case, target):
                    return op
    return None


def _varies(case: Case, value: int) -> bool:
    """Whether a value is data of more than one content."""
    made, known = case.made_by.get(value), numbers_of(case, value)
    return (made is None or made.kind == "enter") and known is not None and known.finite and known.low < known.high
