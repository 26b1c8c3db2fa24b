"""Machine code from captured lists of whole-number code, such as a world's, by PyTorch's own compiler and a C++ one.

Such a list is hundreds of operations on small tensors, and each costs more to call than to compute. Compiling takes as
long as thousands of calls, so only what has run for a while is compiled. Whatever is missing for it (no C++ compiler,
another PyTorch) leaves the list as it is: results are the same to the bit either way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import torch
from torch.fx import GraphModule

PAYS_AFTER = 5.0
"""Seconds that a list has taken in all when it is compiled, which takes about as long."""

_OPTIONS = {
    # Its own vectors are slow with rows of 81 cells; the C++ compiler finds better ones in plain loops.
    "cpp.simdlen": 1,
    # Else what is known of a board (the hash of its key) is computed anew for each cell, and written out as often.
    "realize_opcount_threshold": 3,
    "realize_reads_threshold": 1,
    # In this process: a pool of others takes longer to start than such a list to compile.
    "compile_threads": 1,
}
_aten = torch.ops.aten
_EXACT = {
    getattr(packet, overload)
    for packet in (
        *(_aten.add, _aten.sub, _aten.rsub, _aten.mul, _aten.where, _aten.maximum, _aten.minimum, _aten.clone),
        *(_aten._to_copy, _aten.view, _aten._unsafe_view, _aten.unsqueeze, _aten.squeeze, _aten.expand, _aten.select),
        *(_aten.slice, _aten.stack, _aten.cat, _aten.gather, _aten.full, _aten.full_like, _aten.zeros, _aten.ones),
        *(_aten.zeros_like, _aten.ones_like, _aten.lift_fresh_copy, _aten.arange, _aten.detach, _aten.alias),
    )
    for overload in packet.overloads()
}
"""What gives the same floats to the bit wherever it is computed. Sums of many and functions do not."""


def once_it_pays(listed: Callable[..., Any], example: Sequence[torch.Tensor]) -> Callable[..., Any]:
    """The list, and machine code in its place when it has run for long enough."""
    spent = 0.0

    def run(*given: torch.Tensor) -> Any:
        nonlocal listed, spent
        if spent > PAYS_AFTER:
            return listed(*given)
        begun = perf_counter()
        out = listed(*given)
        spent += perf_counter() - begun
        if spent > PAYS_AFTER:
            listed = machine_code(listed, example) or listed
        return out

    return run


def machine_code(listed: Callable[..., Any], example: Sequence[torch.Tensor]) -> Callable[..., Any] | None:
    """The same as compiled code; None where that is not possible or might round differently."""
    graph = getattr(listed, "__self__", None)
    if not isinstance(graph, GraphModule) or not _exact(graph) or any(t.device.type != "cpu" for t in example):
        return None
    if torch._C._len_torch_function_stack():  # somebody is looking at what PyTorch is called with
        return None
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            import torch._inductor as inductor
            from torch._inductor.cpp_builder import get_cpp_compiler

            get_cpp_compiler()
            with inductor.config.patch(_OPTIONS):
                compiled = inductor.compile(graph, [t.contiguous() for t in example])
                compiled(*[t.contiguous() for t in example])
    except Exception:  # whatever is the matter, the list is still there
        return None
    return lambda *given: compiled(*[t.contiguous() for t in given])


def _exact(graph: GraphModule) -> bool:
    """Whether nothing in it draws random numbers, changes what it is given, or might round differently."""
    return all(
        torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ())
        and not (hasattr(node.target, "_schema") and node.target._schema.is_mutable)
        and (node.target in _EXACT or _whole_numbers(node.meta.get("val")))
        for node in graph.graph.nodes
        if node.op == "call_function"
    )


def _whole_numbers(value: Any) -> bool:
    several = value if isinstance(value, (list, tuple)) else [value]
    return all(isinstance(one, torch.Tensor) and not one.is_floating_point() for one in several)
