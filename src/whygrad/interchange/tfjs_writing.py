"""A network as a TF.js layers model: model.json and the weights beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import whygrad
from whygrad.interchange.graph import Graph, Node, check_weights
from whygrad.interchange.layer_shapes import Shape
from whygrad.interchange.tfjs_rewrites import in_tfjs_words
from whygrad.interchange.weight_files import written
from whygrad.whole_folder import write_folder

MODEL = "model.json"


def write_tfjs(
    path: str | Path, graph: Graph, metadata: Mapping[str, Any] | None = None, quantize: str | None = None
) -> dict[str, int]:
    """Write a folder with a model, whole. An earlier model there is replaced, nothing else is. Gives file sizes."""
    files = tfjs_files(graph, metadata, quantize)
    write_folder(path, files, of_a_model)
    return {name: len(data) for name, data in files.items()}


def of_a_model(name: str) -> bool:
    """Whether a file of this name is one that `write_tfjs` writes."""
    return name == MODEL or re.fullmatch(r"group\d+-shard\d+of\d+\.bin", name) is not None


def tfjs_files(
    graph: Graph, metadata: Mapping[str, Any] | None = None, quantize: str | None = None
) -> dict[str, bytes]:
    """The files of a model by name. `quantize` makes weights smaller: float16, uint16 or uint8."""
    check_weights(graph)
    graph = in_tfjs_words(graph)
    shapes = check_weights(graph)
    weights = {f"{node.name}/{role}": array for node in graph.nodes for role, array in node.weights.items()}
    manifest, files = written(weights, quantize)
    model = {
        "format": "layers-model",
        "generatedBy": f"whygrad {whygrad.__version__}",
        "convertedBy": None,
        "modelTopology": {"class_name": _kind(graph), "config": _config(graph, shapes), "keras_version": "2.15.0"},
        "userDefinedMetadata": dict(metadata or {}),
        "weightsManifest": manifest,
    }
    return {MODEL: json.dumps(model, allow_nan=False).encode(), **files}


def _kind(graph: Graph) -> str:
    return "Sequential" if graph.sequential else "Model"


def _config(graph: Graph, shapes: Mapping[str, Shape]) -> dict[str, Any]:
    layers = [_layer(node, shapes[node.name]) for node in graph.nodes]
    if graph.sequential:
        return {"name": graph.name, "layers": layers}
    for node, layer in zip(graph.nodes, layers, strict=True):
        layer["name"] = node.name
        layer["inbound_nodes"] = [[[source, 0, 0, {}] for source in node.inputs]] if node.inputs else []
    ends = {
        key: [[name, 0, 0] for name in names]
        for key, names in (("input_layers", graph.inputs), ("output_layers", graph.outputs))
    }
    return {"name": graph.name, "layers": layers, **ends}


def _layer(node: Node, shape: Shape) -> dict[str, Any]:
    settings = {key: value for key, value in node.settings.items() if key not in _NOT_IN_TFJS}
    config: dict[str, Any] = {"name": node.name, "trainable": True, "dtype": "float32", **settings}
    if node.kind == "InputLayer":
        config = {"name": node.name, "batch_input_shape": [None, *shape], "dtype": "float32", "sparse": False}
    elif node.kind == "Reshape":
        config["target_shape"] = list(shape)  # TF.js cannot go on after a -1
    elif node.kind == "LeakyReLU":
        config["alpha"] = config.pop("negative_slope")
    elif node.kind == "ReLU":
        config = {key: value for key, value in config.items() if key not in ("negative_slope", "threshold")}
    elif config.get("activation") == "silu":
        config["activation"] = "swish"
    return {"class_name": node.kind, "config": config}


_NOT_IN_TFJS = ("groups", "keepdims", "renorm", "rms_scaling")
