"""Whether what an optimizer of Optax was given fits together: gradients, its state, parameters."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import jax

from whygrad.trace.jax_vocabulary import is_float

_UPDATES = frozenset({"update", "update_fn", "apply_updates"})


def unlike(trace: TracebackType | None) -> bool:
    """Whether an error came out of Optax, which had been given gradients of another tree than what they are for."""
    while trace is not None:
        code, names = trace.tb_frame.f_code, trace.tb_frame.f_locals
        if "/optax/" in code.co_filename and code.co_name in _UPDATES and "updates" in names:
            return _differ(names["updates"], names.get("params"), names.get("state"))
        trace = trace.tb_next
    return False


def _differ(updates: Any, params: Any, state: Any) -> bool:
    if params is not None and _shape(params) != _shape(updates):
        return True
    kept = [shape for tree in _kept(state) if (shape := _shape(tree))]
    return bool(kept) and all(shape != _shape(updates) for shape in kept)


def _kept(state: Any) -> Iterator[Any]:
    """The trees that a state keeps for the parameters: moments, traces. Not its counters."""
    if hasattr(state, "_fields"):
        for one in state:
            if hasattr(one, "_fields"):
                yield from _kept(one)
            elif getattr(one, "shape", None) != ():
                yield one
    elif isinstance(state, tuple | list):
        for one in state:
            yield from _kept(one)


def _shape(tree: Any) -> dict[str, tuple[int, ...]]:
    """Where a tree has numbers that can learn, and their shapes; an activation function in a model is none."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return {jax.tree_util.keystr(path): leaf.shape for path, leaf in leaves if _learns(leaf)}


def _learns(leaf: Any) -> bool:
    return hasattr(leaf, "dtype") and hasattr(leaf, "shape") and is_float(leaf.dtype)
