"""A network as an ONNX file. The graph is written here layer by layer, so it is the same on every framework."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import whygrad
from whygrad.interchange.graph import Graph, check_weights, free_name
from whygrad.interchange.onnx_layers import LAYERS, Feed
from whygrad.whole_file import whole_file

OPSET = 17
"""Old enough for runtimes of 2022, new enough for LayerNormalization."""
IR_VERSION = 8
"""The file format that belongs to it."""


def write_onnx(path: str | Path, graph: Graph, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a file with a network, whole."""
    data = onnx_bytes(graph, metadata)
    with whole_file(path) as file:
        file.write(data)


def onnx_bytes(graph: Graph, metadata: Mapping[str, Any] | None = None) -> bytes:
    """The bytes of the file. Inputs and outputs have a batch as their first axis and, as in Keras, channels last."""
    shapes = check_weights(graph)
    sheet = Sheet([node.name for node in graph.nodes if node.kind == "InputLayer"])
    inputs = []
    for node in graph.nodes:
        if node.kind == "InputLayer":
            sheet.tensors[node.name] = node.name
            inputs.append(_described(node.name, shapes[node.name]))
            continue
        feed = Feed(node, [sheet.tensors[name] for name in node.inputs], [shapes[name] for name in node.inputs])
        sheet.tensors[node.name] = LAYERS[node.kind](sheet, feed, shapes[node.name])
    outputs = []
    for n, name in enumerate(graph.outputs):
        last = sheet.free("output" if len(graph.outputs) == 1 else f"output_{n + 1}")
        sheet.nodes.append(helper.make_node("Identity", [sheet.tensors[name]], [last], name=last))
        outputs.append(_described(last, shapes[name]))
    by_name = {one.name: one for one in inputs}
    model = helper.make_model(
        helper.make_graph(
            sheet.used([one.name for one in outputs]), graph.name, [by_name[name] for name in graph.inputs], outputs,
            sheet.constants,
        ),
        producer_name="whygrad", producer_version=whygrad.__version__,
        opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION,
    )  # fmt: skip
    helper.set_model_props(model, {key: _text(value) for key, value in (metadata or {}).items()})
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString(deterministic=True))


class Sheet:
    """The ONNX nodes written so far."""

    def __init__(self, inputs: list[str]) -> None:
        self._inputs = inputs
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.tensors: dict[str, str] = {}
        """The tensor that holds what a layer gives."""
        self._turned: dict[tuple[str, tuple[int, ...]], str] = {}

    def add(self, operation: str, inputs: list[str], **attributes: Any) -> str:
        """One node more; the name of its output."""
        name = self.free(f"{operation}_{len(self.nodes)}")
        self.nodes.append(helper.make_node(operation, inputs, [name], name=name, **attributes))
        return name

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        """A tensor with fixed values."""
        name = self.free(f"constant_{len(self.constants)}")
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values, dtype), name))
        return name

    def free(self, name: str) -> str:
        """The name, or another where an input has it already."""
        return free_name(name, self._inputs)

    def turned(self, tensor: str, order: tuple[int, ...]) -> str:
        """A tensor with its axes in another order. Turning it there and back costs nothing: that is found here."""
        found = self._turned.get((tensor, order))
        if found is None:
            found = self.add("Transpose", [tensor], perm=list(order))
            self._turned[tensor, order] = found
            self._turned[found, tuple(int(n) for n in np.argsort(order))] = tensor
        return found

    def used(self, outputs: list[str]) -> list[Any]:
        """The nodes that outputs depend on, in order."""
        wanted, kept = set(outputs), []
        for node in reversed(self.nodes):
            if wanted.intersection(node.output):
                wanted.update(node.input)
                kept.append(node)
        return kept[::-1]


def _described(name: str, shape: tuple[int, ...]) -> Any:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
