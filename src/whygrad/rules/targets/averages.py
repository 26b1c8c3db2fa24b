"""JAX: moving averages of a trained network that the program keeps, and whether anything is computed with them."""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.targets.objective import PRODUCT, SUM

_HANDED_ON = frozenset({"captured", "cond", "where", "select_n"})
_FAR = 24


def unused_averages(case: Case) -> set[int]:
    """Variables of networks that are averaged from update to update, where the average serves nothing but itself."""
    chains: dict[int, list[tuple[int, int]]] = {}
    mixing: set[int] = set()
    for op in case.recording.ops.values():
        parts = _mixture(case, op)
        for online, old in (parts, parts[::-1]):
            variable = case.content.get(_plain(case, online)) if online >= 0 else None
            # Both begin with the same arrays, as a rule: what tells them apart is that the one has moved on.
            if variable is not None and variable in case.trained and _plain(case, old) != _plain(case, online):
                chains.setdefault(variable, []).append((old, op.outputs[0]))
                mixing |= {made.at for v in op.inputs if (made := case.made_by.get(v)) is not None}
    averaged = {v for v, links in chains.items() if _linked(case, links)}
    kept = {made: v for v in averaged for _, made in chains[v]}
    for op in case.recording.ops.values() if averaged else ():
        serves = {kept[i] for i in op.inputs if i in kept}
        if op.name in _HANDED_ON and serves:
            kept.update((made, kept[i]) for i in op.inputs if i in kept for made in op.outputs)
        elif op.at not in mixing:
            averaged -= serves
    whole = {v.network for v in case.recording.variables.values() if v.id in case.trained - averaged}
    return {v for v in averaged if case.variable(v).network not in whole}


@asked_once
def averaged_with(case: Case) -> dict[int, set[int]]:
    """For each variable the others that shares of it are added to: a target that lies in one tree with its network."""
    found: dict[int, set[int]] = {}
    for op in case.recording.ops.values():
        owners = {case.content[v] for part in _mixture(case, op) if (v := _plain(case, part)) in case.content}
        for one in owners if len(owners) > 1 else ():
            found.setdefault(one, set()).update(owners - {one})
    return found


def averaged_with_itself(case: Case) -> set[int]:
    """Variables of which a new and an older content are averaged: the target was given the trained arrays."""
    found: set[int] = set()
    for op in case.recording.ops.values():
        one, other = (_plain(case, part) for part in _mixture(case, op))
        owner = case.content.get(one)
        if owner is not None and one != other and case.content.get(other) == owner:
            found.add(owner)
    return found


def _linked(case: Case, links: list[tuple[int, int]]) -> bool:
    """Whether one average goes into the next: as it is, or where a condition chose between it and the one before."""
    made = {new for _, new in links}
    return any(made & _behind(case, old) for old, _ in links)


def _behind(case: Case, value: int) -> set[int]:
    """A value, and what it was before it was handed on or chosen."""
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        op = case.made_by.get(todo.pop())
        fresh = [v for v in op.inputs if v not in seen] if op is not None and op.name in _HANDED_ON else []
        seen.update(fresh)
        todo.extend(fresh)
    return seen


def _mixture(case: Case, op: Op) -> tuple[int, int]:
    """The two tensors of which an operation adds shares, or chooses one; -1 where it does something else."""
    values = case.recording.values
    if op.name == "cond" and op.inside == "periodic_update" and len(op.inputs) == 2:
        return op.inputs[0], op.inputs[1]  # the whole of the one or of the other: `optax.periodic_update`
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
