"""A function on tensors, written down once as a flat list of operations.

`make_fx` runs the function and notes the operations that reach PyTorch's core; the list gives the same bits as the
function, without Keras, autograd and Python in between. Parameters are in it by reference.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx

_NOTHING_LEFT_TO_DO = (torch.ops.aten.detach.default, torch.ops.aten.alias.default)
"""Operations that only matter to autograd, which is over when the list is run."""
_COPY = torch.ops.aten.clone.default


def capture(function: Callable[..., Any], example: Sequence[torch.Tensor], compiled: bool) -> Callable[..., Any]:
    """The function as a list for tensors of these shapes and kinds; itself, where it cannot be written down."""
    try:
        captured = make_fx(function)(*example)
    except Exception:  # something looks at a value (`ops.one_hot` does); a fault of its own shows when it is run
        return function
    _leave_out(captured)
    if compiled:
        return torch.compile(captured, dynamic=False)  # type: ignore[no-any-return]
    # A GraphModule's own call looks for hooks each time; nobody can have given it any.
    return captured.forward  # type: ignore[no-any-return]


def _leave_out(captured: GraphModule) -> None:
    graph = captured.graph
    changed = {argument for node in graph.nodes if _writes(node) for argument in node.all_input_nodes}
    attributes: dict[str, Any] = {}
    for node in list(graph.nodes):
        if node.op == "call_function" and node.target in _NOTHING_LEFT_TO_DO:
            source = node.args[0]
            if node not in changed and source not in changed:  # else the two have to stay apart
                node.replace_all_uses_with(source)
                graph.erase_node(node)
        elif node.target == _COPY and node.args[0].target == _COPY and node.args[0] not in changed:
            node.update_arg(0, node.args[0].args[0])  # Keras copies what a convolution is given twice, into two layouts
        elif node.op == "get_attr":
            first = attributes.setdefault(str(node.target), node)
            if first is not node:
                node.replace_all_uses_with(first)
                graph.erase_node(node)
    graph.eliminate_dead_code()
    _share(graph)
    captured.recompile()


def _share(graph: Any) -> None:
    """Leave out copies of intermediate results that nobody changes any more, neither the copy nor what was copied."""
    nodes = list(graph.nodes)
    roots: dict[Any, Any] = {}
    last_change: dict[Any, int] = {}
    for place, node in enumerate(nodes):
        source = node.args[0] if node.args and hasattr(node.args[0], "op") else None
        roots[node] = roots[source] if source is not None and (_writes(node) or _shares(node)) else node
        if _writes(node):
            for argument in node.all_input_nodes:
                last_change[roots[argument]] = place
    returned = {roots[node] for node in nodes[-1].all_input_nodes}
    for place, node in enumerate(nodes):
        if node.target == _COPY and roots[node.args[0]].op == "call_function" and node not in last_change:
            source = roots[node.args[0]]
            if last_change.get(source, -1) < place and not {node, source} & returned:
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)


def _shares(node: Any) -> bool:
    """Whether what comes out may share its memory with the first argument: views, and parts of several results."""
    if node.target is operator.getitem:
        return True
    schema = getattr(node.target, "_schema", None)
    return schema is not None and bool(schema.arguments) and schema.arguments[0].alias_info is not None


def _writes(node: Any) -> bool:
    schema = getattr(node.target, "_schema", None)
    return schema is not None and schema.is_mutable
