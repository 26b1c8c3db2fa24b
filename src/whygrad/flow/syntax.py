"""Reading the user's source as a syntax tree: what stands around a site, what is called there, what gets which name."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import replace

from whygrad.flow.site import Site

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.lru_cache(maxsize=512)
def tree_of(file: str) -> ast.Module | None:
    """The parsed source of a file, None where there is none."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def dotted(node: ast.AST) -> str:
    """`self.target` of an expression, empty where it is no plain name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    if isinstance(node, ast.Subscript):
        return dotted(node.value)
    return ""


def called(node: ast.AST) -> str:
    """`nets['target']` of an expression with a fixed key in it, else what `dotted` says."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        base = called(node.value)
        return f"{base}[{node.slice.value!r}]" if base else ""
    if isinstance(node, ast.Attribute):
        base = called(node.value)
        return f"{base}.{node.attr}" if base else ""
    return dotted(node)


@functools.lru_cache(maxsize=4096)
def around(site: Site) -> tuple[ast.stmt | None, list[ast.For], Function | None]:
    """The statement of a site, the loops around it in its function, and the function."""
    tree = tree_of(site.file)
    statement: ast.stmt | None = None
    loops: list[ast.For] = []
    function: Function | None = None
    todo: list[ast.AST] = [tree] if tree is not None else []
    while todo:
        node = todo.pop()
        for child in ast.iter_child_nodes(node):
            begin, end = getattr(child, "lineno", None), getattr(child, "end_lineno", None)
            if begin is None:
                todo.append(child)
            elif begin <= site.line <= (end or begin):
                if isinstance(child, Function):
                    function, loops, statement = child, [], None
                elif isinstance(child, ast.For):
                    loops.append(child)
                if isinstance(child, ast.stmt):
                    statement = child
                todo.append(child)
    return statement, loops, function


def bound_at(site: Site) -> set[str]:
    """The names that are given what a site computes: by assignment, or one after the other by a loop."""
    statement, loops, _ = around(site)
    found: set[str] = set()
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Assign) and covers(node.value, site):
            found |= {name for target in node.targets for name in spoken_in(target)}
        elif isinstance(node, ast.comprehension | ast.For) and covers(node.iter, site):
            found |= _looped(node, site)
    for loop in loops:
        if covers(loop.iter, site):
            found |= _looped(loop, site)
    return found


def _looped(loop: ast.For | ast.comprehension, site: Site) -> set[str]:
    """The names that a loop gives to what a site computes: with `zip`, those in its place."""
    over = loop.iter
    if isinstance(over, ast.Call) and dotted(over.func) == "zip" and isinstance(loop.target, ast.Tuple):
        for given, name in zip(over.args, loop.target.elts, strict=False):
            if covers(given, site):
                return spoken_in(name)
    return spoken_in(loop.target)


def unread_names(site: Site) -> set[str]:
    """The names that a statement gives to parts of what it calls, and that nothing in its function reads.

    `_`, and what begins so, says that the part is not wanted.
    """
    statement, _, _ = around(site)
    scope = function_of(site)
    given = statement.targets if isinstance(statement, ast.Assign) else []
    parts = [part for target in given if isinstance(target, ast.Tuple) for part in target.elts]
    names = {part.id for part in parts if isinstance(part, ast.Name) and not part.id.startswith("_")}
    loaded = (n.id for n in (ast.walk(scope) if scope and names else ()) if isinstance(n, ast.Name) and _is_read(n))
    return names.difference(loaded)


def _is_read(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Store)


def handed_out(site: Site) -> bool:
    """Whether a function returns what it computes at a site: there, or by a name, beside other things or alone."""
    statement, _, function = around(site)
    if isinstance(statement, ast.Return):
        return True
    names = bound_at(site)
    ends = [node for node in ast.walk(function) if isinstance(node, ast.Return)] if function is not None else []
    return any(dotted(one).partition(".")[0] in names for end in ends if end.value for one in _parts(end.value))


def lets_fall(site: Site) -> bool:
    """Whether a part of what is called is returned, and another one never read: `state, _ = rnn(state, x)`."""
    statement, loops, function = around(site)
    targets = statement.targets if isinstance(statement, ast.Assign) and covers(statement.value, site) else []
    parts = [part for target in targets if isinstance(target, ast.Tuple) for part in target.elts]
    if statement is None or function is None or loops or len(parts) < 2 or not handed_out(site):
        return False
    last = statement.end_lineno or statement.lineno
    after = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.lineno > last)
    read = {n.id for n in after if _is_read(n)}
    return any(not spoken_in(part) & read for part in parts)


def takes_several(site: Site) -> bool:
    """Whether what is called at a site is given more than one thing: an input and a state."""
    statement, _, _ = around(site)
    calls = (n for n in (ast.walk(statement) if statement else ()) if isinstance(n, ast.Call))
    return any(len(n.args) + len(n.keywords) > 1 for n in calls if _place(n) == _place_of(site))


def throws_away(site: Site) -> bool:
    """Whether a statement says that a part of what it calls is not wanted: `_, logits = model(x)`."""
    statement, _, _ = around(site)
    given = statement.targets if isinstance(statement, ast.Assign) else []
    parts = [part for target in given if isinstance(target, ast.Tuple) for part in target.elts]
    return any(isinstance(part, ast.Name) and part.id.startswith("_") for part in parts)


def _parts(value: ast.expr) -> list[ast.expr]:
    """What an expression puts together as it is: a tuple, a dict, an object of a class (`Output(q=q)`)."""
    if isinstance(value, ast.Tuple | ast.List):
        return [part for one in value.elts for part in _parts(one)]
    if isinstance(value, ast.Dict):
        return [part for one in value.values for part in _parts(one)]
    if isinstance(value, ast.Call) and dotted(value.func).rpartition(".")[2][:1].isupper():
        return [part for one in (*value.args, *(k.value for k in value.keywords)) for part in _parts(one)]
    return [value]


def site_of(file: str, node: ast.expr | ast.stmt, function: str = "") -> Site:
    """The site of a node of a file."""
    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return Site(file, node.lineno, node.col_offset, last, end, function)


def at_node(site: Site, node: ast.expr | ast.stmt) -> Site:
    """The site of a node in the function that another site stands in."""
    end, column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return replace(site, line=node.lineno, column=node.col_offset, end_line=end, end_column=column)


def expression_around(sites: Iterable[Site]) -> Site | None:
    """The smallest expression that all of these sites of one file lie in: `nn.Sequential(…)` over several lines."""
    apart = list(sites)
    statement, _, _ = around(apart[0])
    inside = [n for n in ast.walk(statement) if isinstance(n, ast.expr)] if statement is not None else []
    found = [node for node in inside if all(covers(node, site) for site in apart)]
    return at_node(apart[0], min(found, key=_extent)) if found else None


def _extent(node: ast.expr) -> tuple[int, int]:
    lines = (node.end_lineno or node.lineno) - node.lineno
    return lines, (node.end_col_offset or 0) - node.col_offset


def function_of(site: Site) -> ast.AST | None:
    """The function that a site stands in, else its file."""
    _, _, function = around(site)
    return function if function is not None else tree_of(site.file)


def covers(node: ast.AST, site: Site) -> bool:
    """Whether a site lies within an expression or statement."""
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)  # type: ignore[attr-defined]
    return begin <= (site.line, site.column) and (site.end_line, site.end_column) <= end


def spoken_in(node: ast.AST) -> set[str]:
    """Every part of every dotted name in an expression."""
    return {part for one in ast.walk(node) for part in dotted(one).split(".") if part}


@functools.lru_cache(maxsize=512)
def _calls(file: str) -> dict[tuple[int, int, int, int], str]:
    """What is called at each place of a file."""
    tree = tree_of(file)
    return {
        _place(node): called(node.func)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call)
    }


def called_at(site: Site) -> str:
    """The function or method that is called at a site, as it is written."""
    return _calls(site.file).get(_place_of(site), "")


def callee(site: Site) -> str:
    """What is called at a site: `self.target` of `self.target(next_states)` and of `self.target.predict(x)`."""
    name = called_at(site)
    base, _, method = name.rpartition(".")
    return base if method in ("forward", "predict", "call", "predict_on_batch", "__call__", "apply") else name


def given_at(site: Site) -> bool:
    """Whether what is called at a site is an argument of the function around it, so that its caller tells which."""
    _, _, function = around(site)
    given = {a.arg for a in function.args.args} - {"self", "cls"} if function is not None else set()
    return callee(site).partition(".")[0] in given


def arguments(site: Site) -> list[str]:
    """The plain names that a call is given, in order: `params`, `self.target_params`."""
    tree = tree_of(site.file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and _place(node) == _place_of(site):
            return [name for a in (*node.args, *(k.value for k in node.keywords)) if (name := dotted(a))]
    return []


def bindings(files: Iterable[str], name: str) -> Iterator[tuple[Site, ast.expr]]:
    """Assignments to a name (`target`, `self.target`, one of several), with the expression it is given."""
    for file in files:
        yield from assignments(file).get(name, ())


@functools.lru_cache(maxsize=512)
def functions(file: str) -> frozenset[str]:
    """The names of the functions and methods that a file defines."""
    tree = tree_of(file)
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, Function)) if tree is not None else frozenset()


@functools.lru_cache(maxsize=512)
def assignments(file: str) -> dict[str, list[tuple[Site, ast.expr]]]:
    """For each name of a file, the assignments to it with the expression that it is given."""
    tree = tree_of(file)
    found: dict[str, list[tuple[Site, ast.expr]]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign):
            site = site_of(file, node)
            for place in node.targets:
                for target, value in _matched(place, node.value):
                    for name in {dotted(target), called(target)}:
                        found.setdefault(name, []).append((site, value))
    return found


def assigned_in(file: str, owner: str, name: str) -> Site | None:
    """The first assignment to a name (`self.layers`) in the body of a class."""
    tree = tree_of(file)
    short = owner.rpartition(".")[2]
    bodies = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == short] if tree is not None else []
    for site, _ in assignments(file).get(name, ()):
        if any(body.lineno <= site.line <= (body.end_lineno or body.lineno) for body in bodies):
            return site
    return None


def declared_in(file: str, owner: str, name: str) -> Site | None:
    """The declaration of a field (`head: Linear = field(static=True)`) in the body of a class."""
    tree = tree_of(file)
    for body in ast.walk(tree) if tree is not None else ():
        if not isinstance(body, ast.ClassDef) or body.name != owner.rpartition(".")[2]:
            continue
        for node in body.body:
            if isinstance(node, ast.AnnAssign) and dotted(node.target) == name:
                return site_of(file, node, owner)
    return None


def _matched(place: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(place, ast.Tuple) and isinstance(value, ast.Tuple) and len(place.elts) == len(value.elts):
        yield from zip(place.elts, value.elts, strict=True)
    elif isinstance(place, ast.Tuple):
        yield from ((one, value) for one in place.elts)
    else:
        yield place, value


def stepped_with(weights: Site, gradient: Site) -> bool:
    """Whether what left at one site is added to or taken off what left at the other: `w[i] - rate * g.numpy()`."""
    if weights.file != gradient.file:
        return False
    statement, _, _ = around(gradient)
    bound = bound_at(weights)
    for node in ast.walk(statement) if statement is not None else ():
        sides: list[ast.AST] = []
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
            sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.target, node.value]
        for mine, other in (sides, sides[::-1]) if sides else ():
            apart = covers(mine, gradient) and not covers(other, gradient)
            if apart and (covers(other, weights) or spoken_in(other) & bound):
                return True
    return False


def is_result(site: Site) -> bool:
    """Whether an expression is all that its function returns: `return head(x)`, or `x = head(x)` and `return x`."""
    statement, _, function = around(site)
    if isinstance(statement, ast.Return):
        return statement.value is not None and _place(statement.value) == _place_of(site)
    if function is None or not isinstance(statement, ast.Assign) or _place(statement.value) != _place_of(site):
        return False
    names = {dotted(target) for target in statement.targets}
    after = [n for n in ast.walk(function) if getattr(n, "lineno", 0) > (statement.end_lineno or 0)]
    again = any(dotted(t) in names for n in after if isinstance(n, ast.Assign) for t in n.targets)
    ends = [n.value for n in after if isinstance(n, ast.Return) and n.value is not None]
    return not again and len(ends) == 1 and isinstance(ends[0], ast.Name) and ends[0].id in names


def _place(node: ast.expr) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0


def _place_of(site: Site) -> tuple[int, int, int, int]:
    return site.line, site.column, site.end_line, site.end_column
