"""Where a program puts what a line makes into a list or a dict, read from its source."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, dotted, tree_of

_PUTS = frozenset({"append", "insert", "extend", "add", "setdefault", "update", "appendleft"})


def put_into(site: Site) -> Site:
    """The expression that keeps what is made at a site: `layers.append(layer)`, the list that begins some lines above.

    Where the list is a local one that becomes an attribute in the end (`self.layers = layers`), it is kept there. The
    site itself, where it is all there is to see.
    """
    statement, _, function = around(site)
    kept = _made_an_attribute(statement, function) if statement is not None and function is not None else None
    if kept is not None:
        return at_node(site, kept)
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


def _made_an_attribute(statement: ast.stmt, function: ast.AST) -> ast.stmt | None:
    """The assignment that makes an attribute of the local list which a statement puts something into."""
    names = {name} if (name := _local_list(statement)) else set()
    for node in sorted((n for n in ast.walk(function) if isinstance(n, ast.stmt)), key=lambda n: n.lineno):
        if node.lineno <= statement.lineno or not names:
            continue
        match node:
            case ast.Assign(targets=[ast.Attribute()], value=ast.Name(id=name)) if name in names:
                return node
        if isinstance(node, ast.Expr) and _takes(node.value, names):
            names |= {name} if (name := _local_list(node)) else set()
    return None


def _local_list(statement: ast.stmt) -> str:
    """The local name of what a statement puts something into (`layers.append(layer)`), or makes a list of."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.List | ast.ListComp | ast.Dict):
        return dotted(statement.targets[0]) if isinstance(statement.targets[0], ast.Name) else ""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _PUTS:
        return dotted(call.func.value) if isinstance(call.func.value, ast.Name) else ""
    return ""


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
