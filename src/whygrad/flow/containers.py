"""Where a program puts what a line makes into a list or a dict, read from its source."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, dotted, tree_of

_PUTS = frozenset({"append", "insert", "extend", "add", "setdefault", "update", "appendleft"})


def put_into(site: Site) -> Site:
    """The expression that keeps what is made at a site: `layers.append(layer)`, the list that begins some lines above.

    The site itself, where it is all there is to see.
    """
    statement, _, function = around(site)
    if isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets):
        names = {dotted(target) for target in statement.targets}
        scope = function or tree_of(site.file)
        parts = (n for n in ast.walk(scope) if isinstance(n, ast.expr | ast.stmt)) if scope is not None else ()
        later = (n for n in parts if n.lineno > statement.lineno and _takes(n, names))
        return next((at_node(site, node) for node in later), site)
    value = getattr(statement, "value", None)
    if statement is not None and statement.lineno < site.line and isinstance(value, ast.expr):
        return at_node(site, value)
    return site


def _takes(node: ast.AST, names: set[str]) -> bool:
    """Whether a list or a dict is given one of these names."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS and _named(node.args, names)
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Subscript) for target in node.targets) and _named([node.value], names)
    if isinstance(node, ast.Dict):
        return _named(node.values, names)
    return isinstance(node, ast.List | ast.Tuple | ast.Set) and _named(node.elts, names)


def _named(nodes: list[ast.expr], names: set[str]) -> bool:
    inner = [part for node in nodes for part in (node.elts if isinstance(node, ast.List | ast.Tuple) else [node])]
    return any(dotted(part) in names for part in inner)
