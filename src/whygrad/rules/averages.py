"""JAX: moving averages of a trained network that the program keeps, and whether anything is computed with them."""

from __future__ import annotations

from whygrad.flow.recording import Op
from whygrad.rules.case import Case
from whygrad.rules.objective import PRODUCT, SUM


def unused_averages(case: Case) -> set[int]:
    """Variables of networks that are averaged from update to update, where the average serves nothing but itself."""
    chains: dict[int, list[tuple[int, int]]] = {}
    mixing: set[int] = set()
    for op in case.recording.ops.values():
        parts = _mixture(case, op)
        for online, old in (parts, parts[::-1]):
            variable = case.content.get(_plain(case, online)) if online >= 0 else None
            if variable is not None and variable in case.trained and case.content.get(_plain(case, old)) != variable:
                chains.setdefault(variable, []).append((_plain(case, old), op.outputs[0]))
                mixing |= {made.at for v in op.inputs if (made := case.made_by.get(v)) is not None}
    averaged = {v for v, links in chains.items() if any(a[1] == b[0] for a in links for b in links)}
    kept = {made: v for v in averaged for _, made in chains[v]}
    for op in case.recording.ops.values():
        if op.name != "captured" and op.at not in mixing:
            averaged -= {kept[v] for i in op.inputs if (v := _plain(case, i)) in kept}
    whole = {v.network for v in case.recording.variables.values() if v.id in case.trained - averaged}
    return {v for v in averaged if case.variable(v).network not in whole}


def _mixture(case: Case, op: Op) -> tuple[int, int]:
    """The two tensors of which an operation adds shares; -1 where it does something else."""
    values = case.recording.values
    if op.name not in SUM or len(op.inputs) != 2 or op.tapes or op.kind != "compute":
        return -1, -1
    found = []
    for value in op.inputs:
        made = case.made_by.get(value)
        if made is None or made.name not in PRODUCT or len(made.inputs) != 2:
            return -1, -1
        shape = values[op.outputs[0]].shape
        tensors = [v for v in made.inputs if values[v].shape == shape]
        scalars = [v for v in made.inputs if not values[v].shape]
        if not shape or len(tensors) != 1 or len(scalars) != 1:
            return -1, -1
        found.append(tensors[0])
    return found[0], found[1]


def _plain(case: Case, value: int) -> int:
    """A value that was taken from outside as what it was there."""
    made = case.made_by.get(value)
    return made.inputs[0] if made is not None and made.name == "captured" else value
