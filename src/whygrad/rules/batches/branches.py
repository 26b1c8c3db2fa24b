"""Comparisons that only tell which branch of a formula holds where: they ask for no pair in particular.

A Huber loss by hand goes on with the numbers in both branches; an expectile weighs both signs, neither with nothing. A
mask, which drops some of the entries, has a zero for its other branch.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import MINUS, PRODUCT, Objective

_COMPARES = frozenset({
    "less", "less_equal", "greater", "greater_equal", "lt", "le", "gt", "ge", "__lt__", "__le__", "__gt__", "__ge__",
})  # fmt: skip
_FILLS = frozenset({"ones_like", "zeros_like", "full_like", "fill", "full", "ones", "zeros"})
_CHOOSES = frozenset({"where", "select", "select_n"})
_CASTS = frozenset({"cast", "astype", "to", "float", "type", "double", "convert_element_type", "asarray"})
_SIZES = frozenset({"abs", "absolute", "__abs__"})


def limits(case: Case, objective: Objective) -> set[int]:
    """Comparisons with one number, and what is made of them alone, that only tell branches of a formula apart."""
    used: dict[int, list[Op]] = {}
    for op in objective.part.ops:
        for value in op.inputs:
            used.setdefault(value, []).append(op)
    found: set[int] = set()
    for op in objective.part.ops:
        numbers = [v for v in op.inputs if not one_number(case, v)]
        if op.kind == "discrete" and op.name in _COMPARES and len(numbers) == 1 and op.outputs:
            branches = [(later, later.inputs[1:]) for later in used.get(op.outputs[0], [])]
            if branches and all(b.name in _CHOOSES and _goes_on(case, objective, b, sides) for b, sides in branches):
                found.add(op.at)
            else:
                found |= _weights(case, op, used)
    return found


def _weights(case: Case, compared: Op, used: dict[int, list[Op]]) -> set[int]:
    """A comparison and what makes factors of it that are nowhere zero; nothing, if some of them are, or none."""
    found, factors, todo = {compared.at}, list[int](), list(compared.outputs)
    while todo:
        value = todo.pop()
        for later in used.get(value, []):
            beside = [v for v in later.inputs if v != value]
            alone = all(one_number(case, v) for v in beside)
            if later.name in _CHOOSES | _CASTS | _SIZES | MINUS and alone and later.at not in found:
                found.add(later.at)
                todo.extend(later.outputs)
            elif later.name in PRODUCT and not alone:
                factors.append(value)
            elif later.at not in found:
                return set()
    numbers = [case.recording.values[v].numbers for v in factors]
    sure = bool(numbers) and all(n is not None and n.finite and (n.low > 0 or n.high < 0) for n in numbers)
    return found if sure else set()


def one_number(case: Case, value: int) -> bool:
    """Whether a value is one number, be it laid out: `tf.ones_like(x) * delta`."""
    made = case.made_by.get(value)
    if shape_of(case, value) == ():
        return True
    if made is None or made.name not in _FILLS | PRODUCT:
        return False
    return made.name in _FILLS or all(one_number(case, v) for v in made.inputs)


def _goes_on(case: Case, objective: Objective, op: Op, sides: tuple[int, ...]) -> bool:
    """Whether both sides of a choice carry the gradient on."""
    return len(sides) == 2 and all(objective.live.get(v, 0) & objective.trained for v in sides)


def shape_of(case: Case, value: int) -> tuple[int | None, ...]:
    """The shape of a value; of one that `vmap` made row by row, that of all rows."""
    one = case.recording.values[value]
    return one.mapped if one.mapped is not None else one.shape
