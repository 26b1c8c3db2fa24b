"""Advantages of zero that cannot come of rewards that are rare: the returns of the same rows are not zero.

Where the rewards are still zero, the returns that the value learns are zero as well, or all one number. Rows that have
different returns have advantages, unless nobody filled them in.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE, is_log_probability
from whygrad.rules.numbers.flatness import Dead
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.targets.objective import SHAPING, objectives


def returns_beside(case: Case, dead: Dead) -> Op | None:
    """Where another prediction is held against data that differ by the row, beside zeros for a log-probability."""
    weights = [v for v in dead.op.inputs if v != dead.source]
    rows = [case.recording.values[v].shape[:1] for v in weights]
    likely = is_log_probability(case.made_by, dead.source) or _is_cross_entropy(case, dead.source)
    if not likely or not rows or rows[0] in ((), (1,)):
        return None
    for objective in reversed(objectives(case)):
        for op in objective.part.ops:
            live = [bool(objective.live.get(v, 0) & objective.trained) for v in op.inputs[:2]]
            if op.name in DIFFERENCE and sum(live) == 1 and len(live) == 2:
                target = op.inputs[live.index(False)]
                beside = case.recording.values[target].shape[:1]  # the last batch of an episode has fewer rows
                if beside not in ((), (1,)) and _varies(case, target):
                    return op
    return None


def _is_cross_entropy(case: Case, value: int) -> bool:
    made = case.made_by.get(value)
    while made is not None and made.name in SHAPING and made.inputs:
        made = case.made_by.get(made.inputs[0])
    return made is not None and "cross_entropy" in base_name(made)


def _varies(case: Case, value: int) -> bool:
    """Whether a value is data of more than one content."""
    made, known = case.made_by.get(value), numbers_of(case, value)
    if made is not None and made.kind == "stop":
        return _varies(case, made.inputs[0])
    return (made is None or made.kind == "enter") and known is not None and known.finite and known.low < known.high
