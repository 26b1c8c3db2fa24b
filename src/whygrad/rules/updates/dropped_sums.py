"""JAX: gradients that are added up into nothing: `jax.tree.map(jnp.add, total, gradients)`, and the result let fall.

Arrays do not change, so that the sum which goes to the optimizer is still the zeros that it began with.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once

_DEPTH = 4
"""Operations between a gradient and the sum: scaled, averaged, cast."""


@dataclass(slots=True)
class DroppedSum:
    """The variables whose gradients are added up, and the sum that nobody keeps."""

    op: Op
    variables: set[int]
    times: int


@asked_once
def dropped_sums(case: Case) -> list[DroppedSum]:
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
            if len(ends) == 1 and ends[0].name in ("add", "sub") and not ends[0].inside:
                one = found.setdefault(ends[0].stack, DroppedSum(ends[0], set(), 0))
                one.variables.add(variable)
                one.times += 1
    return [one for one in found.values() if one.times > len(one.variables)]


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
                todo.extend((v, depth + 1) for v in op.outputs)
    return list(ends.values())
