"""From the JSON that describes a network's layers to a graph without weights.

Three dialects are read: that of Keras 2, which TF.js writes; the same with names in camelCase, as TF.js has them
inside; and that of Keras 3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from whygrad.interchange.bad_model import BadModel
from whygrad.interchange.graph import Graph, Node, in_order
from whygrad.interchange.layer_kinds import settings_of

_CHAINS = ("Sequential",)
_WEBS = ("Model", "Functional")


def read_topology(found: Any) -> Graph:
    """The graph of `{"class_name": …, "config": …}`."""
    kind, config = _class_and_config(found, "the model")
    if kind in _CHAINS:
        return _chain(config)
    if kind in _WEBS:
        return _web(config)
    raise BadModel(f"the model is a {kind!r}; {', '.join((*_CHAINS, *_WEBS))} are supported.")


def _chain(config: Any) -> Graph:
    if isinstance(config, list):  # Keras before 2.2.3
        config = {"layers": config}
    layers = [_class_and_config(layer, "a layer") for layer in _list(config.get("layers"), "layers")]
    if not layers:
        raise BadModel("the model has no layers.")
    nodes: list[Node] = []
    for n, (kind, settings) in enumerate(layers):
        name = str(settings.get("name") or f"layer_{n + 1}")
        if not nodes and kind != "InputLayer":
            shape = _given_shape(settings) or config.get("build_input_shape")
            if shape is None:
                raise BadModel(f"the first layer, {name!r}, does not say the shape of its input (batch_input_shape).")
            nodes.append(_input("input", {**settings, "batch_input_shape": shape}))
        before = (nodes[-1].name,) if nodes else ()
        nodes.append(_node(name, kind, settings, before))
    return _graph(config, nodes, [nodes[0].name], [nodes[-1].name], sequential=True)


def _web(config: Any) -> Graph:
    if not isinstance(config, Mapping):
        raise BadModel(f"the model's config should be a JSON object, and is a {_kind(config)}.")
    nodes = []
    for layer in _list(config.get("layers"), "layers"):
        kind, settings = _class_and_config(layer, "a layer")
        name = str(layer.get("name") or settings.get("name"))
        nodes.append(_node(name, kind, settings, _fed_with(name, layer.get("inbound_nodes") or [])))
    inputs, outputs = (_ends(config.get(key), key) for key in ("input_layers", "output_layers"))
    return _graph(config, nodes, inputs, outputs, sequential=False)


def _graph(config: Any, nodes: list[Node], inputs: list[str], outputs: list[str], sequential: bool) -> Graph:
    names = [node.name for node in nodes]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadModel(f"two layers have the name {twice[0]!r}; every layer needs a name of its own.")
    lost = [name for name in (*inputs, *outputs) if name not in names]
    if lost:
        raise BadModel(f"the model begins or ends with the layer {lost[0]!r}, which it does not have.")
    name = config.get("name")
    return Graph(str(name or "model"), in_order(nodes), tuple(inputs), tuple(outputs), sequential)


def _node(name: str, kind: str, settings: Mapping[str, Any], inputs: tuple[str, ...]) -> Node:
    if kind == "InputLayer":
        return _input(name, settings)
    return Node(name, kind, settings_of(kind, name, dict(settings)), inputs)


def _input(name: str, settings: Mapping[str, Any]) -> Node:
    shape = _given_shape(settings)
    if not isinstance(shape, (list, tuple)) or not all(type(n) is int and n > 0 for n in shape[1:]):
        raise BadModel(
            f"the input {name!r} has the shape {shape!r}; a batch and whole numbers are needed: [null, 9, 9, 2]."
        )
    dtype = settings.get("dtype") or "float32"
    if isinstance(dtype, str) and dtype not in ("float32", "float16", "bfloat16"):
        raise BadModel(f"the input {name!r} takes {dtype!r}; only networks that take float32 are supported.")
    return Node(name, "InputLayer", {"shape": list(shape[1:])})


def _given_shape(settings: Mapping[str, Any]) -> Any:
    return settings.get("batch_input_shape") or settings.get("batch_shape")


def _fed_with(name: str, calls: Any) -> tuple[str, ...]:
    """The layers that a layer was called on. `[[["dense", 0, 0, {}]]]`, or in Keras 3 `[{"args": […]}]`."""
    if len(_list(calls, f"the calls of layer {name!r}")) > 1:
        raise BadModel(f"the layer {name!r} is used {len(calls)} times; layers that are shared are not supported.")
    if not calls:
        return ()
    (call,) = calls
    if isinstance(call, Mapping):
        more = {k: v for k, v in (call.get("kwargs") or {}).items() if v is not None and k != "training"}
        references = _tensors(name, [call.get("args"), more])
    else:
        references = [_reference(name, one) for one in _list(call, f"the inputs of layer {name!r}")]
    return tuple(references)


def _tensors(name: str, found: Any) -> list[str]:
    """The layers behind all tensors in the arguments of a call, as Keras 3 writes them."""
    if isinstance(found, Mapping) and found.get("class_name") == "__keras_tensor__":
        return [_reference(name, found["config"]["keras_history"])]
    if isinstance(found, Mapping):
        return [source for inner in found.values() for source in _tensors(name, inner)]
    if isinstance(found, (list, tuple)):
        return [source for inner in found for source in _tensors(name, inner)]
    raise BadModel(f"the layer {name!r} is called with {found!r}; only outputs of other layers are supported.")


def _reference(name: str, found: Any) -> str:
    if not isinstance(found, (list, tuple)) or not found or not isinstance(found[0], str) or found[1:3] not in _FIRST:
        raise BadModel(f"the layer {name!r} is fed with {found!r}; the first output of another layer is needed.")
    return found[0]


_FIRST: tuple[Any, ...] = ([0, 0], (0, 0), [], [0])


def _ends(found: Any, key: str) -> list[str]:
    """`[["dense", 0, 0]]`, or in Keras 3 for a single one `["dense", 0, 0]`; there names may also come with keys."""
    rows = list(found.values()) if isinstance(found, Mapping) else _list(found, key)
    rows = [rows] if rows and isinstance(rows[0], str) else rows
    if not rows:
        raise BadModel(f"the model has no {key}.")
    return [_reference(key, row) for row in rows]


def _class_and_config(found: Any, what: str) -> tuple[str, Any]:
    if not isinstance(found, Mapping) or not isinstance(_get(found, "class_name"), str):
        raise BadModel(f"{what} should be a JSON object with a class_name and a config, and is {_short(found)}.")
    config = in_snake_case(found.get("config") or {})
    if not isinstance(config, (Mapping, list)) or (isinstance(config, list) and what != "the model"):
        raise BadModel(f"the config of {what} should be a JSON object, and is {_short(config)}.")
    return str(_get(found, "class_name")), config


def in_snake_case(found: Any) -> Any:
    """JSON with all keys, and the values that are names of something, in snake_case."""
    if isinstance(found, Mapping):
        return {_snake(str(key)): _word(_snake(str(key)), in_snake_case(value)) for key, value in found.items()}
    return [in_snake_case(one) for one in found] if isinstance(found, list) else found


def _word(key: str, value: Any) -> Any:
    return _snake(value) if key in ("activation", "data_format", "padding") and isinstance(value, str) else value


def _snake(word: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", word).lower() if word[:1].islower() else word


def _get(found: Mapping[str, Any], key: str) -> Any:
    return found.get(key, found.get("className"))


def _list(found: Any, what: str) -> list[Any]:
    if not isinstance(found, (list, tuple)):
        raise BadModel(f"{what} should be a list, and is {_short(found)}.")
    return list(found)


def _kind(found: Any) -> str:
    return type(found).__name__


def _short(found: Any) -> str:
    text = repr(found)
    return text if len(text) < 60 else f"{text[:57]}…"
