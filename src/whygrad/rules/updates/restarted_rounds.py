"""JAX: a round of updates that a program runs again and again, with everything that it gives back let fall.

A round (an epoch) has often more updates than are looked at, so the next one is not seen to begin anew. The source
tells: a function takes parameters and the state of their optimizer, gives both back under the same names, and is called
in a loop that keeps neither. A training that is repeated on purpose makes the state of its optimizer itself.
"""

from __future__ import annotations

import ast
from itertools import pairwise

from whygrad.flow.events import Step
from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, called, covers, dotted, spoken_in, tree_of
from whygrad.rules.case import Case
from whygrad.rules.updates.let_fall import read_around
from whygrad.rules.updates.rolled_back import RolledBack


def restarted_rounds(case: Case) -> list[RolledBack]:
    """The calls that run a round and let its end fall."""
    found: dict[Site, RolledBack] = {}
    for step in case.recording.steps:
        stack = case.stack(step.returned if step.returned is not None else step.stack)
        for inner, outer in pairwise(stack):
            if not _lets_fall(case, inner, outer, step):
                continue
            one = found.setdefault(outer, RolledBack(outer, [], set(), again=True))
            one.steps.append(step)
            one.variables |= step.applied
            break
    return [one for one in found.values() if len(one.steps) > 1]


def _lets_fall(case: Case, inner: Site, outer: Site, step: Step) -> bool:
    """Whether a call is made in a loop, and what it carries on from round to round goes to nobody."""
    statement, loops, _ = around(outer)
    function, call = around(inner)[2], _whole_call(statement, outer)
    if function is None or call is None or statement is None or not loops or _called_elsewhere(outer.file, call):
        return False
    carried = _carried(function, call)
    rebound = {name for loop in loops for name in _stored(loop)}
    if not carried or rebound & set(carried) or not all(_counts(loop, call) for loop in loops):
        return False
    if _keeps_itself(function, set(carried)):
        return False
    if not all(_falls(statement, place, outer) for place in carried.values()):
        return False
    names = {case.variable(v).name for v in step.applied}
    return len(carried) > 1 or any(name.startswith(f"{whole}.") for whole in carried for name in names)


def _whole_call(statement: ast.stmt | None, site: Site) -> ast.Call | None:
    """The call that a statement consists of, but for the names that its results get."""
    value = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
    return value if isinstance(value, ast.Call) and covers(value, site) and value.lineno == site.line else None


def _called_elsewhere(file: str, call: ast.Call) -> bool:
    """Whether the same function is called from other places, too: one of them may be there to warm up."""
    tree, name = tree_of(file), called(call.func)
    nodes = ast.walk(tree) if tree is not None else ()
    return sum(isinstance(n, ast.Call) and called(n.func) == name for n in nodes) != 1


def _carried(function: Function, call: ast.Call) -> dict[str, int]:
    """What a function takes, changes and gives back by one name: what it is given, and the result's place."""
    ends = [n for n in ast.walk(function) if isinstance(n, ast.Return)]
    if len(ends) != 1 or ends[0].value is None:
        return {}
    results = ends[0].value.elts if isinstance(ends[0].value, ast.Tuple) else [ends[0].value]
    taken = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
    taken = taken[1:] if taken[:1] == ["self"] and isinstance(call.func, ast.Attribute) else taken
    given = {**dict(zip(taken, call.args, strict=False)), **{k.arg: k.value for k in call.keywords if k.arg}}
    changed = _stored(function)
    found: dict[str, int] = {}
    for place, result in enumerate(results):
        name = result.id if isinstance(result, ast.Name) else ""
        whole = dotted(given[name]) if name in given and name in changed else ""
        if whole:
            found[whole] = place
    return found


def _keeps_itself(function: Function, carried: set[str]) -> bool:
    """Whether a function puts away what it gives back: in an attribute of that name, or in a name from around it."""
    kept = {name.rpartition(".")[2] for name in _stored(function) if "." in name}
    outer = any(isinstance(n, ast.Global | ast.Nonlocal) for n in ast.walk(function))
    return outer or any(name.rpartition(".")[2] in kept for name in carried)


def _stored(node: ast.AST) -> set[str]:
    return {dotted(n) for n in ast.walk(node) if isinstance(getattr(n, "ctx", None), ast.Store)} - {""}


def _counts(loop: ast.For, call: ast.Call) -> bool:
    """Whether a loop only counts its rounds: what each round is given of it is at most their number."""
    counter, arguments = spoken_in(loop.target), (*call.args, *(k.value for k in call.keywords))
    counts = isinstance(loop.iter, ast.Call) and called(loop.iter.func).rpartition(".")[2] in ("range", "trange")
    return all(not spoken_in(a) & counter or (counts and isinstance(a, ast.Name)) for a in arguments)


def _falls(statement: ast.stmt, place: int, site: Site) -> bool:
    """Whether the result at a place gets no name, or one that nothing reads."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return isinstance(statement, ast.Expr)
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else []
    if place >= len(parts) or any(isinstance(part, ast.Starred) for part in parts):
        return False
    part = parts[place]
    return isinstance(part, ast.Name) and part.id not in read_around(site)
