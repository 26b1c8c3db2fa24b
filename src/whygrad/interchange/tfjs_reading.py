"""A TF.js layers model, from its model.json and the weights beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.graph import Graph, check_weights, shapes
from whygrad.interchange.topology import read_topology
from whygrad.interchange.weight_files import by_layer, read_weights


@dataclass(frozen=True, slots=True)
class Read:
    """A model, and what its file says about itself."""

    graph: Graph
    file: Path
    made_by: str
    metadata: dict[str, Any]
    """`userDefinedMetadata`, whatever the writer put there."""


def read_tfjs(path: str | Path) -> Read:
    """Read a model.json, or the one in a folder. `BadModel` says what is wrong with it."""
    file = Path(path)
    if file.is_dir():
        file = file / "model.json"
    if not file.is_file():
        raise BadModel(
            f"there is no file {str(file)!r}. Give the model.json that TF.js saved, or the folder it lies in."
        )
    found = _json(file)
    graph = read_topology(_topology(found, file))
    shapes(graph)  # what cannot be is said before any weights are read
    if not isinstance(found.get("weightsManifest"), list):
        raise BadModel(f"{str(file)!r} has no weightsManifest, so it says nothing about where its weights are.")
    names = [node.name for node in graph.nodes]
    weights = by_layer(read_weights(found["weightsManifest"], file.parent), names)
    graph = replace(graph, nodes=tuple(replace(node, weights=weights[node.name]) for node in graph.nodes))
    check_weights(graph)
    notes = found.get("userDefinedMetadata")
    made_by = str(found.get("convertedBy") or found.get("generatedBy") or "unknown")
    return Read(graph, file, made_by, notes if isinstance(notes, dict) else {})


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BadModel(f"{str(file)!r} is not JSON: {error}. Give the model.json that TF.js saved.") from error
    if not isinstance(found, dict):
        raise BadModel(f"{str(file)!r} should hold a JSON object, and holds a {type(found).__name__}.")
    return found


def _topology(found: dict[str, Any], file: Path) -> Any:
    topology = found.get("modelTopology")
    graph_model = isinstance(topology, dict) and "node" in topology
    if found.get("format") == "graph-model" or graph_model:
        raise BadModel(
            f"{str(file)!r} is a graph model, in which layers are no longer told apart. Save the layers model: "
            "model.save(…) in TF.js, or tensorflowjs_converter --output_format tfjs_layers_model."
        )
    if found.get("format") not in (None, "layers-model"):
        raise BadModel(f"{str(file)!r} has the format {found['format']!r}; 'layers-model' is needed.")
    if not isinstance(topology, dict):
        raise BadModel(f"{str(file)!r} has no modelTopology, so it is not a TF.js layers model.")
    return topology.get("model_config") or topology.get("modelConfig") or topology
