"""What variables contain, before and after a step, whatever the framework: enough to say whether they changed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from whygrad.trace import declared


@dataclass(frozen=True, slots=True)
class Content:
    """One variable at one moment. `by_value`: a JAX array, which a step replaces instead of changing it."""

    variable: Any
    name: str
    digest: bytes
    broken: bool
    by_value: bool


def contents(things: Iterable[Any], except_: Iterable[Any] = ()) -> dict[Any, Content]:
    """Every trainable variable by what tells it apart: itself, or for arrays its place in the pytree."""
    things = list(things)
    left_out = {id(_raw(thing)) for thing in declared.variables(except_)}
    if _by_value(things):
        return _of_arrays(things, left_out)
    found: dict[Any, Content] = {}
    for index, thing in enumerate(declared.variables(things)):
        raw = _raw(thing)
        if id(raw) not in left_out and _trainable(thing):
            name = str(getattr(thing, "path", None) or getattr(thing, "name", None) or f"variable {index}")
            found[id(raw)] = _content(thing, name, _array(raw), False)
    return found


def _raw(thing: Any) -> Any:
    """The framework's own variable behind a Keras variable."""
    if hasattr(type(thing), "_deferred_initialize"):
        return thing._value
    return thing


def _trainable(thing: Any) -> bool:
    for flag in ("requires_grad", "trainable"):
        if hasattr(thing, flag):
            return bool(getattr(thing, flag))
    return True


def _array(raw: Any) -> Any:
    if hasattr(raw, "detach"):
        raw = raw.detach().cpu()
        return raw.float().numpy() if str(raw.dtype) == "torch.bfloat16" else raw.numpy()
    return raw.numpy() if hasattr(raw, "numpy") else raw


def _content(variable: Any, name: str, array: Any, by_value: bool) -> Content:
    import numpy

    values = numpy.ascontiguousarray(array)
    broken = not bool(numpy.isfinite(values.astype("float64")).all()) if values.dtype.kind in "fV" else False
    return Content(variable, name, hashlib.blake2b(values.tobytes()).digest(), broken, by_value)


# --- JAX ------------------------------------------------------------------------------------------------------


def _by_value(things: list[Any]) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(things))


def _of_arrays(things: list[Any], left_out: set[int]) -> dict[Any, Content]:
    jax: Any = sys.modules["jax"]
    found: dict[Any, Content] = {}
    for path, leaf in jax.tree_util.tree_flatten_with_path(things[0])[0]:
        if isinstance(leaf, jax.Array) and jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating):
            name = "params" + jax.tree_util.keystr(path)
            if id(leaf) not in left_out:
                found[name] = _content(leaf, name, leaf, True)
    return found
