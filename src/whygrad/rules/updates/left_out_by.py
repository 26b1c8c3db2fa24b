"""JAX: the line that tells an optimizer which variables to leave alone, by a mask or by labels."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from whygrad.flow.site import Site
from whygrad.flow.syntax import dotted, site_of, tree_of

_ZEROS = frozenset({"set_to_zero"})
_SELECTS = frozenset({"masked", "multi_transform", "partition", "freeze", "selective_transform"})


def left_out_by(files: Iterable[str]) -> Site | None:
    """The one such call in the user's own files; None where there is none, or where there are several.

    What it is given may have been written before it (a dict of transformations): zeros alone select nothing.
    """
    trees = [(file, tree_of(file)) for file in files]
    for names in (_SELECTS, _ZEROS):
        found = [site_of(file, call) for file, tree in trees for call in _outermost(_calls(tree, names))]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def zeros_by(files: Iterable[str]) -> Site | None:
    """The one call of `optax.set_to_zero` in the user's own files."""
    found = [site_of(file, call) for file in files for call in _calls(tree_of(file), _ZEROS)]
    return found[0] if len(found) == 1 else None


def _outermost(calls: list[ast.Call]) -> list[ast.Call]:
    """Without those that another one of them is given."""
    inner = {
        id(node)
        for call in calls
        for given in (*call.args, *(k.value for k in call.keywords))
        for node in ast.walk(given)
    }
    return [call for call in calls if id(call) not in inner]


def _calls(tree: ast.Module | None, names: frozenset[str]) -> list[ast.Call]:
    calls = [node for node in (ast.walk(tree) if tree is not None else ()) if isinstance(node, ast.Call)]
    return [call for call in calls if (name := dotted(call.func)).startswith("optax.") and name[6:] in names]
