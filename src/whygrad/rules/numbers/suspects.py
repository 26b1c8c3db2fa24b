"""Which operation made NaN after the last update that was traced: the one whose input was on its way to the edge.

A compiled training step shows nothing of its numbers. What it computes was seen in the traced updates, though, and few
operations can leave the numbers at all: a root or a logarithm at zero, a division by what becomes zero.
"""

from __future__ import annotations

from itertools import pairwise

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.numbers.origin import base_name, numbers_of
from whygrad.rules.targets.objective import objectives

_EDGE_AT_ZERO = frozenset({"sqrt", "rsqrt", "log", "log2", "log10", "reciprocal"})
_DIVIDES = frozenset({"truediv", "div", "divide", "true_divide", "realdiv", "real_div"})
_GUARDS = frozenset({
    "maximum", "max", "clip", "clip_by_value", "clamp", "softplus", "exp", "sigmoid", "softmax", "square", "abs",
})  # fmt: skip
"""What these make stays on its side of zero."""

_SEEN = 3


def on_its_way_out(case: Case, variables: frozenset[int]) -> Op | None:
    """The one operation of these variables' losses that comes nearer to its edge with each traced update, if one does.

    Where none does, the only one that has an edge and no guard; None where there are several.
    """
    tracks: dict[int, list[tuple[Op, float]]] = {}
    free: dict[int, Op] = {}
    for objective in objectives(case):
        mask = sum(objective.bits[v] for v in variables if v in objective.bits)
        written = _written_out(case, objective.part)
        for op in objective.part.ops:
            value = _critical(op)
            if value is None or op.stack not in written or not objective.live.get(value, 0) & mask:
                continue
            numbers, near = numbers_of(case, value), nearest_to_edge(case, op)
            if numbers is None or near is None or not numbers.finite or numbers.low <= 0 <= numbers.high:
                continue
            made = case.made_by.get(value)
            if made is not None and base_name(made) in _GUARDS:
                continue
            free[op.stack] = op
            tracks.setdefault(op.stack, []).append((op, near))
    leaving = [
        stack
        for stack, track in tracks.items()
        if len(track) >= _SEEN and all(near < far for (_, far), (_, near) in pairwise(track))
    ]
    named = leaving or list(free)
    return _last_like(case, free[named[0]]) if len(named) == 1 else None


def _last_like(case: Case, op: Op) -> Op:
    """The same operation of the program, the last time that its numbers were seen."""
    same = (o for o in case.recording.ops.values() if o.stack == op.stack and o.name == op.name)
    return max((o for o in same if nearest_to_edge(case, o) is not None), key=lambda o: o.at, default=op)


def nearest_to_edge(case: Case, op: Op) -> float | None:
    """How near to zero the input of an operation came."""
    numbers = numbers_of(case, _critical(op))
    return min(abs(numbers.low), abs(numbers.high)) if numbers is not None else None


def _critical(op: Op) -> int | None:
    """The input of an operation that must not become zero."""
    name = base_name(op)
    if name in _EDGE_AT_ZERO and op.inputs:
        return op.inputs[0]
    return op.inputs[1] if name in _DIVIDES and len(op.inputs) == 2 else None


def _written_out(case: Case, part: reach.Slice) -> set[int]:
    """Stacks at which one operation ran, as the program wrote it; a library guards what it divides by."""
    names: dict[int, set[str]] = {}
    for op in part.ops:
        if op.kind == "compute" and op.name != "read_value":
            names.setdefault(op.stack, set()).add(op.name)
    return {stack for stack, used in names.items() if len(used) == 1 and (s := case.site(stack)) is not None and s.own}
