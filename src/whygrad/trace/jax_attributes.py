"""What a compiled method reads off its object, where other methods give the object something new: told by the source.

JAX reads `self.target_params` while it traces. The object is the same in the next call, so it is not traced again.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from whygrad.flow.syntax import Function, tree_of
from whygrad.trace.names import is_holder

_INIT = "__init__"
_EMPTIES = frozenset({"clear_caches", "clear_cache"})
"""JAX's own ways to have everything traced anew."""


def given_anew(code: CodeType, names: frozenset[str], holders: list[Any]) -> Iterator[Any]:
    """What a method takes from attributes of its object that are bound again after the object was made."""
    owner, _, method = code.co_qualname.rpartition(".")
    for holder in holders:
        if type(holder).__qualname__ != owner or not is_holder(holder) or _compares(type(holder)):
            continue
        for name in _bound_later(code.co_filename, owner.rpartition(".")[2], method) & names:
            with contextlib.suppress(AttributeError):
                yield getattr(holder, name)


def _compares(kind: type) -> bool:
    """Whether objects have a hash of their own: one may be another to JAX once its attributes are."""
    return any(name in base.__dict__ for base in kind.__mro__[:-1] for name in ("__hash__", "__eq__"))


@functools.lru_cache(maxsize=512)
def _bound_later(file: str, owner: str, method: str) -> frozenset[str]:
    """The attributes that are bound outside of the class, or in a method that is not there for `__init__` alone."""
    tree = tree_of(file)
    nodes = list(ast.walk(tree)) if tree is not None else []
    cls = next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == owner), None)
    methods = [node for node in cls.body if isinstance(node, Function)] if cls is not None else []
    begin = next((node for node in methods if node.name == _INIT), None)
    own = next((node for node in methods if node.name == method), None)
    if cls is None or own is None or begin is None or not _compiled_once(nodes, own, begin):
        return frozenset()
    first = {id(node) for node in ast.walk(begin)}
    calls = [node.func for node in nodes if isinstance(node, ast.Call) and id(node) not in first]
    called = {func.attr for func in calls if isinstance(func, ast.Attribute)}
    later = [node for node in methods if node not in (begin, own) and node.name in called]
    inside = {id(node) for node in ast.walk(cls)}
    bound = [node for one in later for node in ast.walk(one)] + [node for node in nodes if id(node) not in inside]
    return frozenset(n.attr for n in bound if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store))


def _compiled_once(nodes: list[ast.AST], own: Function, begin: ast.AST) -> bool:
    """Whether a method is compiled where the class is made, or where the object is, and nowhere else."""
    if any(isinstance(node, ast.Attribute) and node.attr in _EMPTIES for node in nodes):
        return False
    handed = [arg for node in nodes if isinstance(node, ast.Call) for arg in node.args]
    handed = [arg for arg in handed if isinstance(arg, ast.Attribute) and arg.attr == own.name]
    first = {id(node) for node in ast.walk(begin)}
    return all(id(arg) in first for arg in handed) and bool(handed or own.decorator_list)
