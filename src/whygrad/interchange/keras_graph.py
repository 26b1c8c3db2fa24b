"""A Keras 3 model as a graph, and a graph as a Keras 3 model, on whatever framework Keras runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import keras
import numpy as np

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.graph import Graph, Node, check_weights, free_name, shapes
from whygrad.interchange.layer_kinds import FIXED
from whygrad.interchange.layer_shapes import Shape, weight_shapes
from whygrad.interchange.topology import read_topology


def graph_of(model: Any) -> Graph:
    """A Sequential or functional model as a graph. `BadModel` for others, and for layers that are not supported."""
    kind = type(model).__name__
    if kind not in ("Sequential", "Functional") or not type(model).__module__.startswith("keras."):
        raise BadModel(
            f"the network is a {kind}; only Sequential and functional Keras models say of which layers they consist. "
            "Build it as keras.Model(inputs, outputs)."
        )
    if not model.built:
        raise BadModel("the network has not been built: call it once, or begin it with keras.Input(shape).")
    graph = read_topology({"class_name": kind, "config": model.get_config()})
    given = shapes(graph)
    layers = {layer.name: layer for layer in model.layers}
    nodes = [replace(node, weights=_weights(layers.get(node.name), _roles(node, given))) for node in graph.nodes]
    graph = replace(graph, nodes=tuple(nodes))
    check_weights(graph)
    return graph


def model_of(graph: Graph) -> Any:
    """A Keras model with the weights of a graph."""
    given = check_weights(graph)
    made: dict[str, Any] = {}
    layers: dict[str, Any] = {}
    taken: set[str] = set()
    for node in graph.nodes:
        name = free_name(node.name.replace("/", "_"), taken)  # Keras 3 allows no slash
        taken.add(name)
        if node.kind == "InputLayer":
            made[node.name] = keras.Input(tuple(node.settings["shape"]), name=name, dtype="float32")
            continue
        inputs = [made[source] for source in node.inputs]
        if node.kind == "Mean":
            made[node.name] = keras.ops.mean(inputs[0], axis=-1, keepdims=node.settings["keepdims"])
            continue
        layer = layers[node.name] = _layer(node, name)
        try:
            made[node.name] = layer(inputs if len(inputs) > 1 else inputs[0])
        except Exception as error:
            raise _refused(node, error) from error
        layer.set_weights([node.weights[role] for role in _roles(node, given)])
    name = graph.name.replace("/", "_")
    if graph.sequential:
        return keras.Sequential([made[graph.inputs[0]], *layers.values()], name=name)
    ends = [[made[end] for end in ends] for ends in (graph.inputs, graph.outputs)]
    return keras.Model(*(end if len(end) > 1 else end[0] for end in ends), name=name)


def _layer(node: Node, name: str) -> Any:
    settings = {key: value for key, value in node.settings.items() if key not in FIXED or key == "data_format"}
    try:
        return getattr(keras.layers, node.kind)(name=name, dtype="float32", **settings)
    except Exception as error:
        raise _refused(node, error) from error


def _refused(node: Node, error: Exception) -> BadModel:
    said = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return BadModel(f"Keras cannot make the layer {node.name!r} ({node.kind}): {said}")


def _roles(node: Node, given: dict[str, Shape]) -> list[str]:
    return list(weight_shapes(node.kind, node.settings, [given[source] for source in node.inputs]))


def _weights(layer: Any, roles: list[str]) -> dict[str, np.ndarray]:
    """By their order, which is the same in Keras 2, Keras 3 and TF.js; some names differ."""
    arrays = [] if layer is None else layer.get_weights()
    return dict(zip(roles, (np.asarray(array, np.float32) for array in arrays), strict=True))
