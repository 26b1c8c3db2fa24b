"""What a sample is weighed with: the return of a batch, or the one number that its own action brought."""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SHAPING, SUM, Objective

_WAY = SHAPING | SUM | MINUS | PRODUCT | frozenset({"neg", "negative", "__neg__", "clip_by_value", "clamp", "tanh"})
_STEPS = 12


def is_reward_of(case: Case, value: int, sample: int) -> bool:
    """Whether a number came back from outside after the sample had left: a coefficient has nothing to do with it."""
    entered = {op.at for number in _back(case, value) if (op := case.made_by.get(number)) and op.kind == "enter"}
    left = (case.recording.ops.get(h.left) for h in case.recording.handovers if h.entered in entered)
    return any(sample in _back(case, number) for op in left if op is not None for number in op.inputs)


def _back(case: Case, value: int) -> set[int]:
    """What a value was made of by plain arithmetic, itself included."""
    todo, seen = [value], {value}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        fresh = [v for v in op.inputs if v not in seen] if op is not None and op.name in _WAY else []
        seen.update(fresh)
        todo.extend(fresh)
    return seen


def is_pure(case: Case, objective: Objective, chance: int, sample: int) -> bool:
    """Whether the weighed value is a log-probability alone, with no critic of the same sample in it."""
    wanted = {chance}
    for op in reversed(objective.part.ops):
        if any(v in wanted for v in op.outputs):
            wanted.update(op.inputs)
    after = {sample}
    for op in objective.part.ops:
        if any(v in after for v in op.inputs):
            if op.name in CONTRACTS and any(v in wanted for v in op.outputs):
                return False
            after.update(op.outputs)
    return True
