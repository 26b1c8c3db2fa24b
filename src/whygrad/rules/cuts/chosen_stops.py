"""Choices of which the stopped side is taken, for every entry and in every pass: `where(good, stop_gradient(x), x)`.

A gradient arrives there, and it is zero: the side that would carry it is never taken. What stops it is the other side.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.verdict import Verdict, judge
from whygrad.rules.targets.objective import SHAPING

_PASSES = 8
_ENOUGH = 2
_CHOICES = frozenset({"where", "select", "select_v2", "select_n"})


@asked_once
def chosen_stops(case: Case) -> dict[int, Verdict]:
    """For each such choice, by its stack, the stop that stands in its way."""
    passes: dict[int, list[Backward]] = {}
    for backward in case.recording.backwards:
        if not backward.implicit and not backward.error and backward.loss in case.recording.values and backward.got:
            passes.setdefault(backward.stack, []).append(backward)
    found: dict[int, Verdict] = {}
    for same in passes.values():
        told: dict[int, list[Verdict | None]] = {}
        for backward in same[-_PASSES:]:
            for op in case.slice(backward, reach.CERTAIN).ops:
                if op.name.lower() in _CHOICES:
                    told.setdefault(op.stack, []).append(_stopped(case, backward, op))
        for stack, verdicts in told.items():
            known = [v for v in verdicts if v is not None]
            if len(known) == len(verdicts) >= _ENOUGH:
                found.setdefault(stack, known[0])
    return found


def _stopped(case: Case, backward: Backward, op: Op) -> Verdict | None:
    """The stop of what is taken, where the side that is not taken would give the very same variables a gradient."""
    values = case.recording.values
    taken = [v for v in op.inputs if v not in op.flat and v in values and values[v].floating]
    if not op.flat or len(taken) != 1:
        return None
    made = case.made_by.get(taken[0])
    while made is not None and made.kind != "stop" and made.name in SHAPING and made.inputs:
        made = case.made_by.get(made.inputs[0])
    if made is None or made.kind != "stop":
        return None
    lost = {v for source in op.flat for v in _behind(case, source, backward, live=True)} & set(backward.got)
    if not lost or not lost <= _behind(case, made.inputs[0], backward, live=False):
        return None
    part = case.slice(backward, reach.CERTAIN)
    cut = reach.Cut(made, frozenset(lost), True)
    verdict = judge(case, Missing(backward, frozenset(lost), [cut], part), cut)
    gradients = [backward.gradients[v] for v in lost if v in backward.gradients]
    verdict.idle = any(not numbers.all_zero for numbers in gradients)  # another term of the loss trains them
    return verdict


def _behind(case: Case, value: int, backward: Backward, live: bool) -> set[int]:
    part = reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN)
    values = reach.gradient_reach(case.recording, part, backward.tape) if live else {*part.values, value}
    return {case.content[n] for n in values if n in case.content}
