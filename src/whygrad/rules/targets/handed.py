"""What an argument is called by whoever calls the function: `self.target` for `target` of `update(self.target, …)`."""

from __future__ import annotations

import ast

from whygrad.flow.site import Site, Stack
from whygrad.flow.syntax import Function, around, dotted, tree_of


def handed_as(stack: Stack, index: int, name: str) -> str:
    """The caller's name for an argument of the function around a site of a stack; empty where it is no such thing."""
    _, _, function = around(stack[index])
    caller = next((site for site in stack[index + 1 :] if site.function != stack[index].function), None)
    call = _call(caller) if caller is not None else None
    if function is None or call is None:
        return ""
    for keyword in call.keywords:
        if keyword.arg == name:
            return dotted(keyword.value)
    place = _place(function, name)
    given = call.args[place] if place is not None and place < len(call.args) else None
    return dotted(given) if given is not None and not isinstance(given, ast.Starred) else ""


def _place(function: Function, name: str) -> int | None:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    return names.index(name) if name in names else None


def _call(site: Site) -> ast.Call | None:
    tree = tree_of(site.file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call):
            place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
            if place == (site.line, site.column, site.end_line, site.end_column):
                return node
    return None
