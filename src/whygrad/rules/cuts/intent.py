"""Which cuts are meant.

A bootstrap target is stopped on purpose, and so is an advantage; neither is what keeps a network from learning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.recording import Recording

if TYPE_CHECKING:
    from whygrad.rules.case import Case

DIFFERENCE = frozenset({
    "sub", "rsub", "__sub__", "__rsub__", "subtract", "squared_difference", "mse_loss", "smooth_l1_loss", "huber_loss",
    "l1_loss",
})  # fmt: skip
_SUM = frozenset({"add", "__add__", "__radd__", "addcmul", "add_"})
_QUOTIENT = frozenset({"div", "truediv", "__truediv__", "divide", "true_divide"})
_SUMS_UP = frozenset({
    "mean", "sum", "reduce_mean", "reduce_sum", "neg", "negative", "__neg__", "add", "__add__", "__radd__", "sub",
    "__sub__", "__rsub__", "rsub", "identity", "squeeze", "reshape", "view", "div", "truediv", "__truediv__", "add_n",
})  # fmt: skip
_GUARD = 1e-3


def without_targets(recording: Recording, part: reach.Slice, cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Drop the cut that makes a target, where a loss compares a target with a prediction and both are cut.

    `loss = (q - (r + gamma * q_next)) ** 2`: both sides come from the same network. The side that adds something
    to the network's output is the target; cutting it is right, so the other cut is the fault.
    """
    if len(cuts) < 2:
        return cuts
    targets = set()
    for cut in cuts:
        for other in cuts:
            if cut is other or not cut.variables & other.variables:
                continue
            if _is_target(recording, part, cut, other):
                targets.add(cut.op.at)
    return [cut for cut in cuts if cut.op.at not in targets] or cuts


def _is_target(recording: Recording, part: reach.Slice, cut: reach.Cut, other: reach.Cut) -> bool:
    ours, summed = _followers(recording, part, cut, other.op)
    theirs, other_summed = _followers(recording, part, other, cut.op)
    for op in part.ops:
        if (op.name in DIFFERENCE or op.name in _QUOTIENT) and len(op.inputs) >= 2:
            left, right = op.inputs[0], op.inputs[1]
            apart = (left in ours and right in theirs) or (right in ours and left in theirs)
            mixed = left in ours and left in theirs
            if apart and not mixed:
                mine = left if left in ours else right
                yours = right if mine is left else left
                if (mine in summed) != (yours in other_summed) and op.name in DIFFERENCE:
                    return mine in summed
                return _is_older(recording, part, cut.op, other.op) or _was_kept(part, cut.op, other.op, ours)
    return False


def _was_kept(part: reach.Slice, op: Op, other: Op, ours: set[int]) -> bool:
    """Whether one ran unrecorded and was written into a store of rows, and the other, recorded, was stopped later.

    A script without functions does both in one place; what it stored is the rollout, all the same.
    """
    if op.at > other.at or op.switch is None or other.switch is not None or other.kind != "stop":
        return False
    stores = (one for one in part.ops if one.at < other.at and (one.kind == "write" or one.name == "__setitem__"))
    return any(v in ours for one in stores for v in one.inputs)


def _is_older(recording: Recording, part: reach.Slice, op: Op, other: Op) -> bool:
    """Whether one was computed before and on another occasion: what a rollout has kept (the old log-probabilities).

    Both ran without recording, at different times; or only the other one was computed for the loss, which is to say
    while the function was running that puts the loss together.
    """
    if op.at > other.at:
        return False
    if op.switch is not None and other.switch is not None:
        return op.switch != other.switch
    made = next((one for one in reversed(part.ops) if part.loss in one.outputs), None)
    place = next(iter(recording.stacks[made.stack]), None) if made is not None else None
    if place is None:
        return False
    old, new = (
        any((site.file, site.first_line) == (place.file, place.first_line) for site in recording.stacks[one.stack])
        for one in (op, other)
    )
    return new and not old


def is_target(case: Case, part: reach.Slice, cut: reach.Cut) -> bool:
    """Whether what lies behind a cut serves as a target: added to something, then compared with a prediction."""
    return next(targets_behind(case, part, cut), None) is not None


def targets_behind(case: Case, part: reach.Slice, cut: reach.Cut) -> Iterator[int]:
    """What lies behind a cut, was added to something, and is compared with a prediction."""
    values, summed = _followers(case.recording, part, cut)
    for op in part.ops:
        if op.name in DIFFERENCE and len(op.inputs) >= 2:
            for one, other in (op.inputs[:2], op.inputs[1::-1]):
                met = one in summed and other not in values and comes_from_variable(case, other)
                if met and not _only_summed(case, part, op):
                    yield one


def _only_summed(case: Case, part: reach.Slice, difference: Op) -> bool:
    """Whether a difference goes into the loss as it is, with other terms: then it is a sum of terms, and no error."""
    if "loss" in difference.name or difference.name == "squared_difference":
        return False
    after = set(difference.outputs)
    for op in part.ops:
        if op.at <= difference.at or not any(v in after for v in op.inputs):
            continue
        others = [v for v in op.inputs if v not in after]
        scales = op.name.strip("_") in ("mul", "rmul", "multiply") and bool(others)
        if scales and any(comes_from_variable(case, v) for v in others):
            return False
        if op.name not in _SUMS_UP and not scales:
            return False
        after.update(op.outputs)
    return part.loss in after


def is_compared(case: Case, part: reach.Slice, cut: reach.Cut, tape: int | None) -> bool:
    """Whether a stopped value goes straight into a difference whose other side is trained: it is what to move to.

    A codebook is drawn to what the encoder says, `mse_loss(codes, z.detach())`; the encoder learns by another way.
    """
    if cut.op.kind != "stop":
        return False
    if is_straight_through(case, part, cut, tape):
        return True
    meets = [op for op in part.ops if any(v in op.inputs for v in cut.op.outputs)]
    if not meets or any(op.name not in DIFFERENCE or len(op.inputs) < 2 for op in meets):
        return False
    arrived = reach.gradient_reach(case.recording, part, tape)
    sides = [v for op in meets for v in op.inputs[:2] if v not in cut.op.outputs]
    return bool(sides) and all(v in arrived and v in case.made_by and _learns(case, v, tape) for v in sides)


def _learns(case: Case, value: int, tape: int | None) -> bool:
    """Whether a gradient that arrives at a value goes on to a variable that somebody trains.

    A target network without a stop has a gradient, too, and nobody to apply it: what is held against it learns nothing.
    """
    recording = case.recording
    held = {v for optimizer in recording.optimizers.values() for v in optimizer.holds} | case.trained
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        made = case.made_by.get(number)
        known = recording.values.get(number)
        own = known is not None and known.variable is not None and (made is None or made.name != "captured")
        if own and known is not None and (known.variable in held or not held):
            return True
        for source in made.inputs if made is not None else ():
            if source not in seen and made is not None and reach.carries(recording, made, source, number, tape):
                seen.add(source)
                todo.append(source)
    return False


def is_straight_through(case: Case, part: reach.Slice, cut: reach.Cut, tape: int | None) -> bool:
    """`x + stop(f - x)`: forward it is `f`, backward it is `x`, which learns; that stop is there for `x`'s sake.

    So is the one of a parameter that a function with a gradient of its own is given beside `x`.
    """
    meets = [op for op in part.ops if any(v in op.inputs for v in cut.op.outputs)]
    if meets and cut.op.inputs[0] in case.content and all(op.detail == "custom_function" for op in meets):
        arrived = reach.gradient_reach(case.recording, part, tape)
        return all(any(v in arrived for v in op.inputs) for op in meets)
    made = case.made_by.get(cut.op.inputs[0]) if cut.op.inputs else None
    if made is None or made.name not in DIFFERENCE or not meets or any(op.name not in _SUM for op in meets):
        return False
    sides = {v for op in meets for v in op.inputs if v not in cut.op.outputs}
    return bool(sides) and sides <= set(made.inputs) & reach.gradient_reach(case.recording, part, tape)


def comes_from_variable(case: Case, value: int) -> bool:
    """Whether a value was computed from some variable, differentiably or not."""
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        known = case.recording.values.get(number)
        if known is not None and known.variable is not None:
            return True
        made = case.made_by.get(number)
        for source in made.inputs if made is not None else ():
            if source not in seen:
                seen.add(source)
                todo.append(source)
    return False


def feeds_copy(case: Case, part: reach.Slice, cut: reach.Cut) -> bool:
    """Whether what lies behind a cut is stored into another variable: a copy of weights, such as a target's sync."""
    if cut.op.kind == "discrete" and not any(case.recording.values[v].floating for v in cut.op.outputs):
        return False  # whole numbers are no weights: they say where something is written
    values, _ = _followers(case.recording, part, cut)
    return any(op.kind == "write" and any(v in values for v in op.inputs) for op in part.ops if op.at > cut.op.at)


def _followers(
    recording: Recording, part: reach.Slice, cut: reach.Cut, wall: Op | None = None
) -> tuple[set[int], set[int]]:
    """Values computed from what lies behind a cut, and those among them to which something was added.

    `wall`: another cut, behind which nothing is followed.
    """
    values = set(cut.op.outputs)
    summed: set[int] = set()
    for op in part.ops:
        if wall is not None and (op.name, op.stack) == (wall.name, wall.stack) and op.kind == "stop":
            continue
        if op.at > cut.op.at and any(v in values for v in op.inputs):
            others = [v for v in op.inputs if v not in values]
            values.update(op.outputs)
            adds = op.name in _SUM and not (others and all(_is_guard(recording, v) for v in others))
            if adds or any(v in summed for v in op.inputs):
                summed.update(op.outputs)
    return values, summed


def _is_guard(recording: Recording, value: int) -> bool:
    """A tiny number that keeps a logarithm or a root away from zero: no reward."""
    known = recording.values.get(value)
    numbers = known.numbers if known is not None else None
    return numbers is not None and numbers.size == 1 and 0 < abs(numbers.low) < _GUARD


_PRODUCT = frozenset({"mul", "__mul__", "__rmul__", "multiply"})


def advantages(case: Case, part: reach.Slice, cuts: list[reach.Cut], tape: int | None) -> list[reach.Cut]:
    """The cuts that only make a weight for a log-probability: `-log_prob * advantage.detach()`.

    There the stop is right; whoever is behind it needs a loss term of its own.
    """
    candidates = [cut for cut in cuts if cut.op.kind in ("stop", "leave") or cut.op.switch is not None]
    if not candidates:
        return []
    trained = leading_on(case, part, tape)
    return [cut for cut in candidates if only_weighs(case, part, cut, trained | _would_train(case, part, cuts, cut))]


def _would_train(case: Case, part: reach.Slice, cuts: list[reach.Cut], weight: reach.Cut) -> set[int]:
    """What would lead on to the same variables if it were not for another cut: a log-probability may be cut as well."""
    found: set[int] = set()
    for cut in cuts:
        if cut is not weight and cut.op.at > weight.op.at and cut.variables >= weight.variables:
            found |= _followers(case.recording, part, cut)[0]
    return found


def leading_on(case: Case, part: reach.Slice, tape: int | None, only: set[int] | None = None) -> set[int]:
    """Values through which the gradient of the loss gets to a variable: a log-probability of old data trains nobody.

    `only`: to one of these.
    """
    recording = case.recording
    arrived = reach.gradient_reach(recording, part, tape)
    found = {v for v in arrived if v in recording.values and recording.values[v].variable is not None}
    found = {v for v in found if only is None or recording.values[v].variable in only}
    for op in part.ops:
        for target in op.outputs:
            if target in arrived and any(
                v in found and reach.carries(recording, op, v, target, tape) for v in op.inputs
            ):
                found.add(target)
    return found


def only_weighs(case: Case, part: reach.Slice, cut: reach.Cut, trained: set[int]) -> bool:
    """Whether every way from the cut to the loss goes through a product with a log-probability that is trained.

    Or ends as what a trained prediction is held against: an importance weight is also a part of V-trace's targets.
    """
    landed: dict[int, list[int]] = {}
    for h in case.recording.handovers:
        landed.setdefault(h.left, []).extend(case.recording.ops[h.entered].outputs)
    values = {*cut.op.outputs, *landed.get(cut.op.at, ())}
    weighs = False
    for op in part.ops:
        if op.at <= cut.op.at or not any(v in values for v in op.inputs):
            continue
        values.update(landed.get(op.at, ()))  # `delta.detach().numpy()`: the stop comes first, and it is one way
        others = [v for v in op.inputs if v not in values]
        chances = [v for v in others if v in trained and is_log_probability(case.made_by, v)]
        if op.name in _PRODUCT and chances and not all(_one_for_many(case, op, v) for v in chances):
            weighs = True
            continue
        if op.name in DIFFERENCE and len(others) == 1 and others[0] in trained and case.made_by.get(others[0]):
            continue
        values.update(op.outputs)
    return weighs and part.loss not in values


def _one_for_many(case: Case, op: Op, value: int) -> bool:
    """Whether a product has one number for all that it multiplies: a scale; a log-probability has one for each row."""
    values = case.recording.values
    lengths, whole = values[value].shape, values[op.outputs[0]].shape
    return all(n == 1 for n in lengths) and any(n is not None and n > 1 for n in whole)


def is_log_probability(made_by: dict[int, Op], value: int, far: int = 8) -> bool:
    """Whether a value is a log-probability: a logarithm lies a few operations back."""
    for op in ops_behind(made_by, value, far + 1):
        name = op.name.lower()
        logarithm = name.startswith("log") and not name.startswith("logical")  # `logical_or` of a range check
        if logarithm or "logsumexp" in name or "cross_entropy" in name or name == "nll_loss":
            return True
    return False


def ops_behind(made_by: dict[int, Op], value: int, far: int) -> Iterator[Op]:
    """The operations that a value was made by, level by level, so many steps back."""
    level, seen = [value], {value}
    for _ in range(far):
        ops = [op for number in level if (op := made_by.get(number)) is not None]
        yield from ops
        level = [v for v in dict.fromkeys(v for op in ops for v in op.inputs) if v not in seen]
        seen.update(level)
