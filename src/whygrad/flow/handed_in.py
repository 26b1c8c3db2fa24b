"""Who chose what a call is given: the line itself, or the caller of the function that it stands in."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import covers, tree_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COPIES = frozenset({"list", "tuple", "iter", "chain"})


def is_handed_in(site: Site) -> bool:
    """Whether the first thing that a call is given is an argument of the function or lambda around it, as it is."""
    tree = tree_of(site.file)
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.Call | _Function)] if tree is not None else []
    calls = [node for node in parts if isinstance(node, ast.Call) and covers(node, site)]
    functions = [node for node in parts if isinstance(node, _Function) and covers(node, site)]
    if not calls or not functions:
        return False
    call, function = min(calls, key=_lines), min(functions, key=_lines)
    given = [a.value if isinstance(a, ast.Starred) else a for a in (*call.args, *(k.value for k in call.keywords))]
    first = given[0] if given else None
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Name) and first.func.id in _COPIES and first.args:
        first = first.args[0]
    own = function.args
    names = {a.arg for a in (*own.posonlyargs, *own.args, *own.kwonlyargs)}
    names |= {a.arg for a in (own.vararg, own.kwarg) if a is not None}
    return isinstance(first, ast.Name) and first.id in names


def _lines(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return (node.end_lineno or node.lineno) - node.lineno, (node.end_col_offset or 0) - node.col_offset
