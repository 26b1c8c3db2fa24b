"""What a compiled function reads off an object that is given something new later: told by the source.

JAX reads `self.target_params` while it traces. The object is the same in the next call, so it is not traced again. The
function is a method of the object, or was made inside of one, or beside the object, and closes over it.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from whygrad.flow.syntax import Function, tree_of
from whygrad.trace.names import is_holder

_INIT = "__init__"
_MANY = 16
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef,
           ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # fmt: skip
_EMPTIES = frozenset({"clear_caches", "clear_cache"})
"""JAX's own ways to have everything traced anew."""


def given_anew(code: CodeType, names: frozenset[str], holders: list[Any]) -> Iterator[Any]:
    """What a method takes from attributes of its object that are bound again after the object was made."""
    owner, _, method = code.co_qualname.rpartition(".")
    for holder in holders:
        if type(holder).__qualname__ != owner or not is_holder(holder) or _compares(type(holder)):
            continue
        spoken = names | _said_by_methods(type(holder), names)
        for name in _bound_later(code.co_filename, owner.rpartition(".")[2], method) & spoken:
            with contextlib.suppress(AttributeError):
                yield getattr(holder, name)


def _said_by_methods(kind: type, names: frozenset[str]) -> set[str]:
    """What those methods speak of that a method speaks of: `jax.grad(self._loss)`, and so on."""
    found, todo = set[str](), list(names)
    while todo:
        code = getattr(getattr(kind, todo.pop(), None), "__code__", None)
        fresh = set(_names(code)) - found if isinstance(code, CodeType) else set[str]()
        found |= fresh
        todo.extend(fresh)
    return found


def given_anew_around(function: FunctionType) -> Iterator[Any]:
    """The same for a function that closes over an object, by itself or by other functions of the program."""
    code, inside = function.__code__, list(_closed_over(function, []))
    names = {name for one in inside for name in _names(one.__code__)}
    around = [cell for one in inside for cell in _cells(one) if not isinstance(cell, FunctionType)]
    for holder in {id(cell): cell for cell in around if is_holder(cell)}.values():
        owners = tuple(kind.__name__ for kind in type(holder).__mro__[:-1])
        for name in _bound_after(code.co_filename, owners, code.co_firstlineno) & names:
            with contextlib.suppress(AttributeError):
                yield getattr(holder, name)


def _closed_over(function: FunctionType, seen: list[FunctionType]) -> Iterator[FunctionType]:
    """A function, and those of the same file that it closes over, and so on."""
    seen.append(function)
    yield function
    for cell in _cells(function):
        same = isinstance(cell, FunctionType) and cell.__code__.co_filename == function.__code__.co_filename
        if same and cell not in seen and len(seen) < _MANY:
            yield from _closed_over(cell, seen)


def _cells(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # nothing is bound to it yet
            yield cell.cell_contents


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


@functools.lru_cache(maxsize=512)
def _bound_after(file: str, owners: tuple[str, ...], line: int) -> frozenset[str]:
    """The attributes of an object that are bound again after a function was made, which is made once for the object.

    `__init__` makes it, or a method that `__init__` alone calls; or what has the object makes it before its own loop.
    """
    tree = tree_of(file)
    nodes = list(ast.walk(tree)) if tree is not None else []
    made = [found for outer in nodes if isinstance(outer, Function) for found in _made_by(outer, line)]
    if len(made) != 1 or made[0][1] or any(isinstance(n, ast.Attribute) and n.attr in _EMPTIES for n in nodes):
        return frozenset()
    maker, classes = made[0][0], [n for n in nodes if isinstance(n, ast.ClassDef) and n.name in owners]
    if not any(maker in _methods(node) for node in nodes if isinstance(node, ast.ClassDef)):
        return frozenset(_stored_in_loops(maker, classes, line))
    found = set[str]()
    for cls in classes:
        begin = next((node for node in _methods(cls) if node.name == _INIT), None)
        if begin is not None and (maker is begin or _helps(nodes, maker, begin, cls)):
            found |= _stored_later(nodes, cls, [begin, maker])
    return frozenset(found)


def _stored_in_loops(maker: Function, classes: list[ast.ClassDef], line: int) -> set[str]:
    """What a function binds in the loops that come after a line, or a method of these classes that it calls there."""
    looped = [node for node, again in own_parts(maker, False) if again and getattr(node, "lineno", 0) > line]
    called = _called(looped)
    later = [node for cls in classes for node in _methods(cls) if node.name in called and node.name != _INIT]
    return _stored(looped) | _stored([node for one in later for node in ast.walk(one)])


def _made_by(outer: Function, line: int) -> Iterator[tuple[Function, bool]]:
    """A function, where it makes the one that begins at a line, and whether it does so in a loop."""
    for node, again in own_parts(outer, False):
        if isinstance(node, Function) and begins(node) == line:
            yield outer, again


def _helps(nodes: list[ast.AST], maker: Function, begin: ast.AST, cls: ast.ClassDef) -> bool:
    """Whether a method is there for `__init__` alone."""
    first = {id(node) for node in ast.walk(begin)}
    calls = [n for n in nodes if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == maker.name]
    return maker in _methods(cls) and bool(calls) and all(id(node) in first for node in calls)


def begins(function: Function) -> int:
    """The first line of a function, as its code has it."""
    return min(node.lineno for node in (function, *function.decorator_list))


def own_parts(node: ast.AST, looped: bool) -> Iterator[tuple[ast.AST, bool]]:
    """What stands in a function and in none inside of it, and whether a loop runs it again."""
    for child in ast.iter_child_nodes(node):
        yield child, looped
        if not isinstance(child, _SCOPES):
            yield from own_parts(child, looped or isinstance(child, ast.For | ast.While))


def _compares(kind: type) -> bool:
    """Whether objects have a hash of their own: one may be another to JAX once its attributes are."""
    return any(name in base.__dict__ for base in kind.__mro__[:-1] for name in ("__hash__", "__eq__"))


@functools.lru_cache(maxsize=512)
def _bound_later(file: str, owner: str, method: str) -> frozenset[str]:
    """The attributes that are bound outside of the class, or in a method that is not there for `__init__` alone."""
    tree = tree_of(file)
    nodes = list(ast.walk(tree)) if tree is not None else []
    cls = next((node for node in nodes if isinstance(node, ast.ClassDef) and node.name == owner), None)
    methods = _methods(cls) if cls is not None else []
    begin = next((node for node in methods if node.name == _INIT), None)
    own = next((node for node in methods if node.name == method), None)
    if cls is None or own is None or begin is None or not _compiled_once(nodes, own, begin):
        return frozenset()
    return frozenset(_stored_later(nodes, cls, [begin, own]))


def _stored_later(nodes: list[ast.AST], cls: ast.ClassDef, begin: list[Function]) -> set[str]:
    """What is bound outside of a class, or by its methods but the first ones, where somebody else calls them."""
    first = {id(node) for node in ast.walk(begin[0])}
    called = _called([node for node in nodes if id(node) not in first])
    later = [node for node in _methods(cls) if node not in begin and node.name in called]
    inside = {id(node) for node in ast.walk(cls)}
    bound = [node for one in later for node in ast.walk(one)] + [node for node in nodes if id(node) not in inside]
    return _stored(bound)


def _methods(cls: ast.ClassDef) -> list[Function]:
    return [node for node in cls.body if isinstance(node, Function)]


def _called(nodes: list[ast.AST]) -> set[str]:
    """The methods that are called, by name."""
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {func.attr for func in calls if isinstance(func, ast.Attribute)}


def _stored(nodes: list[ast.AST]) -> set[str]:
    return {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}


def _compiled_once(nodes: list[ast.AST], own: Function, begin: ast.AST) -> bool:
    """Whether a method is compiled where the class is made, or where the object is, and nowhere else."""
    if any(isinstance(node, ast.Attribute) and node.attr in _EMPTIES for node in nodes):
        return False
    handed = [arg for node in nodes if isinstance(node, ast.Call) for arg in node.args]
    handed = [arg for arg in handed if isinstance(arg, ast.Attribute) and arg.attr == own.name]
    first = {id(node) for node in ast.walk(begin)}
    return all(id(arg) in first for arg in handed) and bool(handed or own.decorator_list)
