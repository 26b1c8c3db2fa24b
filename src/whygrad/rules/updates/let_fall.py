"""The line that lets a result fall: where a call's value goes to no name, or to a name that nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.flow.site import Site, Stack
from whygrad.flow.source import is_statement
from whygrad.flow.syntax import Function, around, at_node, bound_at, covers, function_of, spoken_in

_PURE = frozenset({"replace", "_replace", "tree_at", "tree_map", "incremental_update", "periodic_update"})
"""Calls that give something new back and change nothing."""


def let_fall(stack: Stack) -> Site | None:
    """The first such line, outwards from where a value was computed; None where the source does not say."""
    for site in stack:
        if _in_lambda(site):
            continue  # what it computes it gives back
        if is_statement(site):
            return site
        names = {name for name in bound_at(site) if "." not in name}
        if names and not names <= read_from(site):
            return site
        for name in names:
            fallen = _put_into_nothing(site, name)
            if fallen is not None:
                return fallen
        if not _gives_back(site):
            return None  # whoever called this never had it
    return None


def handed_back(stack: Stack) -> Site | None:
    """The line that lets a result fall which the functions around it return, one after the other."""
    place: int | None = None
    for depth, site in enumerate(stack):
        if _in_lambda(site):
            continue
        function = function_of(site)
        ends = list(_ends(function)) if function is not None else []
        names = _bound_to(site, place)
        given = (n for end in ends for n in ast.walk(end) if isinstance(n, ast.Name) and n.id in names)
        if any(covers(end, site) for end in ends) or ("_" not in names and any(given)):
            place = _among_results(ends, site, names)
            continue
        return let_fall(stack[depth : depth + 1])
    return None


def _bound_to(site: Site, place: int | None) -> set[str]:
    """The names that a call's result gets; of several results (`new, info = update(…)`) the one at a place."""
    statement, _, _ = around(site)
    target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
    if place is None or not isinstance(target, ast.Tuple) or not isinstance(statement, ast.Assign):
        return bound_at(site)
    value, parts = statement.value, target.elts
    whole = isinstance(value, ast.Call) and (value.lineno, value.col_offset) == (site.line, site.column)
    if not whole or len(parts) <= place or any(isinstance(part, ast.Starred) for part in parts):
        return bound_at(site)
    return spoken_in(parts[place])


def _among_results(ends: list[ast.Return], site: Site, names: set[str]) -> int | None:
    """At which place among several results a function returns what a site computes."""
    for end in ends:
        for place, part in enumerate(end.value.elts if isinstance(end.value, ast.Tuple) else ()):
            if covers(part, site) or any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(part)):
                return place
    return None


def _in_lambda(site: Site) -> bool:
    return site.function.endswith("<lambda>")


def _ends(function: ast.AST) -> Iterator[ast.Return]:
    """What a function returns; not what the functions inside of it do."""
    todo = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))


def _gives_back(site: Site) -> bool:
    """Whether the function around a site returns or yields anything; of a file, the source does not say."""
    function = function_of(site)
    if function is None or isinstance(function, ast.Module):
        return True
    yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
    return yields or any(end.value is not None for end in _ends(function))


def read_around(site: Site) -> set[str]:
    """The names that the function around a site reads, or shares with others."""
    function = function_of(site)
    nodes = list(ast.walk(function)) if function is not None else []
    shared = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    return shared | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def read_from(site: Site) -> set[str]:
    """The names that the function around a site can read once the statement there has run."""
    statement, loops, function = around(site)
    inner = [n for n in ast.walk(function) if isinstance(n, Function | ast.Lambda)] if function is not None else []
    if statement is None or function is None or loops or any(isinstance(n, ast.While) for n in ast.walk(function)):
        return read_around(site)
    later = {id(n) for one in inner if one is not function for n in ast.walk(one)}
    shared = {name for n in ast.walk(function) if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    end = statement.end_lineno or statement.lineno
    return shared | {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and (n.lineno > end or id(n) in later)
    }


def _put_into_nothing(site: Site, name: str) -> Site | None:
    """The one statement that reads a name, where all it does is make a new state with it: `state.replace(w=name)`.

    The new state is given no name, or one that nothing reads.
    """
    function = function_of(site)
    statements = [n for n in ast.walk(function) if isinstance(n, ast.stmt)] if function is not None else []
    simple = [n for n in statements if not any(isinstance(child, ast.stmt) for child in ast.walk(n) if child is not n)]
    readers = [
        n for n in simple
        if any(isinstance(m, ast.Name) and m.id == name and isinstance(m.ctx, ast.Load) for m in ast.walk(n))
    ]  # fmt: skip
    whole = readers[0] if len(readers) == 1 else None
    if not isinstance(whole, ast.Expr | ast.Assign) or not isinstance(whole.value, ast.Call):
        return None
    if isinstance(whole, ast.Assign):
        bound = [target.id if isinstance(target, ast.Name) else None for target in whole.targets]
        return at_node(site, whole.value) if read_around(site).isdisjoint(bound) and None not in bound else None
    called = whole.value.func
    if (called.attr if isinstance(called, ast.Attribute) else "") not in _PURE:
        return None
    return at_node(site, whole)
