"""Averages of a target network and the trained one that were computed, and stored nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import SUM
from whygrad.rules.targets.twin import Twin

_MIXES = SUM | {"select_n", "where", "cond"}
"""An average of two networks, or now the one and now the other (`optax.periodic_update`)."""


def dropped_average(case: Case, twin: Twin, alone: bool = False) -> Op | None:
    """An average of the two networks that was computed and then left lying: `p_target = tau * p + (1 - tau) * …`.

    `alone`: only of one variable with its counterpart, which no loss can be taken for.
    """
    for op, met in _left_lying(case, twin):
        if met & twin.members and met & twin.originals and (not alone or _pair(case, op, met)):
            return op
    return None


def dropped_averages_of(case: Case, twin: Twin) -> int:
    """How often each variable of a target was averaged with its counterpart, and the result left lying."""
    times = dict.fromkeys((v for v in twin.members if case.variable(v).shape), 0)
    for op, met in _left_lying(case, twin):
        if met & twin.originals and _pair(case, op, met):
            times.update((v, times[v] + 1) for v in met & times.keys())
    return min(times.values(), default=0)


def mixed_for_a_loss(case: Case, twin: Twin) -> Op | None:
    """JAX: where the two networks are averaged, or one is chosen, for this loss, and for nothing else."""
    held = _first_content(case, twin)
    mixing = (op for op in twin.objective.part.ops if op.name in _MIXES and op.kind == "compute")
    for op in mixing if case.recording.framework == "jax" else ():
        met = met_in(case, op, held)
        if met & twin.originals and met & twin.members and _pair(case, op, met):
            return op
    return None


def _left_lying(case: Case, twin: Twin) -> Iterator[tuple[Op, set[int]]]:
    """Sums and choices since training began that nothing uses, with the variables they are made of."""
    consumed = {v for op in case.recording.ops.values() for v in op.inputs}
    consumed |= {b.loss for b in case.recording.backwards if b.loss is not None}  # a sum of two losses is no average
    consumed |= {v for write in case.recording.writes for v in write.given}  # stored, be it in another network
    held = _first_content(case, twin)
    for op in case.recording.ops.values():
        if op.at >= twin.begun and op.name in _MIXES and op.kind == "compute" and op.outputs[0] not in consumed:
            yield op, met_in(case, op, held)


def _pair(case: Case, op: Op, met: set[int]) -> bool:
    shape = case.recording.values[op.outputs[0]].shape
    # What `vmap` trains several of at once is averaged row by row.
    return bool(shape) and len(met) == 2 and all(case.variable(v).shape[-len(shape) :] == shape for v in met)


def _first_content(case: Case, twin: Twin) -> dict[int, int]:
    """JAX: the arrays that a target took over from the trained network and still is, with its variables."""
    if case.recording.framework != "jax":
        return {}
    found = {}
    for op in case.recording.ops.values():
        if op.name == "captured" and (variable := case.content.get(op.outputs[0])) in twin.members:
            found[op.inputs[0]] = variable
    return found


def met_in(case: Case, op: Op, held: dict[int, int]) -> set[int]:
    """The variables whose content an operation averages."""
    found: set[int] = set()
    todo = [(v, 0) for v in op.inputs]
    while todo:
        value, depth = todo.pop()
        if value in held or value in case.content:
            found.add(held[value] if value in held else case.content[value])
            continue
        made = case.made_by.get(value)
        if made is not None and depth < 5:
            todo.extend((v, depth + 1) for v in made.inputs)
    return found
