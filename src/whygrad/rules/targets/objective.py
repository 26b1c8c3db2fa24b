"""The build of a loss: what it compares with what, which variables it trains, and through which of its parts.

Shared by the rules about reinforcement learning (W501 to W505). Everything is read off the two flows of a recording;
what a program calls its variables plays no part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.intent import DIFFERENCE
from whygrad.rules.cuts.roles import LINEAR

SUM = frozenset({"add", "__add__", "__radd__", "addcmul", "add_", "__iadd__"})
PRODUCT = frozenset({"mul", "__mul__", "__rmul__", "multiply", "mul_", "__imul__"})
MINUS = frozenset({"sub", "rsub", "__sub__", "__rsub__", "subtract"})
SHAPING = frozenset({
    "squeeze", "unsqueeze", "view", "reshape", "flatten", "expand_dims", "expand", "transpose", "t", "permute",
    "getitem", "__getitem__", "strided_slice", "identity", "cast", "to", "float", "double", "contiguous", "clone",
    "broadcast_to", "broadcast_tensors", "cat", "concat", "stack", "T.__get__", "gather", "expand_as", "view_as",
    "unstack", "unbind", "split", "chunk", "slice", "convert_element_type", "broadcast_in_dim", "concatenate",
    "broadcast", "astype",
})  # fmt: skip
CONTRACTS = frozenset({
    "linear", "matmul", "__matmul__", "addmm", "mm", "bmm", "conv1d", "conv2d", "conv3d", "embedding", "lstm", "gru",
    "gru_cell", "lstm_cell", "baddbmm", "einsum", "dot_general", "conv_general_dilated", "bias_add",
})  # fmt: skip
"""Where a network mixes what it is given: linear maps and their kin."""

_CURVED = frozenset({
    "sqrt", "rsqrt", "pow", "__pow__", "integer_pow", "square", "exp", "expm1", "log", "log1p", "norm", "vector_norm",
    "cdist", "sigmoid", "softmax", "log_softmax", "softplus", "cosine_similarity",
})  # fmt: skip
"""A factor inside of one of these is part of a formula (a distance, a likelihood), not a discount."""

_LOOKED_AT = 3
_FAR = 48


@dataclass(slots=True)
class Objective:
    """One loss, with the variables it trains. Sets of variables are the bits of one integer."""

    backward: Backward
    part: reach.Slice
    live: dict[int, int]
    """For each value, the variables that a gradient arriving there would reach."""
    read: dict[int, int]
    """For each value, the variables it was computed from, differentiably or not."""
    trained: int
    """The variables that this loss's gradient is applied to."""
    reached: set[int]
    """Values that the gradient of the loss arrives at."""
    bits: dict[int, int]
    targets: dict[bool, list[Bootstrap]] = field(default_factory=dict)
    """Found once, by `bootstraps`."""

    def variables(self, mask: int) -> frozenset[int]:
        """The variables of a mask."""
        return frozenset(v for v, bit in self.bits.items() if mask & bit)


@asked_once
def objectives(case: Case) -> list[Objective]:
    """The losses of a program; of one that is computed again and again, the first few."""
    counted: dict[tuple[int, int | None], int] = {}
    found = []
    for backward in case.recording.backwards:
        usable = not backward.implicit and backward.error is None and backward.loss in case.recording.values
        if usable and counted.setdefault(one := case.place(backward), 0) < _LOOKED_AT:
            counted[one] += 1
            found.append(_objective(case, backward))
    return found


def _objective(case: Case, backward: Backward) -> Objective:
    recording = case.recording
    part = case.slice(backward, reach.CERTAIN)
    values = recording.values
    met = sorted({v for n in part.values if n in values and (v := values[n].variable) is not None})
    bits = {v: 1 << i for i, v in enumerate(met)}
    live: dict[int, int] = {}
    read: dict[int, int] = {}
    for number in part.values:
        variable = values[number].variable
        if variable is not None:
            live[number] = read[number] = bits[variable]
    for op in part.ops:
        arriving = 0
        for source in op.inputs:
            arriving |= read.get(source, 0)
        for target in op.outputs:
            if op.kind == "write" or target not in values:
                continue
            passing = 0
            for source in op.inputs:
                if source in live and reach.carries(recording, op, source, target, backward.tape):
                    passing |= live[source]
            live[target] = live.get(target, 0) | passing
            read[target] = read.get(target, 0) | arriving
    given = applied(case, backward)
    trained = sum(bits[v] for v in given if v in bits)
    return Objective(backward, part, live, read, trained, reach.gradient_reach(recording, part, backward.tape), bits)


def applied(case: Case, backward: Backward) -> set[int]:
    """The variables to which an optimizer applied what this backward pass gave them."""
    recording = case.recording
    left = set(backward.got)
    found = left & recording.hand_updated if not recording.steps else set()
    events: list[tuple[int, frozenset[int], bool]] = [(s.at, s.applied, True) for s in recording.steps]
    events += [(c.at, c.variables, False) for c in recording.clears]
    for _, variables, steps in sorted((e for e in events if e[0] > backward.at), key=lambda e: e[0]):
        if steps:
            found |= left & variables
        left -= variables
        if not left:
            break
    return found


def size(case: Case, value: int) -> int:
    """How many entries a value has; 0 where that is unknown."""
    total = 1
    for length in case.recording.values[value].shape:
        total *= length or 0
    return total


@dataclass(slots=True)
class Bootstrap:
    """A difference of a prediction and of a target that adds data to a discounted prediction."""

    objective: Objective
    difference: Op
    prediction: int
    target: int
    added: Op
    """The sum: reward plus discounted value."""
    value: int
    """What was added to the data."""


def bootstraps(case: Case, objective: Objective, live: bool) -> list[Bootstrap]:
    """Where the loss compares a trained prediction with data plus a discounted prediction.

    `live`: only targets through which the gradient trains something; otherwise every target.
    """
    if live not in objective.targets:
        objective.targets[live] = list(_bootstraps(case, objective, live))
    return objective.targets[live]


def _bootstraps(case: Case, objective: Objective, live: bool) -> Iterator[Bootstrap]:
    masks = objective.live if live else objective.read
    counted: dict[tuple[int, int], int] = {}
    for op in objective.part.ops:
        if op.name not in DIFFERENCE or len(op.inputs) < 2 or not any(v in objective.reached for v in op.outputs):
            continue
        left, right = op.inputs[0], op.inputs[1]
        if not live and op.name in MINUS and _compares(case, objective, op):
            taken = _data_taken_off(case, objective, left)
            if taken is not None and objective.read.get(right, 0) and _discounted(case, right) is not None:
                yield Bootstrap(objective, op, taken.inputs[0], right, taken, right)
                continue
        for prediction, target in ((left, right), (right, left)):
            if not objective.live.get(prediction, 0) & objective.trained or not masks.get(target, 0):
                continue
            small = size(case, prediction) == 1
            found = _sum_with_data(case, objective, target, masks, small, live)
            if found is None or _sum_with_data(case, objective, prediction, masks, small, live) is not None:
                continue
            place = op.stack, found[0].stack
            counted[place] = counted.get(place, 0) + 1
            # One expression in a loop over a rollout says the same each time.
            if counted[place] <= _LOOKED_AT and _compares(case, objective, op) and not _recurs(case, prediction, found):
                yield Bootstrap(objective, op, prediction, target, *found)


def predicted(case: Case, objective: Objective) -> Iterator[Bootstrap]:
    """TensorFlow: targets made of what `predict` gave to NumPy and what came back from there, as it was."""
    recording = case.recording
    came: dict[int, int] = {}
    for handover in recording.handovers if recording.framework == "tensorflow" else ():
        left = recording.ops.get(handover.left)
        if handover.proof in reach.PROVED and left is not None and left.kind == "leave":
            read = {v for n in left.inputs if (v := case.content.get(n)) in objective.bits}
            came[handover.entered] = came.get(handover.entered, 0) | sum(objective.bits[v] for v in read)
    if not any(op.at in came for op in objective.part.ops):
        return
    read_too = dict(objective.read)
    for op in objective.part.ops:
        arriving = came.get(op.at, 0)
        for source in op.inputs:
            arriving |= read_too.get(source, 0)
        for made in op.outputs:
            read_too[made] = read_too.get(made, 0) | arriving
    yield from _bootstraps(case, replace(objective, read=read_too, targets={}), live=False)


def _recurs(case: Case, prediction: int, found: tuple[Op, int]) -> bool:
    """Whether the prediction was computed from the sum: the state of a simulation that the network's output moves.

    Or from the very value that is in the sum: one table of distances, from which masks choose what is compared.
    """
    added = case.made_by.get(found[1])
    since, sums = found[0].at if added is None else added.at, {*found[0].outputs, found[1]}
    todo, seen = [prediction], {prediction}
    while todo:
        number = todo.pop()
        if number in sums:
            return True
        op = case.made_by.get(number)
        fresh = [v for v in op.inputs if v not in seen] if op is not None and op.at > since else []
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _data_taken_off(case: Case, objective: Objective, value: int) -> Op | None:
    """The first difference of `q - reward - discount * q_next`: a trained prediction less data."""
    op = case.made_by.get(value)
    if op is None or op.name not in MINUS or len(op.inputs) != 2:
        return None
    small = size(case, op.inputs[0]) == 1
    trained = objective.live.get(op.inputs[0], 0) & objective.trained
    said = objective.read.get(op.inputs[1], 0) & objective.trained  # a second prediction, stopped or not, is no reward
    return op if trained and not said and _is_data(case, objective, [op.inputs[1]], small) else None


def _compares(case: Case, objective: Objective, difference: Op) -> bool:
    """Whether the loss depends on how large a difference is: one that only adds to it, or weighs, compares nothing.

    Nor does one that goes on into a network: a layer that takes its running average off.
    """
    if difference.name not in MINUS:
        return True
    if _goes_on(case, objective, difference):
        return False
    follow = set(difference.outputs)
    for op in objective.part.ops:
        if op.at <= difference.at:
            continue
        met = sum(v in follow for v in op.inputs)
        if met > 1 and op.name in PRODUCT:
            return True
        if met and op.name not in LINEAR and op.name not in SHAPING and op.kind == "compute":
            return True
        if met:
            follow.update(op.outputs)
    return False


def _goes_on(case: Case, objective: Objective, difference: Op) -> bool:
    """Whether a trained layer comes between a difference and the loss."""
    follow = set(difference.outputs)
    for op in objective.part.ops:
        if op.at > difference.at and any(v in follow for v in op.inputs):
            if op.name in CONTRACTS and any(case.content.get(v) in case.trained for v in op.inputs):
                return True
            follow.update(op.outputs)
    return False


def _sum_with_data(
    case: Case, objective: Objective, start: int, masks: dict[int, int], small: bool, live: bool
) -> tuple[Op, int] | None:
    """The first sum, going back, of data and of something discounted that was computed from variables."""
    wanted = objective.trained if live else ~0
    todo, seen = [(start, small)], {start}
    while todo and len(seen) < _FAR:
        number, alone = todo.pop(0)
        op = case.made_by.get(number)
        if op is None or op.kind == "write" or op.name in CONTRACTS:
            continue
        # The steps of a rollout, each a number of its own, are stacked to one target.
        alone = alone or (op.name == "stack" and all(size(case, v) == 1 for v in op.inputs))
        if op.name in SUM:
            # Where acting was recorded too, the reward is made of variables as well: the discount is the nearer one.
            found: list[tuple[int, int]] = []
            for value in op.inputs:
                others = [v for v in op.inputs if v != value]
                if masks.get(value, 0) & wanted and _is_data(case, objective, others, alone):
                    found += [(depth, value)] if (depth := _discounted(case, value)) is not None else []
            if found:
                return op, min(found)[1]
        for source in op.inputs:
            if source not in seen and masks.get(source, 0) & wanted:
                seen.add(source)
                todo.append((source, alone))
    return None


def _is_data(case: Case, objective: Objective, others: list[int], small: bool) -> bool:
    """Numbers that no variable has a part in, one for each row of the batch (or a plain number, for a batch of one)."""
    if not others:
        return small
    return all(
        not objective.live.get(v, 0)
        and v not in case.content
        and case.recording.values[v].floating
        and (small or size(case, v) > 1 or _is_row(case, v))
        for v in others
    )


def _is_row(case: Case, value: int) -> bool:
    """JAX: whether one number is a row, or made of one, of what a `scan` runs over."""
    todo, seen = [value], {value}
    while todo and len(seen) < _FAR:
        op = case.made_by.get(todo.pop())
        if op is None or op.kind != "compute":
            continue
        if op.name == "row of xs":
            return True
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _discounted(case: Case, value: int) -> int | None:
    """How many operations back a value was multiplied by a number or by data, if nothing bent it since."""
    todo, seen = deque([(value, 0)]), {value}
    while todo:
        number, depth = todo.popleft()
        op = case.made_by.get(number)
        if op is None or depth > 6 or op.name in CONTRACTS or op.name in _CURVED:
            continue
        if op.name in PRODUCT:
            return depth
        for source in op.inputs:
            if source not in seen:
                seen.add(source)
                todo.append((source, depth + 1))
    return None


def roots(case: Case, value: int) -> set[int]:
    """The data that a value was computed from: what entered, variables left out."""
    found: set[int] = set()
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        if number in case.content:
            continue
        op = case.made_by.get(number)
        if op is None or (op.kind == "enter" and not op.inputs):
            if case.recording.values[number].floating:
                found.add(number)
            continue
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return found


def feeds_trained(case: Case, members: set[int]) -> bool:
    """Whether what a network makes goes on into the layers of a trained one, with its gradient: an encoder's state.

    A target's output is compared with a trained network's; it is not given to one.
    """
    for objective in objectives(case):
        mask = sum(objective.bits[v] for v in members if v in objective.bits)
        for op in objective.part.ops if mask else ():
            layer = op.name in CONTRACTS and any(case.content.get(v) in case.trained for v in op.inputs)
            if layer and any(objective.live.get(v, 0) & mask for v in op.inputs if v not in case.content):
                return True
    return False
