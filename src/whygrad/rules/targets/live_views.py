"""Two views of one input, each predicted from the other with a gradient through both: SimSiam without its stop.

What tells it from networks that are to agree (two towers, contrastive pairs) is a layer more on one side only: a
prediction made from one view is held against the bare features of the other, and the other way round. Where negatives
keep the features apart, no stop is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SHAPING, Objective

_COMPARED = MINUS | PRODUCT | {"cosine_similarity", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"}
_AGAINST_OTHERS = frozenset({"logsumexp", "softmax", "log_softmax", "cross_entropy", "exp", "sort", "reduce_max"})


@dataclass(frozen=True, slots=True)
class LiveView:
    """Features that a prediction made from the other view is compared with, and where."""

    features: int
    compared: Op


def live_views(case: Case, objective: Objective) -> Iterator[LiveView]:
    """One for each of two views, if each is predicted from the other and both are alive."""
    for heads in _heads(case, objective).values():
        for (one, first), (other, second) in permutations(heads, 2):
            met = _met(case, objective, first, other, second)
            if met is not None and _met(case, objective, second, one, first) is not None:
                yield LiveView(other, met)


def _heads(case: Case, objective: Objective) -> dict[int, list[tuple[int, Op]]]:
    """By trained weight: the features of two views that it is applied to, each with the operation that does it."""
    found: dict[int, dict[int, Op]] = {}
    for op in objective.part.ops:
        weights = [case.content[v] for v in op.inputs if v in case.content] if op.name in CONTRACTS else []
        for weight in weights:
            for value in op.inputs:
                if value not in case.content and objective.live.get(value, 0) & objective.trained:
                    found.setdefault(weight, {}).setdefault(_before_shaping(case, value), op)
    trained = {weight: heads for weight, heads in found.items() if objective.bits.get(weight, 0) & objective.trained}
    return {weight: list(heads.items()) for weight, heads in trained.items() if len(heads) == 2}


def _before_shaping(case: Case, value: int) -> int:
    made = case.made_by.get(value)
    while made is not None and made.name in SHAPING and len(made.inputs) == 1:
        value, made = made.inputs[0], case.made_by.get(made.inputs[0])
    return value


def _met(case: Case, objective: Objective, head: Op, features: int, own_head: Op) -> Op | None:
    """Where the prediction that begins with a head is compared with the bare features of the other view."""
    predicted, bare, own = set(head.outputs), {features}, set(own_head.outputs)
    for op in objective.part.ops:
        layer = op.name in CONTRACTS or any(v in case.content for v in op.inputs)
        fresh = predicted.intersection(op.inputs) - bare, bare.intersection(op.inputs) - predicted - own
        if all(fresh) and op.name in _COMPARED and _agrees(objective, op):
            return op
        for kept in (predicted, own) if layer else (predicted, own, bare):
            if kept.intersection(op.inputs):
                kept.update(v for v in op.outputs if objective.live.get(v, 0))
    return None


def _agrees(objective: Objective, compared: Op) -> bool:
    """Whether the loss is what was compared, and no layer and no other pair comes between."""
    follow = set(compared.outputs)
    for op in objective.part.ops:
        if op.at > compared.at and follow.intersection(op.inputs):
            if op.name in CONTRACTS or op.name in _AGAINST_OTHERS:
                return False
            follow.update(op.outputs)
    return objective.part.loss in follow
