"""Functions that the arguments of a compiled function hold beside their arrays: an optimizer's, a network's `apply`.

They are part of the tree's form, and a trace is for one form: a Flax `TrainState` or an NNX optimizer that is made anew
for each call brings new functions of the same name.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Any

import jax

_DEEP = 12
_MANY = 20_000
_PLAIN = (str, bytes, int, float, complex, type(None), type, types.ModuleType)


def functions_beside(tree: Any) -> Iterator[tuple[str, types.FunctionType]]:
    """Name and function, in the order of the tree."""
    seen: set[int] = set()
    todo = [jax.tree_util.tree_structure(tree)]
    while todo:
        node = todo.pop()
        data = node.node_data()
        if data is not None:
            yield from _functions(data[1], 0, seen)
        todo.extend(reversed(node.children()))


def _functions(item: Any, depth: int, seen: set[int]) -> Iterator[tuple[str, types.FunctionType]]:
    if depth > _DEEP or isinstance(item, _PLAIN) or id(item) in seen or len(seen) > _MANY:
        return
    seen.add(id(item))
    if isinstance(item, types.FunctionType):
        yield item.__qualname__, item
    elif isinstance(item, types.MethodType):
        yield from _functions(item.__self__, depth + 1, seen)
    elif isinstance(item, Mapping):
        for child in item.values():
            yield from _functions(child, depth + 1, seen)
    elif isinstance(item, list | tuple):
        for child in item:
            yield from _functions(child, depth + 1, seen)
    elif not hasattr(item, "shape"):
        names = [name for kind in type(item).__mro__ for name in _slots(kind)]
        children = [getattr(item, name, None) for name in names] + list(getattr(item, "__dict__", {}).values())
        for child in children:
            yield from _functions(child, depth + 1, seen)


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
