"""Terms of a loss that left the framework before they were added: `loss + 0.1 * penalty.item()`.

A number that is added moves the loss and no gradient. Told from numbers that are subtracted for what they do to the
value (a running mean, `loss - loss.item()`) by where they come from: variables that this very loss trains, since the
last step, by a term that no loss of its own trains on.
"""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.verdict import Verdict, judge
from whygrad.rules.updates.history import fresh_since


def added_numbers(case: Case, backward: Backward, sums: list[Op], live: list[int], trained: set[int]) -> list[Verdict]:
    """For each number that is added in one of these sums, where it left the framework."""
    recording = case.recording
    since = fresh_since(case, backward, trained)
    adds = {op.at for op in sums}
    found: list[Verdict] = []
    for handover in recording.handovers:
        left = recording.ops.get(handover.left)
        if handover.entered not in adds or left is None or left.at <= since or len(left.inputs) != 1:
            continue
        term = left.inputs[0]
        own = reach.backward_slice(recording, term, case.made_by, backward.at, reach.CERTAIN)
        read = {recording.values[v].variable for v in own.values} & trained
        behind = frozenset(v for v in read if v is not None)
        if not behind or any(value in own.values for value in live) or has_own_loss(case, left, backward):
            continue
        cut = reach.Cut(left, behind, True)
        verdict = judge(case, Missing(backward, behind, [cut], own), cut)
        verdict.idle = True
        found.append(verdict)
    return found


def has_own_loss(case: Case, left: Op, backward: Backward) -> bool:
    """Whether what left there is part of another loss, with a gradient of its own: its number is for showing."""
    for other in case.recording.backwards:
        if other.stack != backward.stack and other.loss in case.recording.values:
            part = case.slice(other, reach.CERTAIN)
            arrives = not part.values.isdisjoint(left.inputs)
            if arrives and not reach.gradient_reach(case.recording, part, other.tape).isdisjoint(left.inputs):
                return True
    return False
