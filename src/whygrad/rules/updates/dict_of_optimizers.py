"""A loop over a dict of optimizers, one for each part of a model: a part without one is never updated.

So is a part that is not among those whose parameters are put together for the optimizer, by their names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, at_node, bindings, dotted, site_of, spoken_in, tree_of

_VIEWS = frozenset({"items", "keys", "values"})


def dict_without(applied: Site, left_out: Iterable[str], trained: Iterable[str]) -> Site | None:
    """The dict that the loop around an update runs over, where its keys name what learns and not what is left out."""
    statement, loops, function = around(applied)
    missing, learning = _parts(left_out), _parts(trained)
    spoken = spoken_in(statement) if statement is not None else set()
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Assign) and spoken & {dotted(target) for target in node.targets}:
            keys = _chosen(node.value)
            if keys & learning and not keys & missing:
                return at_node(applied, node.value)
    for loop in reversed(loops):
        over = loop.iter
        if isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr in _VIEWS:
            over = over.func.value
        for _, value in bindings([applied.file], dotted(over)) if dotted(over) else ():
            for display in _displays(applied.file, value):
                keys = {key.value for key in display.keys if isinstance(key, ast.Constant)}
                if keys & learning and not keys & missing:
                    return site_of(applied.file, display)
    return None


def _chosen(value: ast.expr) -> set[object]:
    """The names that a dict is made for: `{name: params[name] for name in ("actor", "critic")}`."""
    over = value.generators[0].iter if isinstance(value, ast.DictComp) else None
    listed = over.elts if isinstance(over, ast.Tuple | ast.List | ast.Set) else []
    return {one.value for one in listed if isinstance(one, ast.Constant)}


def _parts(names: Iterable[str]) -> set[str]:
    """`actor` and `kernel` of `params['actor']['kernel']`."""
    return {part for name in names for part in re.findall(r"\w+", name)[1:]}


def _displays(file: str, value: ast.expr) -> list[ast.Dict]:
    """The dict that an expression writes down, or that the function it calls returns."""
    if isinstance(value, ast.Dict):
        return [value]
    name, tree = dotted(value.func) if isinstance(value, ast.Call) else "", tree_of(file)
    bodies = [n for n in ast.walk(tree) if isinstance(n, Function) and n.name == name] if tree and name else []
    ends = [node.value for body in bodies for node in ast.walk(body) if isinstance(node, ast.Return)]
    return [end for end in ends if isinstance(end, ast.Dict)]
