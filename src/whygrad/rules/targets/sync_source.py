"""Reading in the source how two networks are kept in step: who is copied into whom, and where a name was bound.

The recording says that content was copied; the source says what the user calls the two, and which line to change. It is
also asked for a sync that never ran, as a reason to stay quiet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from whygrad.flow.site import Site, Stack
from whygrad.flow.syntax import (
    Function,
    arguments,
    around,
    assignments,
    at_node,
    called,
    covers,
    dotted,
    function_of,
    spoken_in,
    tree_of,
)

_WEIGHTS = frozenset({
    "parameters", "state_dict", "named_parameters", "load_state_dict", "trainable_variables", "variables", "weights",
    "trainable_weights", "get_weights", "set_weights", "load_weights", "buffers",
})  # fmt: skip
SYNCS = frozenset({
    "load_state_dict", "set_weights", "load_weights", "copy_", "lerp_", "assign", "assign_add", "mul_", "add_",
    "update_parameters", "vector_to_parameters", "deepcopy", "_foreach_lerp_", "_foreach_copy_", "assign_sub",
})  # fmt: skip
"""Calls by which content gets into a network."""


def pair(site: Site) -> list[str]:
    """The networks whose weights a line (and the loops around it) speak of, in order: `target`, `online`."""
    statement, loops, _ = around(site)
    parts: list[ast.AST] = [loop.iter for loop in loops]
    if statement is not None and not isinstance(statement, ast.For):
        parts.append(statement)
    return list(dict.fromkeys(name for part in parts for name in _networks_in(part)))


def _networks_in(part: ast.AST) -> list[str]:
    """The networks whose weights an expression or statement speaks of."""
    attributes = [node for node in ast.walk(part) if isinstance(node, ast.Attribute) and node.attr in _WEIGHTS]
    return [name for node in attributes if (name := dotted(node.value))]


def blamed(stack: Stack) -> Site | None:
    """The line that says which network is copied into which: the caller's, where the function takes any two."""
    for index, site in enumerate(stack):
        statement, _, function = around(site)
        given = {a.arg for a in function.args.args} if function is not None else set()
        names = {name.partition(".")[0] for name in pair(site)} or _zipped(site) or _handed_on(site)
        if not (names & (given - {"self"})) or index + 1 == len(stack) or _keeps(statement):
            return site
    return None


def paired(stack: Stack) -> Site | None:
    """The line that pairs the two networks of a sync: the head of its loop, where that names them and the sync none."""
    site = blamed(stack)
    statement, loops, _ = around(site) if site is not None else (None, [], None)
    head = next((loop.iter for loop in reversed(loops) if len(_networks_in(loop.iter)) > 1), None)
    if site is None or head is None or statement is None or _networks_in(statement):
        return site
    return at_node(site, head)


def _keeps(statement: ast.stmt | None) -> bool:
    """`self.target = copy.deepcopy(network)`: the object binds the copy to a name of its own, whoever gave it."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Attribute) and dotted(t.value) == "self" for t in targets)


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
        if isinstance(node, ast.Lambda | Function) and covers(node, site):
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
    given = {dotted(target) for target in statement.targets} if isinstance(statement, ast.Assign) else set()
    return [] if given & set(found) else found  # `w.data = moved.to(w.data)` speaks of one network alone


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


def inner_binding(files: Iterable[str], name: str, other: str) -> Site | None:
    """Where a part of one network was given the same part of the other: `target.body = online.body`."""
    for file in files:
        for part, found in assignments(file).items():
            rest = part.removeprefix(name)
            if rest.startswith(".") and rest != part:
                for site, value in found:
                    if dotted(value) == other + rest:
                        return site
    return None


def is_alias(value: ast.expr, other: str) -> bool:
    """Whether an expression is the other network itself, or a shallow copy of it."""
    if other and other in (dotted(value), called(value)):
        return True
    if isinstance(value, ast.Call) and dotted(value.func) in ("copy", "copy.copy") and value.args:
        return dotted(value.args[0]) == other
    return False


def given_twice(stack: Stack) -> Site | None:
    """The innermost call that is given one thing as two arguments: `average(target, target, tau)`."""
    return next((site for site in stack if len(given := arguments(site)) > len(set(given))), None)


def from_around(stack: Stack, target: str) -> Site | None:
    """The innermost site that names the target and was not given it; else whose arguments are none of its function."""
    tree = target.partition("[")[0]
    for site in stack:
        # `self`, which the function was compiled for, is an argument and none: its attributes are read once.
        attributes = [name.partition(".")[2] for name in arguments(site)]
        if any(attribute and f".{tree}".endswith(f".{attribute}") for attribute in attributes):
            return site
    apart = [(site, [n for n in arguments(site) if n.partition(".")[0] not in _given(site)]) for site in stack]
    named = next((site for site, names in apart if tree in names), None)
    # While the two are still one, the target is called as the trained network: a method reads it off its object.
    held = (site for site in stack if any(name.startswith("self.") for name in arguments(site)))
    return named or next(held, None) or next((site for site, names in apart if names), None)


def _given(site: Site) -> set[str]:
    """The names of the arguments of the function that a site is in."""
    _, _, function = around(site)
    return {a.arg for a in (*function.args.args, *function.args.kwonlyargs)} if function is not None else set()


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
