"""JAX: a value of one traced or differentiated function that was kept, and used again outside of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.flow import syntax
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, quoted

_STORES = ("append", "extend", "add", "update", "setdefault", "insert")


def escaped(case: Case) -> Iterator[Finding]:
    """The value that got out, at the line that kept it."""
    failure = next((f for f in case.recording.failures if f.kind == "UnexpectedTracerError"), None)
    used = case.site(failure.stack) if failure is not None else None
    if failure is None or used is None:
        return
    made = case.site(failure.origin) if failure.origin is not None else None
    kept = _kept(made) if made is not None else None
    where = kept or used
    steps = [(made, "value", "computed while the function was traced"), (kept, "=", "kept after it here"),
             (used, "use", "used again here")]  # fmt: skip
    yield Finding(
        code="W107", rule="used-up", severity="error",
        message=f"{quoted(kept or made or used)} is kept from a function that JAX has finished with, and used again"
        f"{at_line(used, where)}",
        why="While a function is traced or differentiated its values are tracers: they stand for numbers that belong "
        "to that one run. When the function returns they mean nothing any more, and no gradient leads back through "
        "them.",
        fix="give the value back from the function (has_aux=True in jax.grad and value_and_grad), and hand it in "
        "again as an argument; a state goes in and out of every step",
        variables=(), where=where,
        label="outlives the function that it belongs to" if kept is not None else "belongs to a function that is over",
        path=tuple(PathStep(site, op, role) for site, op, role in dict.fromkeys(steps) if site is not None),
    )  # fmt: skip


def _kept(made: Site) -> Site | None:
    """The statement that keeps a value beyond the function in which it was computed."""
    statement, _, function = syntax.around(made)
    if statement is None or function is None:
        return None
    outer = {name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    names = {name for name in syntax.bound_at(made) if "." not in name}
    for one in [statement, *(node for node in ast.walk(function) if isinstance(node, ast.stmt))]:
        if one is not statement and not (_spoken(one) & names and one.lineno >= statement.lineno):
            continue
        if isinstance(one, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            parts = [p for t in targets for p in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
            if any(_outlives(part, outer) for part in parts):
                return syntax.at_node(made, one)
        elif isinstance(one, ast.Expr) and _puts_away(one.value):
            return syntax.at_node(made, one)
    return None


def _puts_away(call: ast.expr) -> bool:
    """`losses.append(loss)`."""
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _STORES


def _spoken(statement: ast.stmt) -> set[str]:
    value = getattr(statement, "value", None)
    return syntax.spoken_in(value) if isinstance(value, ast.AST) else set()


def _outlives(target: ast.expr, outer: set[str]) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript) or (isinstance(target, ast.Name) and target.id in outer)
