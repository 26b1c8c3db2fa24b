"""JAX: a network that is added to a trained one of its own build, and stopped: a random prior, which stays on purpose.

`net(x) + scale * stop_gradient(prior(x))` (randomized prior functions). Both see the same input and are built alike; a
stop that is a mistake stands on the way of a network that nothing of its kind runs beside. In the other frameworks a
prior is left out of the optimizer, and one that the optimizer holds is meant to learn.
"""

from __future__ import annotations

from collections.abc import Iterable

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.verdict import Verdict
from whygrad.rules.targets.objective import PRODUCT, SHAPING, SUM


def is_fixed_addend(case: Case, verdict: Verdict) -> bool:
    """Whether what a verdict's stops let through is only ever added to what a live network of one build makes."""
    stops = (verdict.op, *verdict.others)
    if case.recording.framework != "jax":
        return False
    if any(op.kind != "stop" or len(op.inputs) != 1 for op in stops):
        return False
    meets = _consumers(case.recording.ops.values())
    return all(_beside_its_like(case, op, meets) for op in stops)


def _beside_its_like(case: Case, stop: Op, meets: dict[int, list[Op]]) -> bool:
    ours = _build(case, stop.inputs[0])
    fed = _inputs(case, stop.inputs[0])
    sums = _added_to(stop.outputs[0], meets)
    if not ours or not sums:
        return False
    for other in sums:
        theirs = _build(case, other)
        if theirs.keys() & ours.keys() or sorted(theirs.values()) != sorted(ours.values()):
            return False
        if not fed & _inputs(case, other) or not theirs.keys() <= case.trained:
            return False
    return True


def _added_to(value: int, meets: dict[int, list[Op]]) -> list[int]:
    """The other sides of the sums that a value goes into, scaled and shaped at most; none where it goes elsewhere."""
    found: list[int] = []
    todo = [value]
    while todo:
        number = todo.pop()
        for op in meets.get(number, ()):
            if op.name in SUM and len(op.inputs) == 2:
                found += [v for v in op.inputs if v != number]
            elif op.name in PRODUCT or op.name in SHAPING:
                todo.extend(op.outputs)
            else:
                return []
    return found


def _build(case: Case, value: int) -> dict[int, str]:
    """The variables that a value was computed from, with their shapes."""
    found: dict[int, str] = {}
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        if number in case.content:
            variable = case.content[number]
            found[variable] = str(case.variable(variable).shape)
            continue
        op = case.made_by.get(number)
        fresh = [v for v in op.inputs if v not in seen] if op is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _inputs(case: Case, value: int) -> set[int]:
    """What the layers that a value was made by were given beside their variables."""
    found: set[int] = set()
    todo, seen = [value], {value}
    while todo:
        op = case.made_by.get(todo.pop())
        if op is None:
            continue
        if any(v in case.content for v in op.inputs):
            found.update(v for v in op.inputs if v not in case.content)
        fresh = [v for v in op.inputs if v not in seen and v not in case.content]
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _consumers(ops: Iterable[Op]) -> dict[int, list[Op]]:
    found: dict[int, list[Op]] = {}
    for op in ops:
        for value in op.inputs:
            found.setdefault(value, []).append(op)
    return found
