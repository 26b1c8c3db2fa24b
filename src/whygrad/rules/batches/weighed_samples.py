"""What a sample is weighed with: the return of a batch, or the one number that its own action brought."""

from __future__ import annotations

from collections import Counter

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SHAPING, SUM, Objective, size

_WAY = SHAPING | SUM | MINUS | PRODUCT | frozenset({"neg", "negative", "__neg__", "clip_by_value", "clamp", "tanh"})
_STEPS = 12
_NEAR = 4
_FAR = 200


def weight_of(case: Case, objective: Objective, others: list[int], sample: int, logged: bool) -> int | None:
    """Of what a value is multiplied with, the weight: a number for each row, or one that the sample has brought.

    `logged`: the value is a logarithm, of which the densities written out by hand have constant factors too.
    """
    rows = [v for v in others if size(case, v) > 1 and not objective.live.get(v, 0) & objective.trained]
    rows = [v for v in rows if not _is_scale(case, objective, v, sample)]
    told = (v for v in others if size(case, v) == 1)
    single = [v for v in told if _is_reward_of(case, v, sample) or _is_entry(case, v) or _is_return(case, v)]
    made = [v for v in others if _is_made_of_sample(case, v, sample) or (logged and _is_told_for(case, v, sample))]
    return next(iter(rows or single or made), None)


def _is_reward_of(case: Case, value: int, sample: int) -> bool:
    """Whether a number came back from outside after the sample had left: a coefficient has nothing to do with it."""
    entered = {op.at for number in _back(case, value) if (op := case.made_by.get(number)) and op.kind == "enter"}
    left = (case.recording.ops.get(h.left) for h in case.recording.handovers if h.entered in entered)
    return any(sample in _back(case, number) for op in left if op is not None for number in op.inputs)


def _is_scale(case: Case, objective: Objective, value: int, sample: int) -> bool:
    """Whether a line takes a number out of what the policy says beside the sample, and weighs with it: a deviation.

    What has come back from elsewhere is an answer of the world, or an estimate.
    """
    entered = case.made_by.get(value)
    if entered is None or entered.kind != "enter":
        return False
    left = [case.recording.ops.get(h.left) for h in case.recording.handovers if h.entered == entered.at]
    given = [v for op in left if op is not None and _on_one_line(case, op, entered) for v in op.inputs]
    policy = {v for v, variable in case.content.items() if objective.bits.get(variable, 0) & objective.trained}
    return any(case.is_made_of(v, policy, _FAR) and not case.is_made_of(v, (sample,), _STEPS) for v in given)


def _on_one_line(case: Case, one: Op, other: Op) -> bool:
    (first, *outer), (second, *around) = case.stack(one.stack), case.stack(other.stack)
    return (first.file, first.line, outer) == (second.file, second.line, around)


def _is_told_for(case: Case, value: int, sample: int) -> bool:
    """Whether a plain number came in after the sample had left: the answer of the world, worked out in Python."""
    entered = case.made_by.get(value)
    if entered is None or entered.kind != "enter" or size(case, value) != 1:
        return False
    left = (op for op in case.recording.ops.values() if op.kind == "leave" and op.at < entered.at)
    return any(case.is_made_of(v, (sample,), _NEAR) for op in left for v in op.inputs)


def _is_made_of_sample(case: Case, value: int, sample: int) -> bool:
    """Whether a number was computed from the sample by arithmetic alone: a reward that the program works out itself."""
    todo, seen = [value], {value}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        if op is None or op.name in CONTRACTS or any(v in case.content for v in op.inputs):
            continue
        if sample in op.inputs:
            return True
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _is_entry(case: Case, value: int) -> bool:
    """Whether a number is one of many that came from outside together: the return of one step of a rollout."""
    made = case.made_by.get(value)
    if made is None or made.name not in SHAPING | {"select"}:
        return False
    return any(size(case, v) > 1 and v not in case.content and _came_in(case, v) for v in made.inputs)


def _is_return(case: Case, value: int) -> bool:
    """Whether a number was summed up step by step, over and over at one line, and of no variable: `R = r + gamma * R`.

    A coefficient is what it is.
    """
    lines, todo, seen = Counter[int](), [value], {value}
    while todo and len(seen) < _STEPS:
        number = todo.pop()
        op = case.made_by.get(number)
        if op is None or size(case, number) != 1 or any(v in case.content for v in op.inputs):
            continue
        lines[op.stack] += op.name in SUM
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return any(times > 1 for times in lines.values())


def _came_in(case: Case, value: int) -> bool:
    """Whether a value is made of what entered alone, scaled as it may be, and of no variable."""
    todo, seen = [value], {value}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        if op is None or any(v in case.content for v in op.inputs):
            return op is None
        if op.kind != "enter":
            fresh = [v for v in op.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return True


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
