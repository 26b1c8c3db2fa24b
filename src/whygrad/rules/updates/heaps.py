"""JAX, TensorFlow: sums of gradients that the program keeps itself, and adds to after they were applied.

A gradient that is applied, kept in the sum, and applied again with the next one counts once more in every update. A
momentum written by hand is no such heap: there the old sum is multiplied by a share before the new gradient is added.
What was divided by the number of its gradients is no share but their mean, and the next ones are added to it as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import PRODUCT, SUM

_FAR = 400
_ALIKE = 0.01
_SCALES = PRODUCT | {"div", "true_divide", "truediv", "realdiv", "real_div"}
_SAME = frozenset({
    "astype", "convert_element_type", "broadcast", "reshape", "cond", "captured", "copy", "real", "read_value",
    "identity", "assign",
})  # fmt: skip
_ADDS = SUM | {"assign_add"}


@dataclass(slots=True)
class Heap:
    """Variables whose gradients pile up, the sum that adds to them, a step that applies it, and how often it did."""

    added: Op
    backward: Backward
    step: Step
    variables: set[int]
    times: int = 0


def heaps(case: Case) -> list[Heap]:
    """Sums of gradients of which a part had been applied before."""
    if case.recording.framework == "torch":
        return []  # there backward() keeps the sum
    given = {value: (b, v) for b in case.recording.backwards if not b.implicit for v, value in b.given.items()}
    applied: dict[int, set[int]] = {}
    means: dict[int, dict[int, Op]] = {}
    before: dict[int, int] = {}
    found: dict[int, Heap] = {}
    called: set[tuple[int, int]] = set()
    clean: set[tuple[int, int]] = set()
    """Variables with a call that applies them: a first step of a program's own, before its loop, is another call."""
    for step in case.recording.steps:
        for variable, value in step.taken.items():
            mean = means.setdefault(variable, {})
            made = _made_of(case, value, before.get(variable, 0), given, mean)
            shares = made.gradients
            new = [g for g in shares if g not in applied.get(variable, ())]
            old = [g for g in shares if g in applied.get(variable, ()) and shares[g] is not None]
            batches = sum(given[g][1] == variable for g in new)
            added = shares[old[0]] if old else _kept_mean(case, made.kept, mean, batches)
            if added is not None and new:
                heap = found.setdefault(added.stack, Heap(added, given[new[0]][0], step, set()))
                heap.variables.add(variable)
                heap.times += max(1, added.times - 1) if variable == min(heap.variables) else 0
            elif (variable, step.stack) in called:
                clean.add((variable, step.stack))
            called.add((variable, step.stack))
            applied.setdefault(variable, set()).update(shares)
            mean.update(made.scaled)
            before[variable] = step.at
    return [heap for heap in found.values() if heap.times > 1 and not _cleared(heap, clean)]


def _cleared(heap: Heap, clean: set[tuple[int, int]]) -> bool:
    return any((variable, heap.step.stack) in clean for variable in heap.variables)


def _kept_mean(case: Case, kept: dict[int, Op], means: dict[int, Op], new: int) -> Op | None:
    """The sum that the mean of an earlier update went into as it was."""
    return next((added for value, added in kept.items() if _is_mean(case, means[value], new)), None)


def _is_mean(case: Case, op: Op, new: int) -> bool:
    """Whether a sum was divided by the number of the gradients that each update adds: no momentum is so chosen."""
    values = case.recording.values
    mean = values[op.outputs[0]].numbers
    sums = [n for v in op.inputs if values[v].shape == values[op.outputs[0]].shape and (n := values[v].numbers)]
    if new < 2 or mean is None or len(sums) != 1 or mean.all_zero:
        return False
    ends = (mean.low, sums[0].low), (mean.high, sums[0].high)
    return all(math.isclose(part * new, whole, rel_tol=_ALIKE) for part, whole in ends)


@dataclass(slots=True)
class _Origin:
    """What an update was made of."""

    gradients: dict[int, Op | None]
    """Each with the last sum on its way."""
    kept: dict[int, Op]
    """What an earlier update had applied, with the sum that it went into as it was."""
    scaled: dict[int, Op]
    """What the program itself made of the whole sum, by a number."""


def _made_of(
    case: Case, value: int, since: int, given: dict[int, tuple[Backward, int]], means: dict[int, Op]
) -> _Origin:
    """The gradients that an update was made of, as plain sums of the program's own.

    What an optimizer library makes of them, and what it remembers, is its own affair: of that only the arithmetic since
    the update before is followed.
    """
    values = case.recording.values
    found = _Origin({}, {}, {})
    todo: list[tuple[int, Op | None, bool]] = [(value, None, False)]
    seen = {value}
    while todo and len(seen) < _FAR:
        number, added, scaled = todo.pop()
        if number in given:
            found.gradients[number] = added
            continue
        if number in means and added is not None and not scaled:
            found.kept[number] = added
            continue
        op = case.made_by.get(number)
        if op is None or number not in values or (op.kind != "compute" and op.name not in ("assign", "assign_add")):
            continue
        if op.inside and op.name not in _SAME:
            if added is not None or op.at < since:
                continue
        elif op.name in _ADDS:
            if scaled:
                continue  # a share of an older sum: momentum
            added = added or op
        elif op.name in _SCALES:
            scaled = added is not None
            if not scaled:
                found.scaled[number] = op
        elif op.name not in _SAME:
            continue
        for source in op.inputs[-1:] if op.name == "assign" else op.inputs:  # what was there before is gone
            same = source in values and values[source].shape == values[number].shape
            if same and source not in seen:
                seen.add(source)
                todo.append((source, added, scaled))
    return found
