"""Statements that give a network its own content again, and so sync it with nothing."""

from __future__ import annotations

import ast

from whygrad.flow.syntax import dotted

_COPYING = frozenset({"jnp.copy", "jnp.array", "jnp.asarray", "np.array", "np.copy", "copy.copy", "copy.deepcopy"})


def is_made_of_itself(statement: ast.stmt) -> bool:
    """Whether a statement binds a network anew to what is made of it alone: moved to a device, wrapped, mapped."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call) or statement.value.keywords:
        return False
    given = [one for one in statement.value.args if not _knows_nothing(one) and dotted(one) not in _COPYING]
    names = [dotted(one) for one in (*statement.targets, *given)]
    return len(names) > 1 and names[0] != "" and set(names) == {names[0]}


def _knows_nothing(node: ast.expr) -> bool:
    """A number, or a function that uses only what it is given: `lambda p: jnp.copy(p)`."""
    if not isinstance(node, ast.Lambda):
        return isinstance(node, ast.Constant)
    own = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
    called = {id(root) for one in ast.walk(node.body) if isinstance(one, ast.Call) for root in ast.walk(one.func)}
    return all(one.id in own or id(one) in called for one in ast.walk(node.body) if isinstance(one, ast.Name))
