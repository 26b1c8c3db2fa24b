"""Reading in the source whether a sync waits: a line that would copy one network into another, and that never ran.

Asked for as a reason to stay quiet, or to say less: what did not run yet may run in a longer training.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator

from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, dotted, site_of, spoken_in, tree_of
from whygrad.rules.targets.own_content import is_made_of_itself
from whygrad.rules.targets.still_conditions import conditions, decided, stands_still
from whygrad.rules.targets.sync_source import SYNCS

_MAKES = frozenset({"_replace", "replace", "tree_map", "incremental_update", "periodic_update", "apply_updates"})
_COPIES = frozenset({"map", "tree_map", "incremental_update", "periodic_update", "copy", "deepcopy"})
_CALLS_NOTHING = frozenset({"object", "Module", "nn.Module", "torch.nn.Module"})
_CALLED_BY_MODULES = frozenset({"forward", "train", "eval", "state_dict", "load_state_dict", "parameters", "apply"})
"""What `nn.Module` itself calls; no other method of a network runs unless the program calls it."""
_READS_A_FILE = frozenset({"load", "restore", "load_checkpoint", "load_model", "load_file", "safe_load", "from_bytes"})


def waiting(
    files: Iterable[str], ran: set[tuple[str, int]], names: set[str], functions: set[str], unused: bool = False
) -> Site | None:
    """A line that would sync a network of these names and that never ran; dead code counts only if `unused` says so."""
    trees = [(file, tree) for file in files if (tree := tree_of(file)) is not None]
    for file, tree, function, statement in _unrun(trees, ran, names, functions, unused):
        if not _never(trees, tree, function, statement) and not _restores(tree, function):
            return site_of(file, statement, function)
    return None


def held_back(
    files: Iterable[str], ran: set[tuple[str, int]], names: set[str], functions: set[str]
) -> tuple[Site, str] | None:
    """The condition of a sync that cannot come true, and what it counts by: a number that nothing ever changes."""
    trees = [(file, tree) for file in files if (tree := tree_of(file)) is not None]
    modules = [one for _, one in trees]
    for file, tree, function, statement in _unrun(trees, ran, names, functions):
        own = [(file, function, test) for test in conditions(tree, statement)]
        called = [(name, inside, test)
                  for name, module, inside, one in _calls(trees, tree, function, statement)
                  for test in conditions(module, one)]  # fmt: skip
        for place, inside, test in own + called:
            stands = stands_still(modules, test)
            if stands and not _restores(tree, function):
                return site_of(place, test, inside), stands
    return None


def _unrun(
    trees: list[tuple[str, ast.Module]], ran: set[tuple[str, int]], names: set[str], functions: set[str],
    unused: bool = False,
) -> Iterator[tuple[str, ast.Module, str, ast.stmt]]:  # fmt: skip
    """Statements that would sync and did not run, with their file and function."""
    for file, tree in trees:
        for function, statement in _statements(tree, ""):
            lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            dropped = _lets_fall(statement) or is_made_of_itself(statement)
            if any((file, line) in ran for line in lines) or function == "__init__" or dropped:
                continue
            if not _would_sync(statement, names, functions):
                continue
            keys = _keys(tree, function) if function and not function.startswith("__") else frozenset[str]()
            if keys and _is_method(tree, statement):
                keys = frozenset({f".{function}"})  # a function of the module may have the same name
            if keys and any(_in_use([one for _, one in trees], key) for key in keys) == unused:
                continue
            if keys or not unused:
                yield file, tree, function, statement


def fallen(files: Iterable[str], names: set[str]) -> Site | None:
    """A line that makes a state with new content for a network of these names, and keeps it nowhere."""
    trees = [(file, tree) for file in files if (tree := tree_of(file)) is not None]
    for file, tree in trees:
        for function, statement in _statements(tree, ""):
            if _lets_fall(statement) and _would_sync(statement, names, set()) and not _restores(tree, function):
                return site_of(file, statement, function)
    return None


def without_effect(files: Iterable[str], ran: set[tuple[str, int]], names: set[str], others: set[str]) -> Site | None:
    """A line that ran, and hands the one network's content to something of the other's that is not the network.

    `target.state_dict().update(online.state_dict())`: the dict is made anew at each call.
    """
    for file, tree in [(file, tree) for file in files if (tree := tree_of(file)) is not None]:
        for function, statement in _statements(tree, ""):
            call = statement.value if isinstance(statement, ast.Expr) else None
            if not isinstance(call, ast.Call) or (file, statement.lineno) not in ran or function == "__init__":
                continue
            given = {name for argument in call.args for name in _handed(argument)}
            if spoken_in(call.func) & names and given & others and not given & names:
                return site_of(file, statement, function)
    return None


def of_itself(files: Iterable[str], names: set[str]) -> Site | None:
    """A line that gives a network of these names its own content again: `target = tree.map(jnp.copy, target)`."""
    trees = [(file, tree) for file in files if (tree := tree_of(file)) is not None]
    for file, tree in trees:
        for function, statement in _statements(tree, ""):
            if function == "__init__" or not is_made_of_itself(statement) or not isinstance(statement, ast.Assign):
                continue
            call = dotted(statement.value.func) if isinstance(statement.value, ast.Call) else ""
            if call.rpartition(".")[2] in _COPIES and set(dotted(statement.targets[0]).split(".")) & names:
                return site_of(file, statement, function)
    return None


def _is_method(tree: ast.Module, statement: ast.stmt) -> bool:
    """Whether a statement stands in a method, and in no function inside of one."""
    line = statement.lineno
    for first, last, inner in _methods(tree):
        if first <= line <= last:
            return not any(begin <= line <= end for begin, end in inner)
    return False


@functools.lru_cache(maxsize=512)
def _methods(tree: ast.Module) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """The first and last line of every method of a file, and of the functions inside of it."""
    found: list[tuple[int, int, list[tuple[int, int]]]] = []
    for node in ast.walk(tree):
        for child in node.body if isinstance(node, ast.ClassDef) else ():
            if isinstance(child, Function):
                inner = [one for one in ast.walk(child) if isinstance(one, Function) and one is not child]
                found.append((*_span(child), [_span(one) for one in inner]))
    return found


def _span(function: Function) -> tuple[int, int]:
    return function.lineno, function.end_lineno or function.lineno


def _lets_fall(statement: ast.stmt) -> bool:
    """Whether a statement makes a new state or tree and keeps it nowhere: `state._replace(target=…)` by itself."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] in _MAKES


@functools.lru_cache(maxsize=512)
def _restores(tree: ast.Module, function: str) -> bool:
    """Whether a function reads weights from a file, or out of a dict by their names.

    Copying there is a part of taking training up again, no sync.
    """
    bodies = [node for node in ast.walk(tree) if isinstance(node, Function) and node.name == function]
    calls = [node for body in bodies for node in ast.walk(body) if isinstance(node, ast.Call)]
    return any(dotted(call.func).rpartition(".")[2] in _READS_A_FILE or _out_of_a_dict(call) for call in calls)


def _out_of_a_dict(call: ast.Call) -> bool:
    """`self.critic.load_state_dict(state["critic"])`: what was saved is given back."""
    given = call.args[0] if call.args and dotted(call.func).rpartition(".")[2] in SYNCS else None
    return isinstance(given, ast.Subscript) and isinstance(given.slice, ast.Constant) and type(given.slice.value) is str


def in_loop(site: Site) -> Site:
    """The statement in a loop's body by which content gets into a network, for a site that is the loop itself."""
    _, loops, _ = around(site)
    for loop in (one for one in loops if one.lineno == site.line):
        for function, statement in _statements(loop, site.function):
            calls = [dotted(n.func).rpartition(".")[2] for n in ast.walk(statement) if isinstance(n, ast.Call)]
            if statement.lineno != site.line and any(call in SYNCS for call in calls):
                return site_of(site.file, statement, function)
    return site


def _in_use(trees: list[ast.Module], name: str, asked: frozenset[str] = frozenset()) -> bool:
    """Whether a function is used somewhere, rather than only defined, or kept under a name that nobody uses.

    A name is asked for as `.name` where it can only be an attribute.
    """
    asked |= {name}
    for tree in trees:
        for statement, inside in _mentions(tree).get(name, ()):
            if isinstance(statement, ast.Assign):
                kept = {_key(dotted(target)) for target in statement.targets} - {""}
                if kept and not any(_in_use(trees, one, asked) for one in kept - asked):
                    continue
            elif inside == "__init__" and _is_call_of(statement, name):
                continue  # it ran as the object was made, and does not come again
            elif inside and not inside.startswith("__") and not _overrides(tree, inside):
                keys = frozenset({f".{inside}"}) if _is_method(tree, statement) else _keys(tree, inside)
                if not keys & asked and not any(_in_use(trees, one, asked) for one in keys):
                    continue
            return True
    return False


def _is_call_of(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is nothing but a call: `self.sync()`. What is handed on may be called later."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and _key(dotted(call.func)) == name


@functools.lru_cache(maxsize=4096)
def _overrides(tree: ast.Module, function: str) -> bool:
    """Whether a class that builds on another has a method of this name: what it builds on may call it."""
    plain = _CALLS_NOTHING if function not in _CALLED_BY_MODULES else {"object"}
    return any(
        isinstance(child, Function) and child.name == function
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and any(dotted(base) not in plain for base in node.bases)
        for child in node.body
    )


def _key(name: str) -> str:
    return f".{name.rpartition('.')[2]}" if "." in name else name


@functools.lru_cache(maxsize=4096)
def _keys(tree: ast.Module, function: str) -> frozenset[str]:
    """How a function can be spoken of: a method as an attribute, a function in a function by its bare name."""
    parents: set[type[ast.AST]] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for child in body if isinstance(body, list) else ():
            if isinstance(child, Function) and child.name == function:
                parents.add(type(node))
    if parents and parents <= {ast.ClassDef}:
        return frozenset({f".{function}"})
    if parents and parents <= {ast.FunctionDef, ast.AsyncFunctionDef}:
        return frozenset({function})
    return frozenset({function, f".{function}"})


@functools.lru_cache(maxsize=512)
def _mentions(tree: ast.Module) -> dict[str, list[tuple[ast.stmt, str]]]:
    """For each name or `.attribute` that is read, the statements that read it, each with its function.

    What a function reads by itself does not count, nor what is read from an imported module: `torch.load` in `load`.
    """
    found: dict[str, list[tuple[ast.stmt, str]]] = {}
    modules = {(a.asname or a.name).partition(".")[0]
               for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}  # fmt: skip
    todo: list[tuple[ast.AST, ast.stmt | None, str]] = [(tree, None, "")]
    while todo:
        node, statement, function = todo.pop()
        if isinstance(node, Function):
            function = node.name
        if isinstance(node, ast.stmt):
            statement = node
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and statement is not None:
            name = node.id if isinstance(node, ast.Name) else f".{node.attr}"
            outside = isinstance(node, ast.Attribute) and dotted(node.value) in modules and name == f".{function}"
            if not outside:
                found.setdefault(name, []).append((statement, function))
        todo.extend((child, statement, function) for child in ast.iter_child_nodes(node))
    return found


def _statements(node: ast.AST, function: str) -> Iterator[tuple[str, ast.stmt]]:
    """Statements without other statements in them (a loop counts by what it runs over), with their function."""
    for child in ast.iter_child_nodes(node):
        inside = child.name if isinstance(child, Function) else function
        if isinstance(child, ast.stmt) and not hasattr(child, "body"):
            yield function, child
        elif isinstance(child, ast.For):
            yield function, ast.Expr(child.iter, lineno=child.lineno, end_lineno=child.end_lineno,
                                     col_offset=child.col_offset, end_col_offset=child.col_offset)  # fmt: skip
        yield from _statements(child, inside)


def _would_sync(statement: ast.stmt, names: set[str], functions: set[str]) -> bool:
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    if any(dotted(call.func).rpartition(".")[2] in functions for call in calls):
        return True
    if _given_anew(statement, calls) & names:
        return True
    spoken = {part for node in ast.walk(statement) for part in dotted(node).split(".") if part}
    if not spoken & names:
        return False
    by_call = any(dotted(call.func).rpartition(".")[2] in SYNCS | {"zip"} for call in calls)
    handed = any(_handed(argument) & names for call in calls for argument in call.args)
    return by_call or handed


def _given_anew(statement: ast.stmt, calls: list[ast.Call]) -> set[str]:
    """What a statement gives another content by name: in JAX `target_params = params` is a copy already."""
    plain = isinstance(statement, ast.Assign) and dotted(statement.value) != ""
    bound = {dotted(one).rpartition(".")[2] for one in (statement.targets if isinstance(statement, ast.Assign) else ())}
    replaced = [call for call in calls if dotted(call.func).rpartition(".")[2] in ("replace", "_replace")]
    return (bound if plain else set()) | {word.arg for call in replaced for word in call.keywords if word.arg}


def _handed(argument: ast.AST) -> set[str]:
    """The names that a call is given, in whole or in part; `target(states)` is not the network but what it says."""
    found = set(dotted(argument).split(".")) - {""}
    says = isinstance(argument, ast.Call) and argument.args and dotted(argument.func).rpartition(".")[2] not in SYNCS
    for child in ast.iter_child_nodes(argument):
        if not (says and isinstance(argument, ast.Call) and child is argument.func):
            found |= _handed(child)
    return found


def _never(trees: list[tuple[str, ast.Module]], tree: ast.Module, function: str, statement: ast.stmt) -> bool:
    """Whether a statement, or every call of its function, stands under a condition of which nothing ever changes."""
    modules = [one for _, one in trees]
    if any(decided(modules, test) for test in conditions(tree, statement)):
        return True
    calls = list(_calls(trees, tree, function, statement))
    return bool(calls) and all(
        any(stands_still(modules, test) for test in conditions(module, call)) for _, module, _, call in calls
    )


def _calls(
    trees: list[tuple[str, ast.Module]], tree: ast.Module, function: str, statement: ast.stmt
) -> Iterator[tuple[str, ast.Module, str, ast.stmt]]:
    """Where the function that a statement stands in is spoken of; a call while the object is made does not count."""
    keys = _keys(tree, function) if function and not function.startswith("__") else frozenset[str]()
    if keys and _is_method(tree, statement):
        keys = frozenset({f".{function}"})
    for file, module in trees:
        for key in keys:
            for one, inside in _mentions(module).get(key, ()):
                if not (inside == "__init__" and _is_call_of(one, key)):
                    yield file, module, inside, one
