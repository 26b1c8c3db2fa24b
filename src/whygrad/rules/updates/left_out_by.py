"""JAX: the line that tells an optimizer which variables to leave alone, by a mask or by labels."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from whygrad.flow.site import Site
from whygrad.flow.syntax import dotted, tree_of

_SELECTS = frozenset({"masked", "multi_transform", "partition", "set_to_zero", "freeze", "selective_transform"})
_LABELS = frozenset({"multi_transform", "partition"})
"""Those of them that are given others."""


def left_out_by(files: Iterable[str]) -> Site | None:
    """The one such call in the user's own files; None where there is none, or where there are several."""
    found: list[Site] = []
    for file in files:
        tree = tree_of(file)
        inner = {
            id(node)
            for call in _selecting(tree, _LABELS)
            for given in (*call.args, *(k.value for k in call.keywords))
            for node in ast.walk(given)
        }
        for call in _selecting(tree, _SELECTS):
            if id(call) not in inner:
                end, column = call.end_lineno or call.lineno, call.end_col_offset or 0
                found.append(Site(file, call.lineno, call.col_offset, end, column, ""))
    return found[0] if len(found) == 1 else None


def _selecting(tree: ast.Module | None, names: frozenset[str]) -> list[ast.Call]:
    calls = [node for node in (ast.walk(tree) if tree is not None else ()) if isinstance(node, ast.Call)]
    return [call for call in calls if (name := dotted(call.func)).startswith("optax.") and name[6:] in names]
