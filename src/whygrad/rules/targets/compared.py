"""Two networks that one loss compares, and that it both moves: what should stand still goes to meet the other.

A loss that compares a predictor with a fixed random network is smallest where both say the same. It ties neither of
them to data; applied to both it teaches nothing. A network that some other term or loss ties to data may well be pulled
towards another one on purpose, and is left in peace here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE
from whygrad.rules.cuts.roles import LINEAR
from whygrad.rules.targets.objective import Objective, objectives, size

_COMPARES = DIFFERENCE | frozenset({"kl_div", "cosine_similarity", "cosine_embedding_loss"})
_MEASURES = LINEAR | frozenset({"pow", "__pow__", "square", "abs", "norm", "sqrt", "linalg_norm", "linalg_vector_norm"})


@dataclass(slots=True)
class Compared:
    """A loss, the network that should stand still, and the one that is to follow it."""

    backward: Backward
    still: frozenset[int]
    follows: frozenset[int]


def compared(case: Case) -> Iterator[Compared]:
    """PyTorch: losses that move both networks that they compare. Of each loss the first pass."""
    if case.recording.framework != "torch":
        return
    seen: set[int] = set()
    for objective in objectives(case):
        if objective.backward.stack in seen:
            continue
        seen.add(objective.backward.stack)
        for op in objective.part.ops:
            found = _both_moved(case, objective, op)
            if found is not None:
                yield found
                break


def _both_moved(case: Case, objective: Objective, op: Op) -> Compared | None:
    if op.name not in _COMPARES or len(op.inputs) < 2 or not any(v in objective.reached for v in op.outputs):
        return None
    left, right = op.inputs[:2]
    ours, theirs = (objective.live.get(v, 0) & objective.trained for v in (left, right))
    if not ours or not theirs or ours & theirs or size(case, left) != size(case, right) or size(case, left) < 2:
        return None
    if not _is_measured(case, objective, op):
        return None
    tied = _reached_without(case, objective, op)
    loose = not (ours | theirs) & tied
    still, follows = objective.variables(theirs), objective.variables(ours)
    networks = all(case.variable(v).model for v in still | follows)  # two plain parameters may well have to meet
    if loose and networks and not _trained_elsewhere(case, objective, still | follows):
        return Compared(objective.backward, still, follows)
    return None


def _is_measured(case: Case, objective: Objective, op: Op) -> bool:
    """Whether the difference is made small by itself, and does not go on to be compared with data."""
    follow = set(op.outputs)
    measured = op.name not in LINEAR  # a bare difference has no smallest value: that is two terms of a loss
    for one in objective.part.ops:
        if one.at <= op.at or not any(v in follow for v in one.inputs):
            continue
        if not any(v in objective.reached for v in one.outputs):
            continue  # a bonus, a line in a log: no gradient comes that way
        others = [v for v in one.inputs if v not in follow and size(case, v) > 1]
        if others or one.name not in _MEASURES:
            return False
        measured = measured or one.name not in LINEAR
        follow.update(one.outputs)
    return measured and objective.part.loss in follow


def _reached_without(case: Case, objective: Objective, op: Op) -> int:
    """The variables that the gradient of the loss arrives at other than through this comparison."""
    reached, found = {objective.part.loss}, 0
    for one in reversed(objective.part.ops):
        if one is op:
            continue
        for target in one.outputs:
            if target in reached:
                reached.update(
                    v for v in one.inputs if reach.carries(case.recording, one, v, target, objective.backward.tape)
                )
    for value in reached:
        variable = case.content.get(value)
        found |= objective.bits.get(variable, 0) if variable is not None else 0
    return found


def _trained_elsewhere(case: Case, objective: Objective, members: frozenset[int]) -> bool:
    return any(b.got & members and b.stack != objective.backward.stack for b in case.recording.backwards)
