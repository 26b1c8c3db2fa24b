"""One quantity, weighed twice with the same number: once with the number stopped, once with both of them alive.

`stop(alpha) * log_pi` says that the number is a constant where the quantity learns. `-alpha * (log_pi + target)` in the
same loss is there for the number; with the quantity alive in it, too, the two pull at the quantity in opposite
directions, and its gradient is gone. A dual variable and its constraint are built in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import MINUS, PRODUCT, SHAPING, SUM, Objective, objectives, size

_SAME = SHAPING | SUM | MINUS | frozenset({
    "mean", "sum", "reduce_mean", "reduce_sum", "neg", "negative", "__neg__", "div", "truediv", "__truediv__",
})  # fmt: skip
_FAR = 24


@dataclass(slots=True)
class WeighedTwice:
    """The product that should train the number alone, and the one that says so."""

    objective: Objective
    both: Op
    stopped: Op
    number: frozenset[int]
    moved: frozenset[int]


def weighed_twice(case: Case) -> Iterator[WeighedTwice]:
    """For each loss the first product of this kind."""
    told: set[int] = set()
    for objective in objectives(case):
        alive, stopped = _products(case, objective)
        pairs = ((one, other) for one in alive for other in stopped if one[1] == other[1])
        for (both, number, moved, theirs), (apart, _, _, ours) in pairs:
            if both.stack in told or not any(objective.live.get(v, 0) & moved for v in theirs & ours):
                continue
            told.add(both.stack)
            yield WeighedTwice(objective, both, apart, objective.variables(number), objective.variables(moved))
            break


_Product = tuple[Op, int, int, set[int]]
"""The product, the variables of its number, those that the quantity trains, and what the quantity is made of."""


def _products(case: Case, objective: Objective) -> tuple[list[_Product], list[_Product]]:
    """Products of one number that comes of trained variables alone with something else that is alive."""
    alive: list[_Product] = []
    stopped: list[_Product] = []
    terms = _terms(objective)
    for op in objective.part.ops:
        if op.name not in PRODUCT or len(op.inputs) != 2 or not any(v in terms for v in op.outputs):
            continue
        for weight, other in (op.inputs, op.inputs[::-1]):
            number = objective.read.get(weight, 0)
            moved = objective.live.get(other, 0) & objective.trained & ~number
            if size(case, weight) != 1 or not number or not moved or number & ~objective.trained:
                continue
            kept = objective.live.get(weight, 0)
            if kept in (0, number):
                (alive if kept else stopped).append((op, number, moved, _made_of(case, other)))
    return alive, stopped


def _terms(objective: Objective) -> set[int]:
    """What the loss is a plain sum of: what is bent on its way (by a softmax) is scaled, and not weighed."""
    found = {objective.part.loss}
    for op in reversed(objective.part.ops):
        scaled = op.name in PRODUCT and sum(1 for v in op.inputs if v in objective.reached) == 1
        if any(v in found for v in op.outputs) and (op.name in _SAME or scaled):
            found.update(v for v in op.inputs if v in objective.reached)
    return found


def _made_of(case: Case, value: int) -> set[int]:
    """A quantity, and what it is but for something that is added to it, or its mean."""
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        made = case.made_by.get(todo.pop())
        if made is None or made.name not in _SAME:
            continue
        fresh = [v for v in made.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return seen
