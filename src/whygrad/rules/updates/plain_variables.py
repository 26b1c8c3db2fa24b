"""JAX: one half of a layer is a plain `nnx.Variable` or array, where the other is an `nnx.Param` and learns.

A variable that is no parameter may be a statistic, a table, a random projection. But what is drawn at random and
multiplied with the input, and has a trained bias of the same layer added to the product, is the weight of that layer;
and a row of equal numbers that is added to the product with a trained weight of the same layer is its bias. A table of
random numbers that is added to what a trained layer makes (positions, queries) is there to learn as well: one that is
meant to stay follows a formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.variables import HiddenLayer
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.targets.objective import CONTRACTS, SHAPING, SUM

PLACE = "plain variable"
_DRAWN = ("rand", "normal", "uniform", "threefry", "truncated_normal")
_FAR = 24


def plain_variables(case: Case) -> Iterator[Finding]:
    """One finding for each line that makes such weights."""
    found: dict[Site | None, list[HiddenLayer]] = {}
    for layer in case.recording.hidden:
        # What is written again while it trains has other content at the next look: a statistic, a fast weight.
        looks = [one for one in case.recording.hidden if one.name == layer.name]
        if layer.place != PLACE or len(looks) > 1 or any(v in case.content for v in layer.values):
            continue
        if _is_weight(case, layer) or _is_bias(case, layer) or _is_table(case, layer):
            stack = case.stack(layer.created)
            inside = (site for site in stack if site.function == f"{layer.keeper}.__init__")
            found.setdefault(next(inside, next(iter(stack), None)), []).append(layer)
    for where, layers in found.items():
        keeper = layers[0].keeper
        bias = _is_row(case, layers[0])
        learns, stays = ("weight", "bias") if bias else ("bias", "weight")
        halves = f"the {learns} of `{keeper}` learns, and its {stays} does not"
        if not bias and not _is_weight(case, layers[0]):
            halves = f"the layers of `{keeper}` learn, and this table, which is added to what they make, does not"
        names = tuple(layer.name for layer in layers)
        told = f"`{names[0]}` is no parameter"
        if len(names) > 1:
            told = f"`{names[0]}` and {len(names) - 1} more are no parameters"
        yield Finding(
            code="W203", rule="unregistered", severity="warning",
            message=f"{told}: {halves}",
            why="Flax differentiates and updates what is an nnx.Param. A plain array or nnx.Variable is kept as it is: "
            f"it has the {'first' if bias else 'random'} values that it was made with, in every update.",
            fix="make it a parameter: nnx.Param(…) around the first values",
            variables=names, where=where, label="no parameter", path=stations((where, "creation", "made here")),
        )  # fmt: skip


def drawn(case: Case, layer: HiddenLayer) -> bool:
    """Whether the weight was made of random numbers."""
    todo, seen = list(layer.values), set(layer.values)
    while todo and len(seen) < _FAR:
        made = case.made_by.get(todo.pop())
        if made is not None and made.name.startswith(_DRAWN):
            return True
        fresh = [v for v in made.inputs if v not in seen] if made is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _is_row(case: Case, layer: HiddenLayer) -> bool:
    return all(len(case.recording.values[v].shape) == 1 for v in layer.values)


def _is_weight(case: Case, layer: HiddenLayer) -> bool:
    """Whether a parameter of the same layer is added to a product with these random numbers, and learns."""
    if _is_row(case, layer) or not drawn(case, layer):
        return False
    own = _beside(case, layer)
    return any(own & {case.content.get(v) for v in _behind(case, op)} for op in _sums(case, layer, layer.values))


def _is_bias(case: Case, layer: HiddenLayer) -> bool:
    """Whether these equal numbers are added to a product with a parameter of the same layer, which learns."""
    known = [case.recording.values[v].numbers for v in layer.values]
    if not _is_row(case, layer) or not all(one is not None and one.low == one.high for one in known):
        return False
    own = _beside(case, layer)
    matrices = {v for v, variable in case.content.items() if variable in own and len(case.variable(variable).shape) > 1}
    return any(layer.values & _behind(case, op) for op in _sums(case, layer, matrices))


def _is_table(case: Case, layer: HiddenLayer) -> bool:
    """Whether these random numbers are added to what a trained layer of the same model makes."""
    tree = layer.name.rpartition(".")[0]
    own = {v for v in case.trained if case.variable(v).name.startswith(f"{tree}.")}
    if _is_row(case, layer) or not own or not drawn(case, layer):
        return False
    backward = next((b for b in case.recording.backwards if layer.values & case.slice(b).values), None)
    part = case.slice(backward) if backward is not None else None
    live: set[int] = set()
    for op in part.ops if part is not None else ():
        if op.name in SUM and layer.values & _behind(case, op) and any(v in live for v in op.inputs):
            return True
        if any(v in live or case.content.get(v) in own for v in op.inputs):
            live.update(op.outputs)
    return False


def _beside(case: Case, layer: HiddenLayer) -> set[int]:
    """What learns in the same layer."""
    tree = layer.name.rpartition(".")[0]
    return {v for v in case.trained if case.variable(v).name.rpartition(".")[0] == tree}


def _sums(case: Case, layer: HiddenLayer, weights: Iterable[int]) -> Iterator[Op]:
    """Where something is added to a product with one of the weights, in the first loss that the layer is used for."""
    backward = next((b for b in case.recording.backwards if layer.values & case.slice(b).values), None)
    factors: set[int] = set(weights)
    multiplied: set[int] = set()
    for op in case.slice(backward).ops if backward is not None else ():
        if op.name in CONTRACTS and any(v in factors for v in op.inputs):
            multiplied.update(op.outputs)
        elif _hands_on(op, factors):
            factors.update(op.outputs)
        elif _hands_on(op, multiplied):
            multiplied.update(op.outputs)
        elif op.name in SUM and any(v in multiplied for v in op.inputs):
            yield op


def _hands_on(op: Op, values: set[int]) -> bool:
    return (op.name in SHAPING or op.name in ("captured", "copy")) and any(v in values for v in op.inputs)


def _behind(case: Case, op: Op) -> set[int]:
    """What is added, and what that was before it took the shape of the rest."""
    found = set(op.inputs)
    for value in op.inputs:
        made = case.made_by.get(value)
        while made is not None and made.name in SHAPING and len(made.inputs) == 1 and made.inputs[0] not in found:
            found.add(made.inputs[0])
            made = case.made_by.get(made.inputs[0])
    return found
