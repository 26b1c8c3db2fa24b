"""What a network is there for, told from what it is fed and where its output goes: to judge, to be compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.cuts.intent import DIFFERENCE, comes_from_variable

if TYPE_CHECKING:
    from whygrad.rules.case import Case

LINEAR = frozenset({
    "mean", "sum", "reduce_mean", "reduce_sum", "neg", "negative", "__neg__", "add", "__add__", "__radd__", "sub",
    "__sub__", "__rsub__", "rsub", "mul", "__mul__", "__rmul__", "multiply", "div", "truediv", "__truediv__", "squeeze",
    "reshape", "view", "flatten", "min", "minimum", "reduce_min", "getitem", "__getitem__", "strided_slice", "gather",
    "identity", "cast", "stack", "cat", "concat",
})  # fmt: skip


def serves_as_critic(case: Case, members: set[int]) -> bool:
    """Whether a network's bare output is what a loss makes large: `-critic(states, actor(states)).mean()`.

    Such a loss cannot train the network itself (it would only inflate its output); it is there to train what feeds it.
    A network whose output is compared with data, or goes on into another network, is not of that kind; nor is a lone
    number or vector, such as the log-deviation of a policy in its entropy.
    """
    if all(len(case.variable(v).shape) < 2 for v in members):
        return False
    using = [
        b
        for b in case.recording.backwards
        if b.loss is not None and not b.implicit and any(case.uses(b, v) for v in members)
    ]
    trains = [b for b in using if b.got & members] or using
    return bool(trains) and all(bare_output(case, b, members) for b in trains)


def bare_output(case: Case, backward: Backward, members: set[int]) -> bool:
    """Whether what a loss makes large is what these layers say, as it is."""
    todo, seen = [backward.loss], {backward.loss}
    while todo:
        value = todo.pop()
        made = case.made_by.get(value) if value is not None else None
        if made is None:
            continue
        read = [case.content.get(v) in members for v in made.inputs]
        if any(read) and not all(read):
            return True  # a layer, given something; a bare parameter (a learned weight) is not asked for an opinion
        if made.name in LINEAR and not any(read) and not _weighs_entries(case, made):
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _weighs_entries(case: Case, made: Op) -> bool:
    """Whether each entry is multiplied by data of its own: `labels * logits`, the linear part of a cross-entropy."""
    if made.name.strip("_") not in ("mul", "rmul", "multiply") or len(made.inputs) != 2:
        return False
    values = case.recording.values
    sizes = [math.prod(n or 1 for n in values[v].shape) if v in values else 1 for v in made.inputs]
    return sizes[0] == sizes[1] > 1 and any(not comes_from_variable(case, v) for v in made.inputs)


def serves_as_target(case: Case, network: str, members: set[int] | None = None) -> bool:
    """Whether an untrained network is there to be compared with: a target, a teacher, a fixed random network.

    Told from a forgotten one by what it is fed and where its output goes. A target has the shape of a trained network
    and sees other inputs than that one (the next states); a teacher's output meets a trained network's in a difference;
    what a perceptual loss asks about data and about a trained network's output is compared with itself.
    `members`: the untrained part, where one module keeps both.
    """
    recording = case.recording
    own = [v for v in recording.variables.values() if v.network == network]
    trained: dict[str, list[tuple[int | None, ...]]] = {}
    for variable in recording.variables.values():
        if variable.id in case.trained:
            trained.setdefault(variable.network, []).append(variable.shape)
    shapes = sorted(str(v.shape) for v in own)
    twins = [name for name, theirs in trained.items() if name != network and sorted(map(str, theirs)) == shapes]
    fed = fed_with(case, {v.id for v in own})
    for twin in twins if len(own) > 1 else ():  # one matrix is easily of another's shape
        theirs = fed_with(case, {v.id for v in recording.variables.values() if v.network == twin})
        if not fed & theirs:
            return True
    return _meets_in_difference(case, members or {v.id for v in own})


def fed_with(case: Case, variables: set[int], among: Iterable[Op] | None = None) -> set[int]:
    """Values that go into operations together with these variables and come from outside the network."""
    made: set[int] = set()
    fed: set[int] = set()
    for op in case.recording.ops.values() if among is None else among:
        if op.name == "read_value":
            continue
        inside = any(case.content.get(v) in variables for v in op.inputs)
        if inside and op.name not in _RESHAPES:  # a bias that is given a shape has no other input
            fed.update(v for v in op.inputs if v not in case.content and v not in made)
        if inside or any(v in made for v in op.inputs):
            made.update(op.outputs)
    return {root for value in fed for root in _unpacked(case, value)}


_RESHAPES = frozenset({
    "cast", "to", "float", "reshape", "view", "flatten", "unsqueeze", "squeeze", "expand_dims", "identity", "transpose",
    "permute", "contiguous",
})  # fmt: skip
_PACKING = _RESHAPES | {"cat", "concat", "concatenate", "stack"}


def _unpacked(case: Case, value: int) -> list[int]:
    """The values that were only put together or reshaped to make this one."""
    made = case.made_by.get(value)
    if made is None or made.name not in _PACKING:
        return [value]
    return [root for source in made.inputs for root in _unpacked(case, source)]


def _meets_in_difference(case: Case, variables: set[int]) -> bool:
    ours: set[int] = set()
    theirs: set[int] = set()
    network = any(len(case.variable(v).shape) > 1 for v in variables)
    for op in case.recording.ops.values():
        reads = {case.content[v] for v in op.inputs if v in case.content}
        mine = bool(reads & variables) or any(v in ours for v in op.inputs)
        other = bool(reads & case.trained) or any(v in theirs for v in op.inputs)
        if op.name in DIFFERENCE and len(op.inputs) >= 2:
            left, right = op.inputs[0], op.inputs[1]
            for one, two in ((left, right), (right, left)):
                # A teacher's output against a learner's; or what a network says of data, against that of a guess.
                meets = one in ours and one not in theirs and two in theirs and (network or two not in ours)
                if meets and not _scalar(case.recording.values[one].shape):  # two loss terms are no comparison
                    return True
        # A target that follows a trained network is no guess of that one: what it says is a target.
        made = [v for v in op.outputs if v not in case.content]
        if mine:
            ours.update(made)
        if other:
            theirs.update(made)
    return False


def _scalar(shape: tuple[int | None, ...]) -> bool:
    return all(size == 1 for size in shape)
