"""Which expression has to change where a gradient becomes zero."""

from __future__ import annotations

import ast

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, at_node, bindings, covers, dotted, function_of, spoken_in, tree_of
from whygrad.rules.case import Case
from whygrad.rules.numbers.flatness import Dead, fed_by
from whygrad.rules.targets.handed import handed_as


def place_of(case: Case, dead: Dead) -> Site | None:
    """What made the zero where there is one, the layer that has the flat activation, else the flat operation."""
    if dead.why == "zero weights" and dead.zero_variable is not None:
        return _filled(case, dead.zero_variable) or case.site(dead.op.stack)
    if dead.why == "zero factor" and dead.zero is not None and dead.zero.kind != "enter":
        return case.site(zero_row(case, dead.zero).stack)
    if dead.why == "zero factor" and (computed := computed_outside(case, dead)) is not None:
        return computed
    here = case.site(dead.op.stack)
    if here is None or not _says_little(case, dead, here):
        return here
    layer = fed_by(case, dead.source)
    return next((s for v in sorted(layer) if (s := case.site(case.variable(v).created)) is not None), here)


def computed_outside(case: Case, dead: Dead) -> Site | None:
    """Where NumPy computed the zeros that came in: what was last bound to the name that is handed over there.

    An argument was bound by whoever calls the function; what a function of the program returned, by its last line.
    """
    zero = dead.zero if dead.zero is not None and dead.zero.kind == "enter" else None
    stack = case.stack(zero.stack) if zero is not None else ()
    site = stack[0] if stack else None
    tree = tree_of(site.file) if site is not None else None
    if site is None or tree is None:
        return None
    handed = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and covers(n, site) and n.lineno == site.line]
    names = {dotted(_plain(argument)) for call in handed for argument in call.args[:1]} - {""}
    for depth, place in enumerate(stack):
        value = _last_bound(place, names)
        if value is not None:
            value = _returned(place, value) or value
            return at_node(place, value) if isinstance(value, ast.BinOp) else None
        if place.function != stack[min(depth + 1, len(stack) - 1)].function:
            names = {outer for name in names if (outer := handed_as(stack, depth, name))}
    return None


def _last_bound(site: Site, names: set[str]) -> ast.expr | None:
    function = function_of(site)
    bound = [
        node.value
        for node in (ast.walk(function) if function is not None else ())
        if isinstance(node, ast.Assign) and node.lineno < site.line and names & {dotted(t) for t in node.targets}
    ]
    return max(bound, key=lambda value: value.lineno, default=None)


def _returned(site: Site, value: ast.expr) -> ast.expr | None:
    """What a function of the program's own returns that does nothing else with it."""
    name = dotted(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    tree = tree_of(site.file)
    made = (
        [n for n in ast.walk(tree) if isinstance(n, Function) and n.name == name] if tree is not None and name else []
    )
    ends = [n.value for one in made for n in ast.walk(one) if isinstance(n, ast.Return)]
    return ends[0] if len(ends) == 1 else None


def _plain(node: ast.expr) -> ast.expr:
    """What an expression takes rows or columns of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def zero_row(case: Case, zero: Op) -> Op:
    """JAX: what a loop made zeros of in each of its rounds, where it gives back the rows of all of them."""
    rows = [case.made_by.get(v) for v in zero.inputs] if zero.name == "stack" else []
    first = rows[0] if rows else None
    same = first is not None and all(row is not None and row.stack == first.stack for row in rows)
    return first if first is not None and same and first.kind != "enter" else zero


def _says_little(case: Case, dead: Dead, here: Site) -> bool:
    """`model.fit(x, y)`, and in TensorFlow `net(x)`: the layer's own line has its activation."""
    if here == case.site(dead.backward.stack):
        return True
    return within_layer(case, dead.source, here)


def within_layer(case: Case, value: int, here: Site) -> bool:
    """TensorFlow: whether weights were multiplied within the very same call, so that an activation is a part of it."""
    made = case.made_by.get(value) if case.recording.framework == "tensorflow" else None
    while made is not None and case.site(made.stack) == here:
        if any(v in case.content for v in made.inputs):
            return True
        made = case.made_by.get(made.inputs[0]) if made.inputs else None
    return False


def _filled(case: Case, variable: int) -> Site | None:
    """Where a variable got its content: the last write before the first step, else where it was made."""
    first = case.recording.steps[0].at if case.recording.steps else 0
    writes = [w for w in case.recording.writes if w.variable == variable and w.at < first]
    known = case.variable(variable)
    where = case.site(writes[-1].stack if writes else known.filled if known.filled is not None else known.created)
    return where and (_bound_before(where, known.name.partition("[")[0].partition(".")[0]) or where)


def _bound_before(site: Site, name: str) -> Site | None:
    """JAX: what NumPy made is first seen where it is given away: `params = update(params, batch)`. It was bound before.

    The nearest line above that binds the name, without speaking of it.
    """
    statement, _, _ = around(site)
    if not isinstance(statement, ast.Assign) or name not in spoken_in(statement.value):
        return None
    made = [one for one, value in bindings([site.file], name) if one.line < site.line and name not in spoken_in(value)]
    return made[-1] if made else None
