"""Does a value that left at one expression come back at another? Asked of the source, when memory cannot tell.

NumPy arithmetic makes new arrays that carry no trace of where they came from. The two expressions are known
exactly, though, and so is the function in which both ran: what remains is a small data-flow question inside that
function, answered on its syntax tree. Names are followed without regard to order, which suits loops.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator

from whygrad.flow.site import Site, Stack
from whygrad.flow.syntax import tree_of


def comes_back(left: Stack, entered: Stack, same_function: bool = False) -> bool:
    """Whether the data that left at one stack may be what entered at the other.

    With `same_function` both must have happened in one function: for weak hints, such as a plain float.
    """
    pair = _meeting_point(left, entered)
    if pair is None:
        return False
    exit_site, entry_site, deeper = pair
    if same_function and (deeper or entry_site != entered[0]):
        return False
    if exit_site == entry_site and not deeper:
        return False  # one framework call (`model.fit`) let it out, and says nothing about what went where
    if any(_given_to_the_world(site) for site in deeper):
        return False
    tree = _function(exit_site.file, exit_site.first_line)
    return tree is not None and _flows(tree, exit_site, entry_site)


def _meeting_point(left: Stack, entered: Stack) -> tuple[Site, Site, Stack] | None:
    """The innermost function that both stacks pass through, where each was in it, and the calls below it."""
    found = None
    for depth, (one, other) in enumerate(zip(reversed(left), reversed(entered), strict=False), 1):
        if (one.file, one.first_line, one.function) != (other.file, other.first_line, other.function):
            break
        found = one, other, left[: len(left) - depth]
        if one != other:
            break
    return found


@functools.lru_cache(maxsize=512)
def _function(file: str, first_line: int) -> ast.AST | None:
    lines = linecache.getlines(file)
    if not lines:
        return None
    tree = tree_of(file)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            begin = min([d.lineno for d in getattr(node, "decorator_list", [])] + [node.lineno])
            if begin == first_line:
                return node
    return tree


def _flows(tree: ast.AST, left: Site, entered: Site) -> bool:
    statements = list(_statements(tree))
    tainted: set[str] = set()
    for statement in statements:
        if _covers(statement, left):
            if _covers(statement, entered) and _nested(left, entered):
                return True
            if not _goes_to_environment(statement, left):
                tainted |= _targets(statement)
    grown = True
    while grown:
        grown = False
        for statement in statements:
            if not _mentions(_reads(statement), tainted):
                continue
            new = _targets(statement) - tainted
            if new:
                tainted |= new
                grown = True
    for statement in statements:
        if _covers(statement, entered):
            names = {n for node in _expressions_at(statement, entered) for n in _names(node)}
            if _mentions(names, tainted):
                return True
    return False


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Statements of one function, compound ones by their heads, nested functions left out."""
    body = getattr(tree, "body", [])
    todo = list(body) if isinstance(body, list) else []
    while todo:
        statement = todo.pop(0)
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for block in ("body", "orelse", "finalbody"):
            todo.extend(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            todo.extend(handler.body)


def _head(statement: ast.stmt) -> list[ast.AST]:
    """The expressions of a statement itself, without the statements it contains."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        return [statement.target, statement.iter]
    if isinstance(statement, ast.While | ast.If):
        return [statement.test]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [part for item in statement.items for part in (item.context_expr, item.optional_vars) if part]
    if isinstance(statement, ast.Try | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return []
    return [statement]


def _covers(statement: ast.stmt, site: Site) -> bool:
    return any(_spans(node, site) for node in _head(statement))


def _spans(node: ast.AST, site: Site) -> bool:
    begin = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    end = (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
    return begin <= (site.line, site.column) and (site.end_line, site.end_column) <= end


def _nested(inner: Site, outer: Site) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= (
        outer.end_line,
        outer.end_column,
    )


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else None
    if isinstance(node, ast.Subscript | ast.Starred):
        return _dotted(node.value)
    return None


def _targets(statement: ast.stmt) -> set[str]:
    """Names that a statement gives new content: assignments, loops, and `things.append(x)`."""
    places: list[ast.AST] = []
    if isinstance(statement, ast.Assign):
        places = list(statement.targets)
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign | ast.For | ast.AsyncFor):
        places = [statement.target]
    elif isinstance(statement, ast.With | ast.AsyncWith):
        places = [item.optional_vars for item in statement.items if item.optional_vars]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if isinstance(function, ast.Attribute) and function.attr in _FILLS:
            places = [function.value]
    names = set()
    while places:
        place = places.pop()
        if isinstance(place, ast.Tuple | ast.List):
            places.extend(place.elts)
        else:
            name = _dotted(place)
            if name:
                names.add(name)
    for head in _head(statement):
        for node in ast.walk(head):
            if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
                names.add(node.target.id)
    return names


_FILLS = frozenset({"append", "extend", "insert", "appendleft", "add", "update", "put", "setdefault"})
"""Methods that put their arguments into a container. Other objects may do anything with theirs: no link is claimed."""


def _goes_to_environment(statement: ast.stmt, site: Site) -> bool:
    """`env.step(action.numpy())`, `np.random.choice(p=…)`: what comes back is not the value that went in."""
    return any(
        isinstance(node, ast.Call) and _is_the_world(node) and _spans(node, site)
        for head in _head(statement)
        for node in ast.walk(head)
    )


def _given_to_the_world(site: Site) -> bool:
    """In a function that was called on the way: whether what left there went no further than that."""
    tree = _function(site.file, site.first_line)
    around = [statement for statement in _statements(tree) if _covers(statement, site)] if tree is not None else []
    return bool(around) and all(_goes_to_environment(statement, site) for statement in around)


def _is_the_world(call: ast.Call) -> bool:
    if not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr == "step" or "random" in (_dotted(call.func) or "").split(".")[:-1]


def _reads(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
        return set(_names(statement.value))
    if isinstance(statement, ast.For | ast.AsyncFor):
        return set(_names(statement.iter))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        return {n for part in [*call.args, *[k.value for k in call.keywords]] for n in _names(part)}
    return {name for head in _head(statement) for name in _names(head)}


def _names(node: ast.AST) -> Iterator[str]:
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.Call) and _is_the_world(part):
            continue
        if isinstance(part, ast.Name | ast.Attribute):
            name = _dotted(part)
            if name:
                yield name
        todo.extend(ast.iter_child_nodes(part))


def _expressions_at(statement: ast.stmt, site: Site) -> list[ast.AST]:
    """The smallest expression that spans the site (its arguments, where it is a call), or the whole head."""
    best: ast.AST | None = None
    for head in _head(statement):
        for node in ast.walk(head):
            if isinstance(node, ast.expr) and _spans(node, site):
                best = node
    if best is None:
        return _head(statement)
    return [best]


def _mentions(names: set[str], tainted: set[str]) -> bool:
    for name in names:
        for taint in tainted:
            if name == taint or name.startswith(taint + "."):
                return True
            if name != "self" and taint.startswith(name + "."):  # `self` is everything a class has: no link
                return True
    return False
