"""Which functions of the program make a compiled function, and whether one of them is called again: told by the source.

A function that is made anew takes what is around it by then. A short run may end before that happens.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator

from whygrad.flow.syntax import Function, tree_of

_INIT = "__init__"


@functools.lru_cache(maxsize=512)
def made_again(file: str, qualname: str, files: frozenset[str]) -> bool:
    """Whether what makes a function is called in more than one place of the program, or in a loop."""
    tree = tree_of(file)
    makers = _makers(tree, qualname) if tree is not None else set()
    trees = [tree for one in files | {file} if (tree := tree_of(one)) is not None] if makers else []
    calls = [looped for tree in trees for name, looped in _calls(tree, False) if name in makers]
    return len(calls) > 1 or any(calls)


def _makers(tree: ast.AST, qualname: str) -> set[str]:
    """The function around it; for a method, each one that hands it on (`self.update = jax.jit(self._update)`)."""
    outer, inside, name = qualname.rpartition(".<locals>.")
    if inside:
        return {_called_as(outer)}
    owner, _, name = qualname.rpartition(".")
    found = set[str]()
    for cls in ast.walk(tree) if owner else ():
        if isinstance(cls, ast.ClassDef) and cls.name == owner:
            methods = [node for node in cls.body if isinstance(node, Function)]
            found |= {_called_as(f"{owner}.{m.name}") for m in methods if name in _handed_on(m)}
    return found


def _called_as(qualname: str) -> str:
    """By what name a call of it goes: an object is made by its class."""
    owner, _, name = qualname.rpartition(".<locals>.")[2].rpartition(".")
    return owner if name == _INIT else name


def _handed_on(function: ast.AST) -> set[str]:
    given = [arg for node in ast.walk(function) if isinstance(node, ast.Call) for arg in node.args]
    return {arg.attr for arg in given if isinstance(arg, ast.Attribute)}


def _calls(node: ast.AST, looped: bool) -> Iterator[tuple[str, bool]]:
    """Every call by its last name, and whether a loop of the same function runs it again."""
    for child in ast.iter_child_nodes(node):
        again = looped or isinstance(child, ast.For | ast.While)
        if isinstance(child, Function):
            again = False
        if isinstance(child, ast.Call):
            name = getattr(child.func, "attr", None) or getattr(child.func, "id", None)
            if name is not None:
                yield name, again
        yield from _calls(child, again)
