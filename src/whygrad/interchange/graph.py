"""A network as plain data: its layers, how they are connected, and their weights as NumPy arrays.

Settings are those of Keras 3, in its words; weights have the names that Keras 2 and TF.js give them. Images have their
channels last.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.layer_shapes import Shape, shape_after, weight_shapes


@dataclass(frozen=True, slots=True)
class Node:
    """One layer."""

    name: str
    kind: str
    """The name of its class in Keras."""
    settings: dict[str, Any]
    inputs: tuple[str, ...] = ()
    """The layers it is fed with."""
    weights: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graph:
    """A network. Each node comes after those it is fed with."""

    name: str
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sequential: bool = False
    """A single chain that was made, and is written, as Keras' Sequential."""

    @property
    def parameters(self) -> int:
        """Numbers in all weights."""
        return sum(int(array.size) for node in self.nodes for array in node.weights.values())


def shapes(graph: Graph) -> dict[str, Shape]:
    """The shape of what every layer gives, without the batch. `BadModel` where a layer cannot take what it is fed."""
    found: dict[str, Shape] = {}
    for node in graph.nodes:
        found[node.name] = shape_after(node.name, node.kind, node.settings, [found[name] for name in node.inputs])
    return found


def check_weights(graph: Graph) -> dict[str, Shape]:
    """That every layer has its weights, no others, and each in the shape it must have. Gives all shapes."""
    found = shapes(graph)
    for node in graph.nodes:
        wanted = weight_shapes(node.kind, node.settings, [found[name] for name in node.inputs])
        for role, shape in wanted.items():
            if role not in node.weights:
                raise BadModel(
                    f"the layer {node.name!r} ({node.kind}) has no weight {role!r}; it needs {_all(wanted)}."
                )
            given = node.weights[role].shape
            if given != shape:
                raise BadModel(
                    f"the weight {node.name + '/' + role!r} has the shape {list(given)}; a {node.kind} with these "
                    f"settings and inputs needs {list(shape)}."
                )
        extra = [role for role in node.weights if role not in wanted]
        if extra:
            raise BadModel(
                f"the layer {node.name!r} ({node.kind}) has a weight {extra[0]!r} that it has no use for; "
                f"it takes {_all(wanted)}."
            )
    return found


def in_order(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Nodes sorted so that each comes after those it is fed with."""
    waiting = {node.name: node for node in nodes}
    done: dict[str, Node] = {}
    while waiting:
        ready = [node for node in waiting.values() if all(name in done for name in node.inputs)]
        if not ready:
            name, node = next(iter(waiting.items()))
            missing = [source for source in node.inputs if source not in waiting and source not in done]
            why = f"there is no layer {missing[0]!r}" if missing else "its inputs lead round in a circle"
            raise BadModel(f"the layer {name!r} cannot be fed: {why}.")
        for node in ready:
            done[node.name] = waiting.pop(node.name)
    return tuple(done.values())


def free_name(name: str, taken: Container[str]) -> str:
    """A name that is not taken: this one, or with a number behind it."""
    found, n = name, 1
    while found in taken:
        n += 1
        found = f"{name}_{n}"
    return found


def _all(wanted: dict[str, Shape]) -> str:
    return ", ".join(wanted) or "none"
