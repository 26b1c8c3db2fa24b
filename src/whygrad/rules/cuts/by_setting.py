"""A stop that the program makes only where one of its settings says so: `if self.frozen: x = stop_gradient(x)`.

What is behind a switch of the program's own was thought of. Whether the setting is what was wanted, the program does
not say.
"""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import covers, dotted, tree_of

_MODES = frozenset({"training"})
"""What a framework switches by itself."""


def stopped_by_setting(site: Site) -> str:
    """The setting that a line stands under, as the program writes it; empty where there is none."""
    tree = tree_of(site.file)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.If | ast.IfExp):
            continue
        inside = node.body if isinstance(node.body, list) else [node.body]
        if any(covers(part, site) for part in inside) and (named := _setting(node.test)):
            return named
    return ""


def _setting(test: ast.expr) -> str:
    """`self.frozen`, `config.freeze and not args.tune`, `FREEZE`: names that are given once, and no argument."""
    if isinstance(test, ast.BoolOp):
        return ast.unparse(test) if all(map(_setting, test.values)) else ""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return f"not {inner}" if (inner := _setting(test.operand)) else ""
    name = dotted(test) if isinstance(test, ast.Attribute | ast.Name) else ""
    last = name.rpartition(".")[2]
    return name if last not in _MODES and ("." in name or last.isupper()) else ""
