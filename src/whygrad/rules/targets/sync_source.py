"""Reading in the source how two networks are kept in step: who is copied into whom, and where a name was bound.

The recording says that content was copied; the source says what the user calls the two, and which line to change. It is
also asked for a sync that never ran, as a reason to stay quiet.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterable, Iterator

from whygrad.flow.site import Site, Stack

_WEIGHTS = frozenset({
    "parameters", "state_dict", "named_parameters", "load_state_dict", "trainable_variables", "variables", "weights",
    "trainable_weights", "get_weights", "set_weights", "load_weights", "buffers",
})  # fmt: skip
SYNCS = frozenset({
    "load_state_dict", "set_weights", "load_weights", "copy_", "lerp_", "assign", "assign_add", "mul_", "add_",
    "update_parameters", "vector_to_parameters", "deepcopy", "_foreach_lerp_", "_foreach_copy_", "assign_sub",
})  # fmt: skip
"""Calls by which content gets into a network."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.lru_cache(maxsize=64)
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
            apart = _covers(mine, gradient) and not _covers(other, gradient)
            if apart and (_covers(other, weights) or spoken_in(other) & bound):
                return True
    return False


def bound_at(site: Site) -> set[str]:
    """The names that are given what a site computes: by assignment, or one after the other by a loop."""
    statement, loops, _ = around(site)
    found: set[str] = set()
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Assign) and _covers(node.value, site):
            found |= {name for target in node.targets for name in spoken_in(target)}
        elif isinstance(node, ast.comprehension | ast.For) and _covers(node.iter, site):
            found |= spoken_in(node.target)
    for loop in loops:
        if _covers(loop.iter, site):
            found |= spoken_in(loop.target)
    return found


def function_of(site: Site) -> ast.AST | None:
    """The function that a site stands in, else its file."""
    _, _, function = around(site)
    return function if function is not None else tree_of(site.file)


def _covers(node: ast.AST, site: Site) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno or node.lineno, node.end_col_offset or 0)  # type: ignore[attr-defined]
    return begin <= (site.line, site.column) and (site.end_line, site.end_column) <= end


def pair(site: Site) -> list[str]:
    """The networks whose weights a line (and the loops around it) speak of, in order: `target`, `online`."""
    statement, loops, _ = around(site)
    parts: list[ast.AST] = [loop.iter for loop in loops]
    if statement is not None and not isinstance(statement, ast.For):
        parts.append(statement)
    found: list[str] = []
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Attribute) and node.attr in _WEIGHTS:
                name = dotted(node.value)
                if name and name not in found:
                    found.append(name)
    return found


def blamed(stack: Stack) -> Site | None:
    """The line that says which network is copied into which: the caller's, where the function takes any two."""
    for index, site in enumerate(stack):
        statement, _, function = around(site)
        given = {a.arg for a in function.args.args} if function is not None else set()
        names = {name.partition(".")[0] for name in pair(site)} or _zipped(site) or _handed_on(site)
        if not (names & (given - {"self"})) or index + 1 == len(stack) or _keeps(statement):
            return site
    return None


def _keeps(statement: ast.stmt | None) -> bool:
    """`self.target = copy.deepcopy(network)`: the object binds the copy to a name of its own, whoever gave it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Attribute) and dotted(t.value) == "self" for t in targets)


def keeps_own_state(site: Site) -> bool:
    """Whether a method reads at a site what it writes itself: `out, self.state = self.rnn(x, self.state)`."""
    statement, _, function = around(site)
    if statement is None or function is None:
        return False
    written = {
        dotted(node)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    read = {dotted(node) for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
    return bool((read & written) - {""})


def one_of_pair(stack: Stack) -> Site | None:
    """The line in a loop over two networks that works on one of them alone: `t.copy_(t * (1 - tau) + t * tau)`."""
    site = stack[0] if stack else None
    if site is None:
        return None
    statement, loops, _ = around(site)
    bound = {name for loop in loops if isinstance(loop.target, ast.Tuple) for name in spoken_in(loop.target)}
    spoken = spoken_in(statement) & bound if statement is not None and not hasattr(statement, "body") else set()
    return site if (len(bound) > 1 and len(spoken) == 1) or _leaves_one_unread(site) else None


def _leaves_one_unread(site: Site) -> bool:
    """Whether a function of two arrays looks at one of them alone: `lambda t, o: tau * t + (1 - tau) * t`."""
    tree = tree_of(site.file)
    inner: ast.Lambda | Function | None = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Lambda | Function) and _covers(node, site):
            inner = node  # the walk comes to what is inside later
    if inner is None:
        return False
    given = {argument.arg for argument in inner.args.args} - {"self"}
    body = inner.body if isinstance(inner.body, list) else [inner.body]
    read = {node.id for part in body for node in ast.walk(part) if isinstance(node, ast.Name)}
    return len(given) > 1 and len(given - read) == 1


def speaks_of(stack: Stack, one: str, other: str) -> Site | None:
    """The innermost line that names two networks, where they are not both just arguments of its function."""
    for site in stack:
        statement, _, function = around(site)
        given = {a.arg for a in function.args.args} if function is not None else set()
        spoken = spoken_in(statement) if statement is not None and not hasattr(statement, "body") else set()
        if {one, other} <= spoken and not {one, other} <= given:
            return site
    return None


def _zipped(site: Site) -> set[str]:
    """What a loop runs over together: `for a, b in zip(sources, targets)`."""
    _, loops, _ = around(site)
    return {
        dotted(argument).partition(".")[0]
        for loop in loops
        for node in ast.walk(loop.iter)
        if isinstance(node, ast.Call)
        for argument in node.args
        if dotted(argument)
    }


def _handed_on(site: Site) -> set[str]:
    """The bare names that a line without any network's weights works on: `target.assign(source)`, `update(a, b)`."""
    statement, _, _ = around(site)
    found: set[str] = set()
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call):
            base = node.func.value if isinstance(node.func, ast.Attribute) else None
            found |= {part.id for part in (base, *node.args) if isinstance(part, ast.Name)}
    return found


def pair_called(site: Site) -> list[str]:
    """The networks a call speaks of: those whose weights it takes, or all plain names among its arguments."""
    found = pair(site)
    if len(found) > 1:
        return found
    statement, _, _ = around(site)
    for node in ast.walk(statement) if statement is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= site.line <= (node.end_lineno or node.lineno):
            names = [dotted(a) for a in node.args]
            if isinstance(node.func, ast.Attribute):
                names.insert(0, dotted(node.func.value))
            names = [_whose_weights(site, name) or name for name in names]
            found += [n for n in names if n and n not in found]
    return found


def _whose_weights(site: Site, name: str) -> str:
    """The network whose weights a local name holds: `online` of `weights = online.get_weights()`."""
    function = function_of(site)
    for node in ast.walk(function) if function is not None and name.isidentifier() else ():
        if isinstance(node, ast.Assign) and name in {dotted(target) for target in node.targets}:
            value = node.value.func if isinstance(node.value, ast.Call) else node.value
            if isinstance(value, ast.Attribute) and value.attr in _WEIGHTS:
                return dotted(value.value)
    return ""


def holders(one: str, other: str) -> tuple[str, str]:
    """What holds two networks of one name: `agent.target`, `agent.online` of `agent.target.net`, `agent.online.net`."""
    ours, theirs = one.split("."), other.split(".")
    while len(ours) > 1 and len(theirs) > 1 and ours[-1] == theirs[-1]:
        ours.pop()
        theirs.pop()
    return ".".join(ours), ".".join(theirs)


@functools.lru_cache(maxsize=64)
def _calls(file: str) -> dict[tuple[int, int, int, int], str]:
    """What is called at each place of a file."""
    tree = tree_of(file)
    return {
        (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0): called(node.func)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call)
    }


def called_at(site: Site) -> str:
    """The function or method that is called at a site, as it is written."""
    return _calls(site.file).get((site.line, site.column, site.end_line, site.end_column), "")


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


def bindings(files: Iterable[str], name: str) -> Iterator[tuple[Site, ast.expr]]:
    """Assignments to a name (`target`, `self.target`, one of several), with the expression it is given."""
    for file in files:
        yield from _assignments(file).get(name, ())


def inner_binding(files: Iterable[str], name: str, other: str) -> Site | None:
    """Where a part of one network was given the same part of the other: `target.body = online.body`."""
    for file in files:
        for part, found in _assignments(file).items():
            rest = part.removeprefix(name)
            if rest.startswith(".") and rest != part:
                for site, value in found:
                    if dotted(value) == other + rest:
                        return site
    return None


@functools.lru_cache(maxsize=64)
def _assignments(file: str) -> dict[str, list[tuple[Site, ast.expr]]]:
    tree = tree_of(file)
    found: dict[str, list[tuple[Site, ast.expr]]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign):
            end = node.end_col_offset or node.col_offset
            site = Site(file, node.lineno, node.col_offset, node.end_lineno or node.lineno, end, "")
            for place in node.targets:
                for target, value in _matched(place, node.value):
                    for name in {dotted(target), called(target)}:
                        found.setdefault(name, []).append((site, value))
    return found


def _matched(place: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(place, ast.Tuple) and isinstance(value, ast.Tuple) and len(place.elts) == len(value.elts):
        yield from zip(place.elts, value.elts, strict=True)
    elif isinstance(place, ast.Tuple):
        yield from ((one, value) for one in place.elts)
    else:
        yield place, value


def is_alias(value: ast.expr, other: str) -> bool:
    """Whether an expression is the other network itself, or a shallow copy of it."""
    if other in (dotted(value), called(value)):
        return True
    if isinstance(value, ast.Call) and dotted(value.func) in ("copy", "copy.copy") and value.args:
        return dotted(value.args[0]) == other
    return False


def spoken_in(node: ast.AST) -> set[str]:
    """Every part of every dotted name in an expression."""
    return {part for one in ast.walk(node) for part in dotted(one).split(".") if part}


def arguments(site: Site) -> list[str]:
    """The plain names that a call is given, in order: `params`, `self.target_params`."""
    tree = tree_of(site.file)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call):
            continue
        place = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        if place == (site.line, site.column, site.end_line, site.end_column):
            return [name for a in (*node.args, *(k.value for k in node.keywords)) if (name := dotted(a))]
    return []


def given_twice(stack: Stack) -> Site | None:
    """The innermost call that is given one thing as two arguments: `average(target, target, tau)`."""
    return next((site for site in stack if len(given := arguments(site)) > len(set(given))), None)


def from_around(stack: Stack) -> Site | None:
    """The innermost site whose arguments are no arguments of the function that it stands in."""
    for site in stack:
        _, _, function = around(site)
        given = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)} if function is not None else set()
        names = {name.partition(".")[0] for name in arguments(site)}
        if names - given:
            return site
    return None


def comes_again(copy: Stack, step: Stack) -> bool:
    """Whether the loop that holds a training step holds a copy too, so that a longer run may reach it again."""
    outer_loop = False
    for here, there in zip(reversed(copy), reversed(step), strict=False):
        if (here.file, here.function) != (there.file, there.function):
            return False
        loops = _loops(there)
        if here.line == there.line:
            outer_loop = outer_loop or bool(loops)
            continue
        both = [loop for loop in loops if loop.lineno <= here.line <= (loop.end_lineno or 0)]
        if not both:  # what is copied first and then trained in a loop is copied once
            return outer_loop and not loops and not _loops(here)
        return both[-1] is loops[-1] or here.line > (loops[loops.index(both[-1]) + 1].end_lineno or 0)
    return False


def _loops(site: Site) -> list[ast.For | ast.While]:
    """The loops around a line in its own function, from the outermost in."""
    tree = tree_of(site.file)
    _, _, function = around(site)
    inside = ast.walk(function if function is not None else tree) if tree is not None else ()
    found = [n for n in inside if isinstance(n, ast.For | ast.While) and n.lineno <= site.line <= (n.end_lineno or 0)]
    return sorted(found, key=lambda loop: loop.lineno)
