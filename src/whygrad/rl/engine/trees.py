"""Trees of tensors (dicts, tuples, lists) as lists and back.

In the order of sorted names, at every depth: two trees with the same names give the same list, however they were made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def leaves(tree: Any) -> list[Any]:
    """What is in a tree; None is nothing."""
    if isinstance(tree, dict):
        return [leaf for name in sorted(tree) for leaf in leaves(tree[name])]
    if isinstance(tree, (tuple, list)):
        return [leaf for part in tree for leaf in leaves(part)]
    return [] if tree is None else [tree]


def planted(form: Any, found: list[Any]) -> Any:
    """A tree of the same form with other leaves."""
    return _plant(form, iter(found))


def _plant(form: Any, rest: Iterator[Any]) -> Any:
    if isinstance(form, dict):
        made = {name: _plant(form[name], rest) for name in sorted(form)}
        return {name: made[name] for name in form}
    if isinstance(form, (tuple, list)):
        parts = [_plant(part, rest) for part in form]
        return type(form)(*parts) if hasattr(form, "_fields") else type(form)(parts)
    return None if form is None else next(rest)
