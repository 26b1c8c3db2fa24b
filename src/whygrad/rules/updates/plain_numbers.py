"""JAX: floats among the parameters of a model: `omega: float` beside `amplitude: jax.Array`, both of a fitted curve.

A filtered gradient follows arrays and takes a float for a setting, which most floats are: a mass that is known, a step
of time, an epsilon. What tells a parameter that was meant to be fitted: the model consists of single numbers, the
loss is computed smoothly with it, and the program shows it after the training, with those that were trained. Or,
in any model: the training loop shows it beside arrays that learn, the program reads its gradient, which is None, or the
class itself declares it as an array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, bound_at, dotted, site_of, tree_of
from whygrad.flow.variables import PlainNumbers
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.wording import at_line

_KINKS = frozenset({"clip", "minimum", "maximum", "where", "range", "arange", "linspace", "int", "round", "isclose"})
_SHOWS = frozenset(
    {"print", "info", "debug", "log", "warning", "write", "pprint", "tree_pprint", "append", "set_postfix"}
)
_ARRAYS = frozenset({"Array", "ndarray"})
_EITHER = frozenset({"float", "Union", "Optional", "ArrayLike", "Any"})
_SEVERAL = 2
_EVERYWHERE = (0.0, 1.0)


@dataclass(slots=True)
class _Given:
    """The line that gives a float its value, and what is written there, where that is not a default."""

    where: Site
    value: ast.expr | None


def floats_beside_arrays(case: Case) -> Iterator[Finding]:
    """One for each such model."""
    for plain in case.recording.plain_numbers:
        for file in sorted({site.file for sites in case.recording.stacks for site in sites if site.own}):
            tree = tree_of(file)
            kinds = [n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)] if tree is not None else []
            kind = next((n for n in kinds if n.name == plain.model.rpartition(".")[2]), None)
            if tree is None or kind is None:
                continue
            asked = _asked_for(case, plain, file, tree, kind)
            declared = _declared(plain, file, tree, kind) if not asked else {}
            by_show = _meant if plain.alone else _followed
            given = asked or declared or by_show(case, plain, file, tree, kind)
            shown = "the program shows it beside them" if plain.alone else "the program shows it round by round"
            if given:
                said = "the program shows its gradient, which is None" if asked else shown
                yield _finding(case, plain, given, "its class declares it as an array" if declared else said)


def _meant(case: Case, plain: PlainNumbers, file: str, tree: ast.Module, kind: ast.ClassDef) -> dict[str, _Given]:
    """The floats that are parameters by what the program does with them, and where they are set."""
    begin = _training(case, plain, file)
    if not begin or kind.lineno <= begin <= (kind.end_lineno or 0) or len(plain.floats) < len(plain.arrays):
        return {}  # among more that learn, the odd one out is a setting: a step of time, an epsilon
    shown = [n for n in ast.walk(tree) if isinstance(n, ast.Expr) and _is_shown(n) and n.lineno >= begin]
    inside = {id(n) for one in shown for n in ast.walk(one)}
    uses = {name: _uses(tree, name, inside) for name in plain.floats}
    given = {name: found for name in plain.floats if (found := _given(file, tree, kind, plain, name)) is not None}
    given = {name: one for name, one in given.items() if uses[name] and all(uses[name])}
    read = {n.attr for one in shown for n in ast.walk(one) if isinstance(n, ast.Attribute)}
    if read & set(plain.arrays):
        return {name: one for name, one in given.items() if name in read and not _elsewhere(tree, one.value)}
    whole = any(_is_whole(argument, plain) for one in shown for argument in _arguments(one))
    if not whole or len(plain.floats) < _SEVERAL or len(given) < len(plain.floats):
        return {}
    return given if all(one.value is not None and _once(tree, one.value) for one in given.values()) else {}


def _followed(case: Case, plain: PlainNumbers, file: str, tree: ast.Module, kind: ast.ClassDef) -> dict[str, _Given]:
    """The floats that the training loop shows round by round, as what changes.

    That is in one breath with arrays of the same part that learn, or turned into a number, as one does with an array.
    """
    loop = _loop(case, plain, file)
    if loop is None or kind.lineno <= loop.lineno <= (kind.end_lineno or 0):
        return {}
    shown = [n for n in ast.walk(loop) if isinstance(n, ast.Expr) and _is_shown(n)]
    inside = {id(n) for one in shown for n in ast.walk(one)}
    found: dict[str, _Given] = {}
    for one in shown:
        read = {dotted(n) for n in ast.walk(one) if isinstance(n, ast.Attribute)}
        beside = any(f"{plain.name}.{name}" in read for name in plain.arrays)
        turned = {dotted(n.args[0]) for n in ast.walk(one) if isinstance(n, ast.Call) and _turns(n)}
        for name in plain.floats:
            uses, given = _uses(tree, name, inside), _given(file, tree, kind, plain, name)
            shown_as = f"{plain.name}.{name}"
            if shown_as in (read if beside else turned) and uses and all(uses) and given is not None:
                found[name] = given
    return {name: one for name, one in found.items() if not _elsewhere(tree, one.value)}


def _turns(call: ast.Call) -> bool:
    """Whether an array would be turned into a number: `float(model.rate)`. A float is one already."""
    return dotted(call.func).rpartition(".")[2] in ("float", "asarray", "array", "item") and bool(call.args)


def _asked_for(case: Case, plain: PlainNumbers, file: str, tree: ast.Module, kind: ast.ClassDef) -> dict[str, _Given]:
    """The floats whose gradient the program reads: `grads.source.flux`."""
    whole, _, below = plain.name.partition(".")
    given = (bound_at(site) for site in case.stack(plain.stack) if site.file == file)
    names = next((bound for bound in given if bound), set()) - {whole}
    paths = {name: ".".join(part for part in (below, name) if part) for name in plain.floats}
    read = {dotted(n) for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    asked = [name for name, path in paths.items() if any(f"{one}.{path}" in read for one in names)]
    return {name: found for name in asked if (found := _given(file, tree, kind, plain, name)) is not None}


def _declared(plain: PlainNumbers, file: str, tree: ast.Module, kind: ast.ClassDef) -> dict[str, _Given]:
    """The floats that the class itself calls arrays: `offset: jax.Array`, which is given 0.1."""
    said = {n.target.id: n.annotation for n in kind.body
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}  # fmt: skip
    names = [name for name in plain.floats if name in said and _is_array(said[name]) and any(_uses(tree, name, set()))]
    return {name: found for name in names if (found := _given(file, tree, kind, plain, name)) is not None}


def _is_array(annotation: ast.expr) -> bool:
    """Whether an annotation speaks of an array, and of nothing that a float could be."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return False
    names = {dotted(n).rpartition(".")[2] for n in ast.walk(annotation) if isinstance(n, ast.Name | ast.Attribute)}
    return bool(names & _ARRAYS) and not names & _EITHER and not any(
        isinstance(n, ast.BinOp) for n in ast.walk(annotation)
    )  # fmt: skip


def _training(case: Case, plain: PlainNumbers, file: str) -> int:
    """The line where the loop begins in which the gradient is asked for; 0 where there is none."""
    loop = _loop(case, plain, file)
    return loop.lineno if loop is not None else 0


def _loop(case: Case, plain: PlainNumbers, file: str) -> ast.For | None:
    """The outermost loop in which the gradient is asked for."""
    for site in case.stack(plain.stack):
        _, loops, _ = around(site)
        if loops and site.file == file:
            return min(loops, key=lambda loop: loop.lineno)
    return None


def _is_shown(statement: ast.Expr) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and dotted(call.func).rpartition(".")[2] in _SHOWS


def _arguments(statement: ast.Expr) -> list[ast.AST]:
    """What is shown: arguments, and what stands in a text."""
    call = statement.value
    given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    texts = [part.value for one in given for part in ast.walk(one) if isinstance(part, ast.FormattedValue)]
    return [*given, *texts]


def _is_whole(argument: ast.AST, plain: PlainNumbers) -> bool:
    return isinstance(argument, ast.Name) and argument.id == plain.name


def _uses(tree: ast.Module, name: str, shown: set[int]) -> list[bool]:
    """For each place that computes with the attribute, whether what it makes follows it smoothly."""
    found: list[bool] = []
    todo: list[tuple[ast.AST, bool]] = [(tree, True)]
    while todo:
        node, smooth = todo.pop()
        read = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
        if read and id(node) not in shown:
            found.append(smooth)
        called = dotted(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        smooth = smooth and called not in _KINKS and not isinstance(node, ast.Compare | ast.Subscript)
        todo.extend((child, smooth) for child in ast.iter_child_nodes(node))
    return found


def _once(tree: ast.Module, value: ast.expr) -> bool:
    """Whether a number stands nowhere else: what is known is what the data were made with."""
    return (number := _number(value)) is not None and _times(tree, number) == 1


def _elsewhere(tree: ast.Module, value: ast.expr | None) -> bool:
    """Whether the program speaks of the same number, or of the name that it has, in another place as well."""
    if isinstance(value, ast.Name):
        reads = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == value.id]
        return sum(isinstance(n.ctx, ast.Load) for n in reads) > 1
    number = _number(value) if value is not None else None
    return number is not None and number not in _EVERYWHERE and _times(tree, number) > 1


def _times(tree: ast.Module, number: float) -> int:
    written = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float)]
    return written.count(abs(number))


def _given(file: str, tree: ast.Module, kind: ast.ClassDef, plain: PlainNumbers, name: str) -> _Given | None:
    """Where a float is set: in `__init__`, in the call that makes the model, or as a default of the class."""
    init = next((n for n in kind.body if isinstance(n, Function) and n.name == "__init__"), None)
    order = [n.target.id for n in kind.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
    wanted, sets = name, list[ast.Assign]()
    if init is not None:
        sets = [n for n in ast.walk(init) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == f"self.{name}"]
        if not sets:
            return None
        order = [a.arg for a in init.args.args[1:]]
        if not isinstance(sets[0].value, ast.Name) or sets[0].value.id not in order:
            return _Given(site_of(file, sets[0]), sets[0].value)
        wanted = sets[0].value.id
    call = _made(tree, plain)
    value = _argument(call, wanted, order) if call is not None else None
    if call is not None and value is not None:
        converts = init is not None and any(_converts(n, plain) for n in ast.walk(init))
        return _Given(site_of(file, sets[0] if converts else call), value)
    default = next(
        (n for n in kind.body if isinstance(n, ast.AnnAssign) and dotted(n.target) == name and n.value), None
    )
    return _Given(site_of(file, default), None) if default is not None else None


def _converts(node: ast.AST, plain: PlainNumbers) -> bool:
    """Whether a line of `__init__` makes an array of what it was given, for one of those that learn."""
    return (
        isinstance(node, ast.Assign)
        and dotted(node.targets[0]).removeprefix("self.") in plain.arrays
        and isinstance(node.value, ast.Call)
    )


def _made(tree: ast.Module, plain: PlainNumbers) -> ast.Call | None:
    """The call that makes the model: best the one whose result gets the model's name."""
    short = plain.model.rpartition(".")[2]
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and dotted(n.func).rpartition(".")[2] == short]
    whole = plain.name.partition(".")[0]
    named = [n.value for n in ast.walk(tree) if isinstance(n, ast.Assign) and dotted(n.targets[0]) == whole]
    inside = {id(node) for value in named for node in ([value] if whole == plain.name else ast.walk(value))}
    return next((call for call in calls if id(call) in inside), calls[0] if calls else None)


def _argument(call: ast.Call, name: str, order: list[str]) -> ast.expr | None:
    by_name = next((k.value for k in call.keywords if k.arg == name), None)
    at = order.index(name) if name in order else len(call.args)
    return by_name or (call.args[at] if at < len(call.args) else None)


def _number(value: ast.expr) -> float | None:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        value = value.operand
    return float(value.value) if isinstance(value, ast.Constant) and isinstance(value.value, int | float) else None


def _finding(case: Case, plain: PlainNumbers, given: dict[str, _Given], shown: str) -> Finding:
    names = [f"`{plain.name}.{name}`" for name in given]
    who = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    whole = plain.name.partition(".")[0]
    trained = " and ".join(f"`{name}`" for name in plain.arrays) if plain.alone else f"the arrays of `{whole}`"
    backward = next(b for b in case.recording.backwards if b.stack == plain.stack)
    lines = list(dict.fromkeys(one.where for one in given.values()))
    asked, loss = case.site(plain.stack), case.loss_site(backward)
    return Finding(
        code="W106", rule="not-watched", severity="warning",
        message=f"{who} {'are plain floats' if len(names) > 1 else 'is a plain float'}: the gradient of the loss"
        f"{at_line(loss, lines[0])} is asked for {trained} alone",
        why="A filtered gradient follows JAX's arrays. A float is a setting to it, and keeps its first value, though "
        f"the loss depends on it as on the others, and {shown}.",
        fix="make it an array, jnp.asarray(1.0) in the place of 1.0; or, if it is not to be fitted, say so: "
        "eqx.field(static=True)",
        variables=(), where=lines[0], label="a plain number", loss=loss,
        seen=sum(b.stack == plain.stack for b in case.recording.backwards),
        path=stations(
            *((line, "creation", "a plain number") for line in lines), (asked, "grad", f"asked for {trained}")
        ),
    )  # fmt: skip
