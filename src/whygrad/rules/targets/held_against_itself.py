"""A loss that holds what a network says against what the same network says, once with a gradient and once without.

Found by the numbers: the two are equal in every entry and every pass. A copy that stays behind (the reference of a
preference loss, an anchor) is equal before the first step alone. The ratio of an on-policy update is one as well, and
rightly: its slope is the policy's.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.compared_alone import equal_sides
from whygrad.rules.numbers.origin import base_name
from whygrad.rules.numbers.softmaxes import QUOTIENTS
from whygrad.rules.updates.history import applied_of

_PASSES = 8
_ENOUGH = 2


@asked_once
def held_against_itself(case: Case) -> list[tuple[int, int, set[int]]]:
    """For each such comparison: the side with a gradient, the side without, and the network's variables."""
    passes: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values:
            passes.setdefault(backward.stack, []).append(backward)
    found = []
    for same in passes.values():
        told: dict[int, list[tuple[int, int, set[int]]]] = {}
        looked = same[-_PASSES:]
        for backward in looked:
            for stack, sides in dict(_of_pass(case, backward)).items():
                told.setdefault(stack, []).append(sides)
        found += [sides[-1] for sides in told.values() if len(sides) >= max(_ENOUGH, len(looked))]
    return found


def _of_pass(case: Case, backward: Backward) -> Iterator[tuple[int, tuple[int, int, set[int]]]]:
    trained, values = applied_of(case, backward) or set(), case.recording.values
    ops = case.slice(backward).ops if trained else []
    for op in ops:
        network = equal_sides(case, op, backward) if op.carries else set()
        alive = [v for v in op.inputs if v in values and values[v].live]
        if network and network <= trained and len(alive) == 1 and not _is_ratio(op, ops):
            yield op.stack, (alive[0], next(v for v in op.inputs if v != alive[0]), network)


def _is_ratio(op: Op, ops: list[Op]) -> bool:
    """Whether an operation compares two probabilities by their quotient: `new / old`, `exp(new - old)`."""
    if base_name(op) in QUOTIENTS:
        return True
    users = [one for one in ops if any(v in op.outputs for v in one.inputs)]
    return bool(users) and all(base_name(one) == "exp" for one in users)
