"""What TF.js has no layer for, said with layers that it has. The network computes the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.graph import Graph, Node, free_name, shapes


def in_tfjs_words(graph: Graph) -> Graph:
    """The same network in layers of TF.js; `BadModel` where there are none."""
    found = shapes(graph)
    taken = set(found)
    nodes: list[Node] = []
    for node in graph.nodes:
        lacking = _lacking(node)
        if lacking:
            raise BadModel(f"the layer {node.name!r} ({node.kind}) has {lacking}")
        if node.settings.get("activation") == "leaky_relu":
            nodes += _with_leaky_relu(node, taken)
        elif node.kind == "Mean":
            nodes.append(_linear(node.name, node.inputs[0], _means(found[node.inputs[0]][-1])))
        elif node.kind == "Subtract":
            nodes += _difference(node, found[node.inputs[1]][-1], taken)
        else:
            nodes.append(node)
    chain = graph.sequential and len(nodes) == len(graph.nodes)
    return replace(graph, nodes=tuple(nodes), sequential=chain)


def _lacking(node: Node) -> str | None:
    """What a layer wants that TF.js does not have, and what to do instead."""
    settings = node.settings
    if settings.get("activation") == "exponential":
        return "the activation 'exponential', which TF.js does not have."
    if node.kind == "ReLU" and (settings["negative_slope"] or settings["threshold"]):
        return "a slope or a threshold; TF.js knows only max_value. Use LeakyReLU."
    if node.kind == "ELU" and settings["alpha"] != 1:
        return f"alpha={settings['alpha']}; TF.js knows only 1."
    if settings.get("padding") == "causal":
        return "padding='causal', which TF.js does not have. Use 'same' or 'valid'."
    if node.kind == "Mean" and not settings["keepdims"]:
        return "keepdims=False, and TF.js has no layer that drops an axis. Use keepdims=True."
    return None


def _with_leaky_relu(node: Node, taken: set[str]) -> list[Node]:
    """TF.js has it as a layer only. The layer before takes another name, so that what follows finds this one."""
    name = free_name(f"{node.name}_before", taken)
    before = replace(node, name=name, settings={**node.settings, "activation": "linear"})
    return [before, Node(node.name, "LeakyReLU", {"negative_slope": 0.2}, (before.name,))]


def _means(width: int) -> np.ndarray:
    """A Dense layer whose weights are all 1/n gives the mean."""
    return np.full((width, 1), 1.0 / width)


def _difference(node: Node, width: int, taken: set[str]) -> list[Node]:
    """One plus the negative of the other."""
    left, right = node.inputs
    negative = _linear(free_name(f"{node.name}_negative", taken), right, -np.eye(width))
    return [negative, Node(node.name, "Add", {}, (left, negative.name))]


def _linear(name: str, source: str, kernel: np.ndarray) -> Node:
    settings = {"units": kernel.shape[1], "activation": "linear", "use_bias": False}
    return Node(name, "Dense", settings, (source,), {"kernel": kernel.astype(np.float32)})
