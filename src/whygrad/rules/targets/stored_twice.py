"""JAX: the line of a training step that puts the trained parameters into the target's place as well.

`State(params=new, target_params=new)`, `state.replace(target_params=state.params)`, `return new, new, opt_state`: no
operation runs there, so the recording knows only that the arrays are the same at the next call. The source says where
they became so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.syntax import Function, around, at_node, covers, dotted, function_of, spoken_in
from whygrad.rules.case import Case

_REPLACES = frozenset({"replace", "_replace"})


def stored_twice(case: Case, backward: Backward, members: set[int]) -> Site | None:
    """Where, in the functions that lead to a gradient, what is trained is stored a second time; None if it is not."""
    networks = {re.sub(r"\[.*", "", case.variable(v).network) for v in members}
    fields = next(iter(networks)).split(".")[::-1] if len(networks) == 1 else []
    around_it = [(site, function) for site in case.stack(backward.stack) if (function := around(site)[2]) is not None]
    for site, function in around_it:
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        # The state of a network lies in another one: `critic` of `agent.critic.params` is a field as well.
        found = next((one for field in fields for call in calls if (one := _second(call, field)) is not None), None)
        if found is not None:
            return at_node(site, found)
    return next((at_node(site, one) for site, function in around_it for one in _returned_twice(function)), None)


def _second(call: ast.Call, field: str) -> ast.expr | None:
    """The value in a call that is what another place of it holds too, or what `replace` is to take in its stead."""
    name = dotted(call.func).rpartition(".")[2]
    kept = next((k.value for k in call.keywords if k.arg == field), None)
    others = [k for k in call.keywords if k.arg not in (field, None)]
    if kept is not None:
        again = [k.value for k in others if ast.dump(k.value) == ast.dump(kept)]
        return max([kept, *again], key=lambda value: (value.lineno, value.col_offset)) if again else None
    if name in _REPLACES:
        return next((k.value for k in others if dotted(k.value).rpartition(".")[2] == field), None)
    given = [ast.dump(a) for a in call.args]
    built = name[:1].isupper() and not call.keywords
    twice = [a for i, a in enumerate(call.args) if dotted(a) and given[i] in given[:i]]
    return twice[0] if built and len(twice) == 1 else None


def _returned_twice(function: Function) -> Iterator[ast.expr | ast.stmt]:
    """What a function returns at two places: by one name, or by a second one that it was given before."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Tuple):
            continue
        names = [dotted(one) for one in node.value.elts]
        yield from (one for i, one in enumerate(node.value.elts) if names[i] and names[i] in names[:i])
        bound = _given([one for one in ast.walk(function) if isinstance(one, ast.stmt)])
        yield from (one for name, value, one in bound if name != value and name in names and value in names)


def kept_alike(call: Site, target: str, online: str) -> Site | None:
    """Beside a call that takes two networks: where one value becomes both of them, or the one is put into the other.

    `self.critic = new` and `self.target = new`; `nnx.update(target, nnx.state(online))`.
    """
    scope = function_of(call)
    statements = [node for node in ast.walk(scope) if isinstance(node, ast.stmt)] if scope is not None else []
    values = {value for name, value, _ in _given(statements) if name == online}
    for name, value, statement in _given(statements):
        if name == target and any(_one_holds(value, other) for other in values):
            return at_node(call, statement)
    names = {target.rpartition(".")[2], online.rpartition(".")[2]}
    for node in statements:
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not covers(node, call)
        if alone and names <= spoken_in(node):
            return at_node(call, node)
    return None


def _one_holds(one: str, other: str) -> bool:
    """Whether two names mean the same, or the one what the other holds: `state`, `state.params`."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _given(statements: list[ast.stmt]) -> Iterator[tuple[str, str, ast.stmt]]:
    """The names that are given what another name holds, with that name: one by one, or several at once."""
    for node in (one for one in statements if isinstance(one, ast.Assign)):
        for place in node.targets:
            if isinstance(place, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(place.elts, node.value.elts, strict=False))
            else:
                pairs = [(place, node.value)]
            yield from ((dotted(one), dotted(value), node) for one, value in pairs if dotted(one) and dotted(value))
