"""JAX: gradients that are added up into nothing: `jax.tree.map(jnp.add, total, gradients)`, and the result let fall.

Arrays do not change, so that the sum which goes to the optimizer is still the zeros that it began with. Where a sum is
kept from batch to batch, and zeros take its place just before the optimizer is given it, the zeros are the fault.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once

_DEPTH = 4
"""Operations between a gradient and the sum, and behind it: scaled, averaged, cast."""
_ADDS = ("add", "sub")
_MEANS = ("mul", "div")


@dataclass(slots=True)
class DroppedSum:
    """The variables whose gradients are added up, and the sum that nobody keeps."""

    op: Op
    variables: set[int]
    times: int
    zeros: Op | None = None
    """What is applied in its place, where the sum itself was kept."""
    averaged: bool = False
    """The program made a mean of it, of which nothing came: a sum that is only looked at, unless zeros are applied."""


@asked_once
def dropped_sums(case: Case) -> list[DroppedSum]:
    """Sums of gradients that nobody keeps."""
    return [one for one in _sums(case) if one.zeros is None and not one.averaged]


@asked_once
def emptied_sums(case: Case) -> list[DroppedSum]:
    """Sums of gradients that are kept for a while, and in whose place zeros are applied."""
    return [one for one in _sums(case) if one.zeros is not None]


@asked_once
def _sums(case: Case) -> list[DroppedSum]:
    """Sums of gradients that nothing uses, of variables that are given updates made without their gradient."""
    recording = case.recording
    if not recording.unmoved:
        return []
    readers: dict[int, list[Op]] = {}
    for op in recording.ops.values():
        for value in op.inputs:
            readers.setdefault(value, []).append(op)
    found: dict[int, DroppedSum] = {}
    for backward in recording.backwards:
        for variable, gradient in backward.given.items():
            if variable not in recording.unmoved or backward.implicit:
                continue
            ends = _ends(readers, gradient)
            last = _sum_of(case, ends[0]) if len(ends) == 1 else None
            if last is not None and not last.inside:
                one = found.setdefault(last.stack, DroppedSum(last, set(), 0))
                one.variables.add(variable)
                one.times += 1
                one.averaged |= last is not ends[0]
    for one in found.values():
        if any((made := case.made_by.get(v)) is not None and made.stack == one.op.stack for v in one.op.inputs):
            one.zeros = _applied(case, min(one.variables))
    return [one for one in found.values() if one.times > len(one.variables)]


def _applied(case: Case, variable: int) -> Op | None:
    """The operation of the program's own that made what is added to a variable, of nothing of that shape."""
    values, stack = case.recording.values, case.recording.unmoved[variable]
    shape = case.variable(variable).shape
    for op in case.recording.ops.values():
        if op.stack != stack or len(op.inputs) != 2 or case.content.get(op.inputs[0]) != variable:
            continue
        made = case.made_by.get(op.inputs[1])
        while made is not None:
            same = [v for v in made.inputs if values[v].shape == shape and shape]
            if not same:
                return made if not made.inside else None
            made = case.made_by.get(same[0])
    return None


def _sum_of(case: Case, end: Op) -> Op | None:
    """The sum that an operation is, or that it makes a mean of."""
    if end.name in _MEANS and not end.inside:
        shape = case.recording.values[end.outputs[0]].shape
        whole = [made for v in end.inputs if case.recording.values[v].shape == shape and (made := case.made_by.get(v))]
        end = whole[0] if len(whole) == 1 else end
    return end if end.name in _ADDS else None


def _ends(readers: dict[int, list[Op]], gradient: int) -> list[Op]:
    """The operations that a gradient goes into and whose result nothing uses; all of them, if there is another way."""
    todo, ends = [(gradient, 0)], dict[int, Op]()
    while todo:
        value, depth = todo.pop()
        for op in readers.get(value, ()):
            if not any(v in readers for v in op.outputs):
                ends[op.at] = op
            elif depth == _DEPTH or op.inside:
                return []
            else:
                todo.extend((v, depth + (op.name not in _ADDS)) for v in op.outputs)  # one sum for each batch
    return list(ends.values())
