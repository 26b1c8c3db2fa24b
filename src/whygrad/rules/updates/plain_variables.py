"""JAX: the weights of a layer that are a plain `nnx.Variable` or array, where its bias is an `nnx.Param` and learns.

A variable that is no parameter may be a statistic, a table, a random projection. But what is drawn at random and
multiplied with the input, and has a trained bias of the same layer added to the product, is the weight of that layer.
"""

from __future__ import annotations

from collections.abc import Iterator

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
        if drawn(case, layer) and _has_trained_bias(case, layer):
            stack = case.stack(layer.created)
            inside = (site for site in stack if site.function == f"{layer.keeper}.__init__")
            found.setdefault(next(inside, next(iter(stack), None)), []).append(layer)
    for where, layers in found.items():
        keeper = layers[0].keeper
        names = tuple(layer.name for layer in layers)
        told = f"`{names[0]}` is no parameter"
        if len(names) > 1:
            told = f"`{names[0]}` and {len(names) - 1} more are no parameters"
        yield Finding(
            code="W203", rule="unregistered", severity="warning",
            message=f"{told}: the bias of `{keeper}` learns, and its weight does not",
            why="Flax differentiates and updates what is an nnx.Param. A plain array or nnx.Variable is kept as it is: "
            "it has the random values that it was made with, in every update.",
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


def _has_trained_bias(case: Case, layer: HiddenLayer) -> bool:
    """Whether a parameter of the same layer is added to a product with the weight, and learns."""
    tree = layer.name.rpartition(".")[0]
    own = {v for v in case.trained if case.variable(v).name.rpartition(".")[0] == tree}
    backward = next((b for b in case.recording.backwards if layer.values & case.slice(b).values), None)
    products: set[int] = set(layer.values)
    multiplied: set[int] = set()
    for op in case.slice(backward).ops if backward is not None and own else ():
        if op.name in CONTRACTS and any(v in products for v in op.inputs):
            multiplied.update(op.outputs)
        elif _hands_on(op, products):
            products.update(op.outputs)
        elif _hands_on(op, multiplied):
            multiplied.update(op.outputs)
        elif op.name in SUM and any(v in multiplied for v in op.inputs):
            return any(case.content.get(v) in own for v in _behind(case, op))
    return False


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
