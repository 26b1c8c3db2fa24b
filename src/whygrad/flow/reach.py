"""Reachability: what a loss is computed from, where a gradient goes, and where it stops.

Everything here is linear in the number of operations. Which variables lie behind a cut is computed for all of
them in one pass, with a set of variables kept as the bits of one integer.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording

ZERO_DERIVATIVE = frozenset(
    {"round", "floor", "ceil", "trunc", "sign", "heaviside", "fix", "sgn", "rint", "floor_divide"}
)
"""Step functions. PyTorch differentiates them, to zero everywhere; TensorFlow mostly refuses."""

_HANDS_ON = frozenset({
    "cast", "to", "reshape", "view", "squeeze", "expand_dims", "unsqueeze", "identity", "float", "long",
})  # fmt: skip
_CHOOSES = frozenset({
    "mul", "rmul", "multiply", "matmul", "rmatmul", "mm", "bmm", "einsum", "tensordot", "dot", "where",
})  # fmt: skip

_PLACES = 8
"""So many expressions that stop a gradient more than once are looked at."""


@dataclass(slots=True)
class Cut:
    """An operation at which the gradient of some variables stops on the way to a loss."""

    op: Op
    variables: frozenset[int]
    alone: bool
    """Mending this one place would let the gradient through: no other wall stands behind it. A stop in a loop is one
    wall, though each round meets it."""


@dataclass(slots=True)
class Slice:
    """What one loss is computed from: its operations in order, and the values on the way."""

    loss: int
    ops: list[Op]
    values: set[int]


def step_function(op: Op) -> bool:
    """Whether the operation's derivative is zero wherever it exists."""
    if op.detail.startswith("custom"):  # somebody's own function with its own gradient, whatever it is called
        return False
    return _steps(op.name)


@functools.cache
def _steps(name: str) -> bool:
    return name.rstrip("_").rsplit(".", 1)[-1].lower() in ZERO_DERIVATIVE


def carries(recording: Recording, op: Op, source: int, target: int, tape: int | None) -> bool:
    """Whether a gradient can pass from `target` back to `source` through `op`."""
    if not op.carries or step_function(op) or (tape is not None and tape not in op.tapes):
        return False
    values = recording.values
    if tape is not None:
        return values[source].floating and values[target].floating
    return values[source].live and values[target].live


def began(recording: Recording, backward: Backward) -> int:
    """When what a loss is made of may have begun: a tape that gives several losses was there before their steps."""
    tape = recording.tapes.get(backward.tape) if backward.tape is not None else None
    return tape.opened if tape is not None else backward.at


def producers(recording: Recording) -> dict[int, Op]:
    """For each value, the operation that made it."""
    return {value: op for op in recording.ops.values() for value in op.outputs}


CERTAIN: frozenset[str] = frozenset()
PROVED = frozenset({"memory", "value"})
SUGGESTED = frozenset({"memory", "value", "source"})


def backward_slice(
    recording: Recording, loss: int, made_by: dict[int, Op], until: int, proofs: frozenset[str] = SUGGESTED
) -> Slice:
    """Everything `loss` was computed from, differentiable or not, before the clock reached `until`.

    `proofs` says which round trips through Python and NumPy are believed.
    """
    handed_over: dict[int, list[int]] = {}
    for handover in recording.handovers:
        if handover.proof in proofs:
            handed_over.setdefault(handover.entered, []).append(handover.left)
    seen_values, seen_ops, todo = {loss}, {}, [loss]
    whole = made_by.get(loss)
    within = set(whole.tapes) if whole is not None else set[int]()
    while todo:
        op = made_by.get(todo.pop())
        if op is None or op.at in seen_ops or op.at >= until:
            continue
        if recording.framework == "jax" and _becomes_content(recording, op) and not within.intersection(op.tapes):
            # What a variable was given (a target's content, an update) is not what it was made from, unless that is
            # a part of this very loss: an inner loop whose last parameters are handed on.
            continue
        seen_ops[op.at] = op
        sources = list(op.inputs)
        for left in handed_over.get(op.at, ()):
            exit_op = recording.ops.get(left)
            if exit_op is not None:
                seen_ops.setdefault(left, exit_op)
                sources.extend(exit_op.inputs)
        for value in sources:
            if value not in seen_values:
                seen_values.add(value)
                todo.append(value)
    return Slice(loss, [seen_ops[at] for at in sorted(seen_ops)], seen_values)


def gradient_reach(recording: Recording, part: Slice, tape: int | None) -> set[int]:
    """Values that a gradient from the loss arrives at."""
    reached = {part.loss}
    for op in reversed(part.ops):
        for target in op.outputs:
            if target in reached:
                reached.update(s for s in op.inputs if carries(recording, op, s, target, tape))
    return reached


def cuts(recording: Recording, part: Slice, variables: Iterable[int], tape: int | None) -> list[Cut]:
    """The operations where the gradient of `variables` first stops on its way to the loss of `part`.

    Only operations that the loss is computed from count: a detach on a side path to a log line is no cut.
    """
    wanted = set(variables)
    starts = {value: variable for value in part.values if (variable := recording.values[value].variable) in wanted}
    return _cuts_from(recording, part, {v: s for v, s in starts.items() if s is not None}, tape)


def value_cuts(recording: Recording, part: Slice, value: int, tape: int | None) -> list[Cut]:
    """The same for a value that is no variable; its number stands in `Cut.variables`."""
    return _cuts_from(recording, part, {value: value} if value in part.values else {}, tape)


def _cuts_from(recording: Recording, part: Slice, starts: dict[int, int], tape: int | None) -> list[Cut]:
    order = sorted(set(starts.values()))
    bit = {variable: 1 << index for index, variable in enumerate(order)}
    carried = {value: bit[variable] for value, variable in starts.items()}
    stopped: dict[int, int] = {}
    for op in part.ops:
        arriving = 0
        for source in op.inputs:
            arriving |= carried.get(source, 0)
        if not arriving:
            continue
        targets = [value for value in op.outputs if value in part.values]
        if not targets:  # it left for Python or NumPy, and the loss is computed from what came back
            stopped[op.at] = arriving
        for target in targets:
            passing = 0
            for source in op.inputs:
                if source in carried and carries(recording, op, source, target, tape):
                    passing |= carried[source]
            carried[target] = carried.get(target, 0) | passing
            if arriving & ~passing:
                stopped[op.at] = stopped.get(op.at, 0) | (arriving & ~passing)
    smooth = smooth_to_loss(recording, part, tape)
    inside = {op.at for op in part.ops}
    landing: dict[int, list[int]] = {}
    for handover in recording.handovers:
        if handover.entered in inside:
            landing.setdefault(handover.left, []).append(handover.entered)
    exits, leading = _exits_to_loss(recording, part, smooth, landing)
    regions = _regions_to_loss(part, smooth, tape)
    indices = _laid_out(recording, part, smooth, tape)
    found = []
    for at, mask in stopped.items():
        op = recording.ops[at]
        behind = _members(order, mask)
        region = regions.get(_region(op, tape), set())
        alone = at in exits or any(
            value in smooth or value in leading or value in region or value in indices for value in op.outputs
        )
        found.append(Cut(op, behind, alone))
    if not any(cut.alone for cut in found):
        _open_together(recording, part, found, tape)
    return found


def _open_together(recording: Recording, part: Slice, found: list[Cut], tape: int | None) -> None:
    """Cuts one behind the other that are one wall: a stop in a loop, met again in each round; stores in variables.

    The state of a simulation is kept in several variables, each written with what was computed from the others.
    """
    again: dict[tuple[str, int], set[int]] = {}
    stores = set()
    for op in part.ops:
        if op.kind == "stop":
            again.setdefault((op.name, op.stack), set()).add(op.at)
        elif op.kind == "write" and tape is not None and tape in op.tapes:
            stores.add(op.at)
    cut = {one.op.at for one in found}
    walls = [again[place] for place in sorted(again) if len(again[place]) > 1 and again[place] & cut][:_PLACES]
    for wall_of in (*walls, stores):
        smooth = smooth_to_loss(recording, part, tape, wall_of) if len(wall_of) > 1 else set()
        for one in found:
            if one.op.at in wall_of and any(value in smooth for value in one.op.outputs):
                one.alone = True


def _becomes_content(recording: Recording, op: Op) -> bool:
    """JAX: whether an operation makes what a variable holds, other than by handing on its own content."""
    values = recording.values
    owner = values[op.outputs[0]].variable if op.outputs and op.outputs[0] in values else None
    if owner is None or op.name == "read_value":
        return False
    return op.name != "captured" or values[op.inputs[0]].variable != owner


def _members(order: list[int], mask: int) -> frozenset[int]:
    """The variables whose bits are set."""
    found = []
    while mask:
        low = mask & -mask
        found.append(order[low.bit_length() - 1])
        mask ^= low
    return frozenset(found)


def wall(op: Op, tape: int | None) -> bool:
    """Whether the operation stops a gradient by its own nature, whatever arrives at it."""
    if op.kind in ("stop", "leave", "enter", "discrete", "opaque", "write") or op.switch is not None:
        return True
    if op.name == "autograd.grad" and not op.carries:
        return True  # PyTorch: without create_graph its results are constants
    return step_function(op) or (tape is not None and tape not in op.tapes)


def smooth_to_loss(recording: Recording, part: Slice, tape: int | None, mended: Collection[int] = ()) -> set[int]:
    """Values from which a gradient could come from the loss, if only something there asked for one.

    `mended`: operations that are taken for no walls.
    """
    smooth = {part.loss}
    for op in reversed(part.ops):
        stands = wall(op, tape) and op.at not in mended
        if stands or not any(value in smooth for value in op.outputs):
            continue
        floating = [value for value in op.inputs if recording.values[value].floating]
        # An integer beside floating-point inputs is an index; alone it is the operand (a cast back to float).
        smooth.update(floating or op.inputs)
    return smooth


def _region(op: Op, tape: int | None) -> int | str | None:
    """Operations that nothing recorded, for one and the same reason, are one wall however many they are."""
    if op.switch is not None:
        return op.switch
    return "off tape" if tape is not None and tape not in op.tapes else None


def _regions_to_loss(part: Slice, smooth: set[int], tape: int | None) -> dict[int | str | None, set[int]]:
    """For each stretch without recording, the values from which the loss lies just behind it."""
    found: dict[int | str | None, set[int]] = {}
    for op in reversed(part.ops):
        region = _region(op, tape)
        if region is None or op.kind != "compute":
            continue
        inside = found.setdefault(region, set())
        if any(value in smooth or value in inside for value in op.outputs):
            inside.update(op.inputs)
    return found


def _laid_out(recording: Recording, part: Slice, smooth: set[int], tape: int | None) -> set[int]:
    """Indices that are laid out as zeros and ones and then used as numbers: making the index was the one wall.

    Multiplied with something, they choose from it; no gradient is expected along that way.
    """
    used: set[int] = set()
    found: set[int] = set()
    for op in reversed(part.ops):
        name = _bare(op.name)
        if any(v in found for v in op.outputs) and name in _HANDS_ON:
            found.update(op.inputs[:1])
        elif name == "one_hot":
            if any(v in used for v in op.outputs):
                found.update(op.inputs[:1])
        elif any(v in smooth for v in op.outputs) and not wall(op, tape):
            if name in _HANDS_ON:
                used.update(v for v in op.inputs[:1] if op.outputs[0] in used)
            elif name not in _CHOOSES:
                used.update(v for v in op.inputs if recording.values[v].floating)
    return found


@functools.cache
def _bare(name: str) -> str:
    return name.rsplit(".", 1)[-1].strip("_").lower()


def _exits_to_loss(
    recording: Recording, part: Slice, smooth: set[int], landing: dict[int, list[int]]
) -> tuple[set[int], set[int]]:
    """Clocks of exits whose data comes back on a smooth way, and the values that lead straight to such an exit.

    `x.detach().cpu().numpy()` is one wall, not two: NumPy made the detach necessary.
    """
    found: set[int] = set()
    leading: set[int] = set()
    for op in reversed(part.ops):
        if op.kind == "leave" or (op.kind == "enter" and op.inputs):
            back = [v for entered in landing.get(op.at, ()) for v in recording.ops[entered].outputs]
            if any(v in smooth for v in (*op.outputs, *back)):
                found.add(op.at)
                leading.update(v for v in op.inputs if recording.values[v].floating)
        elif op.kind in ("stop", "compute") and any(v in leading for v in op.outputs):
            leading.update(v for v in op.inputs if recording.values[v].floating)
    return found, leading
