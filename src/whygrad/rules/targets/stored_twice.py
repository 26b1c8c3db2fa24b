"""JAX: the line of a training step that puts the trained parameters into the target's place of a state as well.

`State(params=new, target_params=new)`, `state.replace(target_params=state.params)`: no operation runs there, so the
recording knows only that the arrays are the same at the next call. The source says where they became so.
"""

from __future__ import annotations

import ast
import re

from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, dotted
from whygrad.rules.case import Case

_REPLACES = frozenset({"replace", "_replace"})


def stored_twice(case: Case, backward: Backward, members: set[int]) -> Site | None:
    """Where, in the functions that lead to a gradient, what is trained is stored a second time; None if it is not."""
    fields = {_field(case.variable(v).network) for v in members}
    for site in case.stack(backward.stack):
        _, _, function = around(site)
        for node in ast.walk(function) if function is not None and len(fields) == 1 else ():
            found = _second(node, *fields) if isinstance(node, ast.Call) else None
            if found is not None:
                return at_node(site, found)
    return None


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


def _field(network: str) -> str:
    """`critic_params` of `_state.critic_params['params']`."""
    return re.sub(r"\[.*", "", network).rpartition(".")[2]
