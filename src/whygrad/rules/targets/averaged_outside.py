"""An average of two networks that was computed in NumPy, on copies of their weights, and given to nobody.

The recording says that the weights of both left the framework while training went on, and that nothing came back; the
source says which line puts the two together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.flow.syntax import at_node, bound_at, function_of, spoken_in
from whygrad.rules.case import Case
from whygrad.rules.targets.twin import Twin


def averaged_outside(case: Case, twin: Twin) -> Site | None:
    """The line that adds shares of the two networks' weights, where both were taken out during training."""
    targets = _taken_out(case, twin.members, twin.begun)
    sources = _taken_out(case, twin.originals, twin.begun)
    for target in targets:
        for source in sources:
            found = _sum_of(target, source) if target.file == source.file else None
            if found is not None:
                return found
    return None


def averaged_with_itself(case: Case, twin: Twin) -> Site | None:
    """The line that adds shares of the target's own weights, and none of the trained network's."""
    sources = _taken_out(case, twin.originals, twin.begun)
    for target in _taken_out(case, twin.members, twin.begun):
        function = function_of(target)
        ours = _names(function, bound_at(target)) if function is not None else set()
        theirs = {name for site in sources for name in (_names(function, bound_at(site)) if function else ())}
        for statement, left, right in _sums(function) if function is not None else ():
            if left & ours and right & ours and not (left | right) & (theirs - ours):
                return at_node(target, statement)
    return None


def _taken_out(case: Case, variables: frozenset[int], since: int) -> list[Site]:
    """Where the content of these variables left for NumPy after training began."""
    sites: dict[Site, None] = {}
    for op in case.recording.ops.values():
        if op.kind != "leave" or op.at < since or op.name.startswith("predict"):
            continue
        site = case.site(op.stack)
        if site is not None and any(_content(case, v) in variables for v in op.inputs):
            sites.setdefault(site)
    return list(sites)


def _content(case: Case, value: int) -> int | None:
    made = case.made_by.get(value)
    if value not in case.content and made is not None and made.name in ("identity", "read_value") and made.inputs:
        value = made.inputs[0]
    return case.content.get(value)


def _sum_of(target: Site, source: Site) -> Site | None:
    function = function_of(target)
    if function is None or function is not function_of(source):
        return None
    ours, theirs = _names(function, bound_at(target)), _names(function, bound_at(source))
    for statement, left, right in _sums(function):
        if (left & ours and right & theirs) or (left & theirs and right & ours):
            return at_node(target, statement)
    return None


def _sums(function: ast.AST) -> Iterator[tuple[ast.stmt, set[str], set[str]]]:
    """Statements that add two things, with the names on either side."""
    for statement in ast.walk(function):
        if not isinstance(statement, ast.stmt) or hasattr(statement, "body"):
            continue
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            yield statement, spoken_in(statement.target), spoken_in(statement.value)
        for node in ast.walk(statement):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                yield statement, spoken_in(node.left), spoken_in(node.right)


def _names(function: ast.AST, bound: set[str]) -> set[str]:
    """The names that hold weights, and those that a loop gives to one after the other."""
    found = set(bound)
    for node in ast.walk(function):
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        over = node.iter.args if isinstance(node.iter, ast.Call) else [node.iter]
        given = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        if isinstance(node.iter, ast.Call) and "enumerate" in spoken_in(node.iter.func):
            inner = over[0] if over else None
            over = inner.args if isinstance(inner, ast.Call) else over
            last = given[-1]
            given = last.elts if isinstance(last, ast.Tuple) else [last]
        for one, name in zip(over, given, strict=False):
            if spoken_in(one) & bound:
                found |= spoken_in(name)
    return found
