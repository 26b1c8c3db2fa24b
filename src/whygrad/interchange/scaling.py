"""Layers in front of a network that scale its observations as the training did, so that it can be fed with raw ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from whygrad.interchange.graph import Graph, Node, free_name


def with_scaled_input(graph: Graph, name: str, mean: Any, deviation: Any, limit: float) -> Graph:
    """The graph with its input `name` cut to ±limit after (x − mean) / deviation.

    These layers exist in every format: a BatchNormalization along a flat axis scales and adds the limit, a ReLU with a
    largest value cuts both ends, a second BatchNormalization takes the limit away again.
    """
    entry = next(node for node in graph.nodes if node.name == name)
    shape = entry.settings["shape"]
    flat = np.ravel(np.asarray(mean, np.float64)), np.ravel(np.asarray(deviation, np.float64))
    size = len(flat[0])
    up = _norm("scale_up", flat[0], flat[1] ** 2, np.full(size, limit))
    down = _norm("scale_down", np.full(size, limit), np.ones(size), np.zeros(size))
    layers = [
        Node(f"{name}_flat", "Reshape", {"target_shape": [size]}),
        replace(up, name=f"{name}_scaled"),
        Node(f"{name}_cut", "ReLU", {"max_value": 2 * limit, "negative_slope": 0.0, "threshold": 0.0}),
        replace(down, name=f"{name}_centred"),
        Node(f"{name}_whole", "Reshape", {"target_shape": list(shape)}),
    ]
    before = name
    taken = [node.name for node in graph.nodes]
    chain = []
    for layer in layers:
        chain.append(replace(layer, name=free_name(layer.name, taken), inputs=(before,)))
        before = chain[-1].name
    nodes: list[Node] = []
    for node in graph.nodes:
        nodes.append(replace(node, inputs=tuple(before if source == name else source for source in node.inputs)))
        nodes += chain if node is entry else []
    return replace(graph, nodes=tuple(nodes))


def _norm(name: str, mean: np.ndarray, variance: np.ndarray, beta: np.ndarray) -> Node:
    settings = {"axis": -1, "momentum": 0.99, "epsilon": 0.0, "center": True, "scale": True, "renorm": False}
    values = {"gamma": np.ones(len(mean)), "beta": beta, "moving_mean": mean, "moving_variance": variance}
    return Node(name, "BatchNormalization", settings, (), {k: v.astype(np.float32) for k, v in values.items()})
