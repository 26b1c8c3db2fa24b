"""Which cuts are meant: a bootstrap target is stopped on purpose, and is not what keeps a network from learning."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.recording import Recording

_DIFFERENCE = frozenset({
    "sub", "rsub", "__sub__", "__rsub__", "mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "subtract", "Sub",
    "SquaredDifference",
})  # fmt: skip
_SUM = frozenset({"add", "__add__", "__radd__", "Add", "AddV2", "addcmul", "add_"})


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
    ours, summed = _followers(part, cut)
    theirs, other_summed = _followers(part, other)
    for op in part.ops:
        if op.name in _DIFFERENCE and len(op.inputs) >= 2:
            left, right = op.inputs[0], op.inputs[1]
            apart = (left in ours and right in theirs) or (right in ours and left in theirs)
            mixed = left in ours and left in theirs
            if apart and not mixed:
                mine = left if left in ours else right
                yours = right if mine is left else left
                return mine in summed and yours not in other_summed
    return False


def _followers(part: reach.Slice, cut: reach.Cut) -> tuple[set[int], set[int]]:
    """Values computed from what lies behind a cut, and those among them to which something was added."""
    values = set(cut.op.outputs)
    summed: set[int] = set()
    for op in part.ops:
        if op.at > cut.op.at and any(v in values for v in op.inputs):
            values.update(op.outputs)
            if op.name in _SUM or any(v in summed for v in op.inputs):
                summed.update(op.outputs)
    return values, summed
