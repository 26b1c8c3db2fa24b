"""Targets that are distributions: a loss that weighs log-probabilities with the network's own next prediction.

Distributional agents (C51) move the probabilities of the next state's return by the reward and compare by
cross-entropy. There is no difference and no sum in it, and the gradient through the target is as wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import is_log_probability
from whygrad.rules.cuts.roles import LINEAR
from whygrad.rules.targets.objective import CONTRACTS, PRODUCT, SHAPING, Bootstrap, Objective, roots, size

_FAR = 48
_FILLED = frozenset({"index_add_", "index_add", "scatter_add_", "scatter_add", "scatter-add", "dynamic_slice"})
"""How probabilities are put into their places; in JAX row by row."""


def distributions(case: Case, objective: Objective, live: bool) -> Iterator[Bootstrap]:
    """Products of a trained log-probability and of moved probabilities, which a network gives for other inputs.

    `live`: only those through which the gradient trains the very network; otherwise those that it does not pass.
    """
    masks = objective.live if live else objective.read
    wanted = objective.trained if live else ~0
    for op in objective.part.ops:
        if not any(v in objective.reached for v in op.outputs):
            continue
        for prediction, target in _sides(case, op):
            ours, theirs = objective.live.get(prediction, 0) & objective.trained, masks.get(target, 0) & wanted
            if not ours or not theirs or (live and not ours & theirs) or (not live and objective.live.get(target, 0)):
                continue
            if roots(case, prediction) & roots(case, target):
                continue  # an entropy weighs with the very probabilities that it takes the logarithm of
            made = _moved(case, objective, target, masks, wanted)
            if made is not None:
                yield Bootstrap(objective, op, prediction, target, made, target)


def _sides(case: Case, op: Op) -> Iterator[tuple[int, int]]:
    """The log-probability, or what it is computed from inside, and what it is weighed with."""
    if len(op.inputs) != 2:
        return
    left, right = op.inputs
    if "cross_entropy" in op.name:
        yield left, right
    elif op.name in PRODUCT:
        for one, other in ((left, right), (right, left)):
            if is_log_probability(case.made_by, one) and not is_log_probability(case.made_by, other):
                yield one, other


def _moved(case: Case, objective: Objective, value: int, masks: dict[int, int], wanted: int) -> Op | None:
    """The operation that made a target, where that is probabilities multiplied by data for every row and summed up."""
    last: Op | None = None
    multiplied = False
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        number = todo.pop(0)
        op = case.made_by.get(number)
        if op is None or op.name in CONTRACTS or not masks.get(number, 0) & wanted:
            continue
        if is_softmax(case, op):
            return last if multiplied else None
        if op.name not in SHAPING:
            last = last or op
        if op.name in PRODUCT:
            multiplied = multiplied or any(_is_data(case, objective, v) for v in op.inputs)
        elif op.name not in SHAPING and op.name not in LINEAR and op.name not in _FILLED:
            continue
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return None


def is_softmax(case: Case, op: Op) -> bool:
    """Whether an operation makes probabilities: by its name, or as exponentials over their sum (JAX)."""
    if "softmax" in op.name:
        return True
    if op.name not in ("div", "truediv") or len(op.inputs) != 2:
        return False
    whole, total = case.made_by.get(op.inputs[0]), case.made_by.get(op.inputs[1])
    while total is not None and total.name in SHAPING and len(total.inputs) == 1:
        total = case.made_by.get(total.inputs[0])
    summed = total is not None and "sum" in total.name and op.inputs[0] in total.inputs
    return summed and whole is not None and whole.name == "exp"


def _is_data(case: Case, objective: Objective, value: int) -> bool:
    known = case.recording.values[value]
    outside = not objective.read.get(value, 0) and known.floating and size(case, value) > 1
    return outside and (bool(roots(case, value)) or _drawn(case, value))


def _drawn(case: Case, value: int) -> bool:
    """Whether numbers stand for data that a program draws itself, to try something out."""
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        op = case.made_by.get(todo.pop())
        if op is not None and not op.inputs and op.name.startswith(("rand", "normal", "uniform")):
            return True
        fresh = [v for v in op.inputs if v not in seen] if op is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return False
