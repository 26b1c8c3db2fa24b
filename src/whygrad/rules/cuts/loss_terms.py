"""What a loss is the weighted sum of: its terms, through products with numbers, signs, means and lists of steps."""

from __future__ import annotations

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import comes_from_variable

SUMS = frozenset({
    "add", "__add__", "__radd__", "add_", "__iadd__", "sub", "__sub__", "__rsub__", "rsub", "sub_", "subtract", "add_n",
    "losses",
})  # fmt: skip
SIGNS = frozenset({"neg", "negative", "__neg__", "identity", "squeeze", "reshape", "view", "clone", "astype", "cast"})
MEANS = frozenset({"mean", "sum", "reduce_mean", "reduce_sum"})
_STACKS = frozenset({"stack", "cat", "concat", "concatenate", "pack"})
PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "mul_", "multiply"})
QUOTIENTS = frozenset({"div", "div_", "truediv", "__truediv__", "true_divide", "div_no_nan"})


def terms_of(case: Case, backward: Backward, rows: bool = True) -> tuple[list[int], list[Op]]:
    """The terms (numbers, and with `rows` also rows of which the loss is the mean), and where they are summed up."""
    values = case.recording.values
    todo, seen, found = [backward.loss], {backward.loss}, []
    sums: list[Op] = []
    while todo:
        value = todo.pop()
        if value is None or value not in values:
            continue
        made = case.made_by.get(value)
        inner = _parts(case, made) if made is not None else []
        if not inner or (not rows and not all(one_number(case, v) for v in inner)):
            found.append(value)
            continue
        if made is not None and made.name in SUMS:
            sums.append(made)
        fresh = [v for v in inner if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return found, sums


def _parts(case: Case, made: Op) -> list[int]:
    """The inputs of which an operation makes a weighted sum; none where it does something else."""
    numbers = [v for v in made.inputs if case.recording.values[v].floating]
    if made.name in SUMS or (made.name in _STACKS and all(one_number(case, v) for v in numbers)):
        return numbers
    if made.name in SIGNS and len(numbers) == 1:
        return numbers
    if made.name in MEANS and len(numbers) == 1:
        rows = case.made_by.get(numbers[0])
        return numbers if rows is not None and rows.name in SUMS | _STACKS else []
    if made.name in PRODUCTS or made.name in QUOTIENTS:
        varying = [v for v in numbers if comes_from_variable(case, v)]
        if len(varying) == 1 and (made.name in PRODUCTS or varying[0] == made.inputs[0]):
            return varying
    return []


def one_number(case: Case, value: int) -> bool:
    """Whether a value has one entry."""
    return all(size == 1 for size in case.recording.values[value].shape)
