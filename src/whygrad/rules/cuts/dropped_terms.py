"""Loss terms that were computed for variables and that the loss does not contain."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording
from whygrad.flow.site import Site


def _round_began(recording: Recording, backward: Backward, variables: set[int]) -> int:
    """When the update began that a pass belongs to: the last step of an optimizer that these variables are held by.

    Other optimizers may have stepped in between. An agent computes all of its losses, and then applies one by one.
    """
    held = {o.id for o in recording.optimizers.values() if o.holds & variables}
    steps = [s for s in recording.steps if s.at < reach.began(recording, backward)]
    return max((s.at for s in steps if not held or s.optimizer in held), default=0)


def dropped_terms(
    recording: Recording, part: reach.Slice, variables: set[int], backward: Backward, tracked: bool = False
) -> dict[int, Op]:
    """Variables for which a loss term was computed that the loss does not contain, with that term.

    `advantage = (returns - values).detach()` is right, and `values` has its own term, `value_loss`. When that term is
    computed and not added to the loss, the stop is innocent and the missing term is the fault. The loss has the term
    where the same expression is a part of it: what one observation gave (as the agent acts) is no second one.

    `tracked`: also terms that nothing but a metric gets.
    """
    bit = {v: 1 << i for i, v in enumerate(sorted(variables))}
    values = recording.values
    within = _expressions(recording, part, bit)
    masks = {v.id: bit[v.variable] for v in values.values() if v.variable in bit}
    consumed = {b.loss for b in recording.backwards if b.loss is not None}  # another loss is no term of this one
    reduced: set[int] = set()
    since = _round_began(recording, backward, variables)
    terms: list[Op] = []
    metrics = _tracking(recording, since, backward.at) if tracked else set[int]()
    for at, op in recording.ops.items():
        if at < since or at >= backward.at or at in metrics:
            continue
        if op.kind not in ("leave", "stop"):
            consumed.update(op.inputs)
        for target in op.outputs:
            mask = 0
            for source in op.inputs:
                if source in masks and reach.carries(recording, op, source, target, backward.tape):
                    mask |= masks[source]
            if mask:
                masks[target] = mask
                if all(size == 1 for size in values[target].shape) and (
                    _reduces(op) or any(v in reduced for v in op.inputs)
                ):
                    reduced.add(target)
                    if target not in part.values:
                        terms.append(op)
    found: dict[int, Op] = {}
    for op in terms:
        if not any(value in consumed for value in op.outputs):
            mask = masks.get(op.outputs[0], 0) & ~within.get(_expression(recording, op), 0)
            found.update({variable: op for variable, flag in bit.items() if mask & flag})
    return found


def _tracking(recording: Recording, since: int, until: int) -> set[int]:
    """Operations by which a line does nothing but write something down, in a variable that nobody trains: a metric."""
    trained = {v for o in recording.optimizers.values() for v in o.holds} | {
        v for b in recording.backwards for v in b.wanted
    }
    taken: dict[int, bool] = {}  # whether a value goes anywhere else
    places, found = set[int](), set[int]()
    for at, op in reversed(recording.ops.items()):
        if not since <= at < until:
            continue
        if op.kind == "write" and not any(recording.values[v].variable in trained for v in op.outputs):
            places.add(op.stack)
            found.add(at)
        elif op.stack in places and op.outputs and not any(taken.get(v, True) for v in op.outputs):
            found.add(at)
        for value in op.inputs:
            taken[value] = taken.get(value, False) or at not in found
    return found


def _expressions(recording: Recording, part: reach.Slice, bit: dict[int, int]) -> dict[tuple[str, Site | None], int]:
    """The expressions that a loss is computed by, with the variables that each was given something of."""
    values = recording.values
    behind = {v: bit[owner] for v in part.values if v in values and (owner := values[v].variable) in bit}
    found: dict[tuple[str, Site | None], int] = {}
    for op in part.ops:
        mask = 0
        for source in op.inputs:
            mask |= behind.get(source, 0)
        for target in op.outputs if mask else ():
            behind[target] = behind.get(target, 0) | mask
        place = _expression(recording, op)
        found[place] = found.get(place, 0) | mask
    return found


def _expression(recording: Recording, op: Op) -> tuple[str, Site | None]:
    """An operation by its name and its place in the source, whoever called it."""
    return op.name, next(iter(recording.stacks[op.stack]), None)


def _reduces(op: Op) -> bool:
    """Whether an operation makes one number of a batch: what loss terms are made by."""
    name = op.name.lower()
    if name.endswith("loss") or "cross_entropy" in name:
        return True
    return name.removeprefix("reduce_") in ("mean", "sum", "norm", "kl_div")
