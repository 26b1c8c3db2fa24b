"""Weights of a log-probability that carry a gradient: an advantage that was not stopped."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.rules.batches.bootstrapped_weights import bootstrapped
from whygrad.rules.batches.densities import is_density
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import is_log_probability
from whygrad.rules.numbers.softmaxes import is_chance
from whygrad.rules.targets.objective import CONTRACTS, MINUS, PRODUCT, SHAPING, SUM, Objective, size

WEIGHT_WAY = SHAPING | SUM | MINUS | PRODUCT | frozenset({
    "div", "truediv", "__truediv__", "clamp", "clip", "clip_by_value", "neg", "negative", "__neg__", "tanh", "where",
    "minimum", "maximum", "real_div", "abs", "reduce_sum", "sum", "squared_difference", "pow", "__pow__", "square",
    "clamp_max", "clamp_min", "exp", "min", "max", "softplus", "relu", "softmax", "row of xs", "select_n",
})  # fmt: skip
_STEPS = 40


@dataclass(frozen=True, slots=True)
class LiveWeight:
    """A product of a log-probability with a weight that is alive."""

    product: Op
    weight: int
    meant: bool
    """TensorFlow: policy and value share a body, and the value has a term of its own, as in Keras' own example."""
    enters: Op | None
    """The difference that the weight is made of, if that is computed on before the product, and is for it alone."""


def live_weights(case: Case, objective: Objective) -> Iterator[LiveWeight]:
    """One for each set of variables: PPO weighs the same advantage twice."""
    leaks: set[int] = set()
    for op in objective.part.ops:
        if op.name not in PRODUCT or len(op.inputs) != 2 or not any(v in objective.reached for v in op.outputs):
            continue
        for chance, weight in (op.inputs, op.inputs[::-1]):
            ours = objective.live.get(chance, 0) & objective.trained
            theirs = objective.live.get(weight, 0) & objective.trained
            if not ours or not theirs or theirs in leaks:
                continue
            if not is_log_probability(case.made_by, chance) and not is_density(case, chance):
                continue
            if is_chance(case, chance):
                continue  # the mean over all actions, which is differentiated as it is: nothing was sampled
            if _entries(case, chance) == 1 < _entries(case, weight):
                continue  # a coefficient of all rows
            own_heads = ours & ~theirs and theirs & ~ours
            value = _estimate(case, objective, weight) if own_heads else None
            if value is not None or (not own_heads and _is_judged(case, objective, weight)):
                leaks.add(theirs)
                shared = bool(ours & theirs) and case.recording.framework == "tensorflow"
                shared = shared and value is not None and _has_own_term(case, objective, value)
                shared = shared and not bootstrapped(case, objective, weight, theirs & ~ours)
                enters = _enters(case, objective, weight, op) if value is not None else None
                yield LiveWeight(op, weight, shared, enters)
                break


def _enters(case: Case, objective: Objective, weight: int, product: Op) -> Op | None:
    """The difference that a weight is made of, where it is computed on, on a line of its own, before it weighs.

    Normalised, or used in several products, it is a name of its own, that stands for the advantage from there on: it is
    to be stopped where it is made. What goes into one product as it is, or into another term of the loss, is to be
    stopped in the product.
    """
    todo, seen, between = [weight], {weight}, set[tuple[str, int] | None]()
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop(0))
        if op is None or op.kind != "compute":
            continue
        if _is_difference(case, op):
            between -= {_line(case, one, product) for one in (op, product)}
            stands_alone = between or _weighs_twice(case, objective, op.outputs[0])
            return op if stands_alone and not _has_own_term(case, objective, op.outputs[0]) else None
        if op.name not in SHAPING:
            between.add(_line(case, op, product))
        fresh = [v for v in op.inputs if v not in seen and objective.live.get(v, 0)]
        seen.update(fresh)
        todo.extend(fresh)
    return None


def _weighs_twice(case: Case, objective: Objective, weight: int) -> bool:
    """Whether several lines weigh with it: the surrogate of PPO, and its clipped form."""
    lines = {op.stack for op in objective.part.ops if op.name in PRODUCT and weight in op.inputs}
    return len(lines) > 1


def _is_difference(case: Case, op: Op) -> bool:
    """Of two things with a number for each row, neither made of the other: not a distance to its own mean."""
    if op.name not in MINUS or len(op.inputs) != 2 or any(size(case, v) == 1 for v in op.inputs):
        return False
    one, other = op.inputs
    return not case.is_made_of(one, (other,), _STEPS) and not case.is_made_of(other, (one,), _STEPS)


def _line(case: Case, op: Op, product: Op) -> tuple[str, int] | None:
    site = case.seen_from(op.stack, product.stack)
    return (site.file, site.line) if site is not None else None


def _estimate(case: Case, objective: Objective, weight: int) -> int | None:
    """The prediction in a weight that is data less (or plus) a prediction with a gradient, one number for each row."""
    todo, seen = [(weight, _all_rows(case, weight) == 1)], {weight}
    while todo and len(seen) < _STEPS:
        number, small = todo.pop()
        op = case.made_by.get(number)
        if op is None or op.kind != "compute" or op.name not in WEIGHT_WAY:
            continue
        # The steps of a rollout, each a number of its own, are stacked to one weight.
        small = small or (op.name == "stack" and all(size(case, v) == 1 for v in op.inputs))
        if op.name in SUM or op.name in MINUS:
            alive = [v for v in op.inputs if objective.live.get(v, 0) & objective.trained]
            data = [v for v in op.inputs if v not in alive and v not in case.content]
            if alive and any(small or _entries(case, v) > 1 for v in data):
                return alive[0]
            if alive and small and len(op.inputs) == 1:
                return alive[0]
        fresh = [v for v in op.inputs if v not in seen and objective.live.get(v, 0)]
        seen.update(fresh)
        todo.extend((v, small) for v in fresh)
    return None


def _entries(case: Case, value: int) -> int:
    """How many entries a value had before it was spread over the rows."""
    fewest, made = _all_rows(case, value), case.made_by.get(value)
    while made is not None and made.name in SHAPING and len(made.inputs) == 1:
        fewest, made = min(fewest, _all_rows(case, made.inputs[0])), case.made_by.get(made.inputs[0])
    return fewest


def _all_rows(case: Case, value: int) -> int:
    """How many entries a value has, those of all rows where it is made row by row (`vmap`)."""
    known = case.recording.values[value]
    return math.prod(length or 0 for length in (known.shape if known.mapped is None else known.mapped))


def _has_own_term(case: Case, objective: Objective, value: int) -> bool:
    """Whether an estimate reaches the loss beside the log-probabilities that it weighs: by a value loss of its own."""
    follow = {value}
    for op in objective.part.ops:
        if not op.carries or not any(v in follow for v in op.inputs):
            continue
        others = [v for v in op.inputs if v not in follow]
        if op.name in PRODUCT and any(objective.live.get(v, 0) and is_log_probability(case.made_by, v) for v in others):
            continue
        follow.update(op.outputs)
    return objective.part.loss in follow


def _is_judged(case: Case, objective: Objective, weight: int) -> bool:
    """Whether a weight is what a network that is not trained here says of something that carries the gradient."""
    todo, seen = [weight], {weight}
    while todo and len(seen) < _STEPS:
        op = case.made_by.get(todo.pop())
        if op is None or op.kind != "compute":
            continue
        if op.name in CONTRACTS:
            read = [objective.read[v] for v in op.inputs if v in case.content]
            judges = bool(read) and not any(mask & objective.trained for mask in read)
            return judges and not any(_left_out(case, objective, mask) for mask in read)
        if op.name in WEIGHT_WAY:
            fresh = [v for v in op.inputs if v not in seen and objective.live.get(v, 0)]
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _left_out(case: Case, objective: Objective, mask: int) -> bool:
    """Whether a layer is not trained because it was forgotten among those of its network: W201 says that."""
    trained = {case.variable(v).network for v in objective.variables(objective.trained)}
    return any(v in case.unheld and case.variable(v).network in trained for v in objective.variables(mask))
