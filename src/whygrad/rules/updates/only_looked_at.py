"""JAX: a loop that asks for the loss and its gradient in every round, shows them, and never makes a step with them.

No optimizer was made, so that nothing waits for these gradients. What tells a training that lacks its update from one
that looks at gradients on purpose: the network was drawn at random in this program and nothing ever changes it, the
value of the loss is asked for and read in each round, and of the gradient nothing is left but a number for a log. A
check compares it with something, an estimate adds it up or keeps it, a benchmark reads a clock.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, bindings, dotted, function_of, spoken_in, tree_of
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.never_applied import made_of, update_waits
from whygrad.rules.wording import subject, verb

_ROUNDS = 3
_PAIR = 2
_REDUCES = frozenset(
    {"mean", "sum", "norm", "global_norm", "max", "min", "amax", "amin", "vdot", "any", "all", "std", "var", "float",
     "item", "isfinite", "isnan", "print"}
)  # fmt: skip
_MEASURES = frozenset(
    {"block_until_ready", "perf_counter", "timeit", "time", "monotonic", "process_time", "profiler", "allclose",
     "assert_allclose", "check_grads", "isclose", "array_equal"}
)  # fmt: skip
_DRAWS = ("normal", "uniform", "orthogonal", "random_bits", "randint")
_RESULTS = frozenset({"gradient", "scan", "while", "while_loop", "callback", "pure_callback"})
_Loop = ast.For | ast.While


def only_looked_at(case: Case) -> Iterator[Finding]:
    """The one place of a program that asks for gradients, where it does nothing but show them."""
    recording = case.recording
    if recording.framework != "jax" or recording.cut_short or recording.failed or recording.begun:
        return
    if recording.steps or recording.astray or recording.moved_later or recording.unmoved or recording.copies:
        return
    asked = [b for b in recording.backwards if not b.implicit]
    first = asked[0] if len(asked) >= _ROUNDS else None
    if first is None or any(b.error or b.stack != first.stack or b.read != first.read for b in asked):
        return
    if not _drawn_network(case, first) or _moved_elsewhere(case, first) or update_waits(case):
        return
    if not _value_is_asked(case) or any(made_of(case, b) for b in asked):
        return
    where = _shown_in_loop(case, first)
    if where is not None:
        yield _finding(case, first, where, len(asked))


def _finding(case: Case, backward: Backward, where: Site, rounds: int) -> Finding:
    members = set(backward.got)
    came, loss = case.site(backward.stack), case.loss_site(backward)
    return Finding(
        code="W201", rule="not-in-optimizer", severity="warning",
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} a gradient that nobody applies: it is "
        "looked at, and there is no update",
        why=f"The loss and its gradient are computed here in each of {rounds} rounds, every time with the same "
        "parameters. The gradient is dropped, and the parameters keep their first values.",
        fix="make a step with it and keep the result: params = jax.tree.map(lambda p, g: p - rate * g, params, grads), "
        "or an optimizer of Optax",
        variables=case.names(members), where=where, label="computed again and again, and never applied", loss=loss,
        path=stations((came if came != where else None, "grad", "the gradient comes here")), seen=rounds,
    )  # fmt: skip


def _drawn_network(case: Case, backward: Backward) -> bool:
    """Whether these are weights and biases of layers, and each weight was drawn at random in this program."""
    sizes = {v: len(case.variable(v).shape) for v in backward.wanted}
    weights = [v for v, size in sizes.items() if size > 1]
    return len(weights) > 1 and 1 in sizes.values() and all(_drawn(case, backward.read[v]) for v in weights)


def _moved_elsewhere(case: Case, backward: Backward) -> bool:
    """Whether something is added to these weights outside of the loss: a check by differences, a step of its own."""
    values, content = case.recording.values, set(backward.read.values())
    sums = (op for op in case.recording.ops.values() if op.name in ("add", "sub") and not op.tapes)
    return any(values[v].shape == values[op.outputs[0]].shape for op in sums for v in content & set(op.inputs))


def _drawn(case: Case, value: int) -> bool:
    todo, seen, drawn = [value], {value}, False
    while todo:
        made = case.made_by.get(todo.pop())
        if made is None:
            continue
        if made.name in _RESULTS:
            return False
        drawn = drawn or any(draw in made.name for draw in _DRAWS)
        fresh = [v for v in made.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return drawn


def _value_is_asked(case: Case) -> bool:
    """Whether the program asks for the loss with its gradient, and nowhere for a gradient by itself.

    Who trains wants to see the loss; who studies gradients needs no value.
    """
    files = {site.file for sites in case.recording.stacks for site in sites if site.own}
    names: set[str] = set()
    for tree in filter(None, map(tree_of, files)):
        nodes = list(ast.walk(tree))
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)}
        names |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    return bool(names & {"value_and_grad", "filter_value_and_grad"}) and not names & {"grad", "filter_grad"}


def _shown_in_loop(case: Case, backward: Backward) -> Site | None:
    """The call in a loop that gives the loss and its gradient, where the loop reads the one and drops the other."""
    sites = [site for site in case.stack(backward.stack) if site.own]
    for depth, site in enumerate(sites):
        loop = _loop_around(site)
        if loop is None:
            continue
        statement, loops, _ = around(site)
        names = _given(statement)
        if any(_is_sweep(one.iter, site) for one in loops):
            return None
        if not names or names[0].startswith("_") or not _reads(loop, names[0]) or spoken_in(loop) & _MEASURES:
            return None
        if len(names) == 1 and (not depth or _hands_out_gradient(sites[0])):
            return None
        return None if _kept(loop, site, _gradients(sites, depth) & set(names[1:])) else site
    return None


def _loop_around(site: Site) -> _Loop | None:
    """The outermost loop of its function that a site stands in."""
    scope = function_of(site)
    todo = list(ast.iter_child_nodes(scope)) if scope is not None else []
    while todo:
        node = todo.pop()
        if isinstance(node, _Loop) and node.body[0].lineno <= site.line <= (node.end_lineno or 0):
            return node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
    return None


def _is_sweep(iterated: ast.expr, site: Site) -> bool:
    """Whether a loop goes through settings that are written down: `for scale in (0.1, 1.0)`, a `linspace`."""
    if isinstance(iterated, ast.Name):
        return any(_is_sweep(value, site) for _, value in bindings([site.file], iterated.id))
    spaced = isinstance(iterated, ast.Call) and dotted(iterated.func).endswith(("space", "arange", ".items"))
    return spaced or isinstance(iterated, ast.Tuple | ast.List | ast.Dict)


def _given(statement: ast.stmt | None) -> list[str]:
    """The names that a statement gives to what it calls, in order: of `(loss, aux), grads = …` all three."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    return [node.id for node in _flat(statement.targets[0]) if isinstance(node, ast.Name)]


def _gradients(sites: list[Site], depth: int) -> set[str]:
    """The names that the gradients have at the last of these calls, the first of which asks for them.

    A value and its gradient come as a pair; what a function returns of it keeps its place.
    """
    statement, _, function = around(sites[0])
    parts = _parts(statement)
    if len(parts) != _PAIR:
        return set(_given(around(sites[depth])[0]))
    names = {node.id for node in _flat(parts[1]) if isinstance(node, ast.Name)}
    if not depth:
        return names
    outer = _parts(around(sites[depth])[0])
    ends = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)] if function is not None else []
    if depth > 1 or len(ends) != 1 or not isinstance(ends[0], ast.Tuple) or len(ends[0].elts) != len(outer):
        return set(_given(around(sites[depth])[0]))
    whole = [part for part, value in zip(outer, ends[0].elts, strict=True) if _whole(value, names)]
    return {node.id for part in whole for node in _flat(part) if isinstance(node, ast.Name)}


def _parts(statement: ast.stmt | None) -> list[ast.expr]:
    """What a statement takes a tuple apart into."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    return list(target.elts) if isinstance(target, ast.Tuple) else []


def _flat(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _flat(part)
    else:
        yield target


def _reads(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


def _hands_out_gradient(site: Site) -> bool:
    """Whether the function that asks returns more than the value of the loss, or what it returns is not known."""
    statement, _, function = around(site)
    names = _given(statement)
    if len(names) < 2 or function is None:
        return True
    ends = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return any(end.value is None or spoken_in(end.value) & set(names[1:]) for end in ends)


def _kept(loop: _Loop, site: Site, names: set[str]) -> bool:
    """Whether something of the size of a gradient outlives the round, goes elsewhere, or is compared."""
    (statement, _, _), scope = around(site), function_of(site)
    nodes = [node for node in ast.walk(loop) if isinstance(node, ast.stmt) and node is not statement]
    known: set[str] = set()
    while known != names:
        known = set(names)
        for node in nodes:
            targets = _bound_to(node, known)
            if any(not isinstance(one, ast.Name) or _goes_round(node, one.id) for one in targets):
                return True
            names |= {name for one in targets for name in spoken_in(one)}
    after = [n for n in (ast.walk(scope) if scope is not None else ()) if isinstance(n, ast.stmt)]
    after = [n for n in after if n.lineno > (loop.end_lineno or 0)]
    return any(_takes(node, names) for node in nodes) or any(_reads(node, name) for node in after for name in names)


def _goes_round(node: ast.stmt, name: str) -> bool:
    """`total = total + g`."""
    return isinstance(node, ast.Assign) and _reads(node.value, name)


def _bound_to(node: ast.stmt, names: set[str]) -> list[ast.expr]:
    """What a statement gives something as large as one of these to."""
    if isinstance(node, ast.Assign) and _whole(node.value, names):
        return [one for target in node.targets for one in _flat(target)]
    return list(_flat(node.target)) if isinstance(node, ast.For) and _whole(node.iter, names) else []


def _takes(node: ast.stmt, names: set[str]) -> bool:
    """Whether a statement adds up, hands on or compares what has one of these names."""
    if isinstance(node, ast.AugAssign | ast.Return | ast.Expr) and node.value is not None and _whole(node.value, names):
        return True
    if isinstance(node, ast.Assert):
        return bool(spoken_in(node) & names)
    simple = isinstance(node, ast.Assign | ast.AugAssign | ast.Expr)
    parts = (n for n in (ast.walk(node) if simple else ()) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Sub))
    return any(spoken_in(one) & names for one in parts)


def _whole(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression speaks of one of these names outside of what makes a single number of it."""
    if isinstance(node, ast.Name):
        return node.id in names
    if isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else dotted(node.func)
        if called in _REDUCES and not any(keyword.arg == "axis" for keyword in node.keywords):
            return False
        if any(
            isinstance(one, ast.Lambda) and not _whole(one.body, {a.arg for a in one.args.args}) for one in node.args
        ):
            return False  # `lambda g: jnp.linalg.norm(g)`, given to what goes through a tree
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp):
        inner = set().union(*(spoken_in(part.target) for part in node.generators))
        return _whole(node.value if isinstance(node, ast.DictComp) else node.elt, names | inner)
    return any(_whole(child, names) for child in ast.iter_child_nodes(node))
