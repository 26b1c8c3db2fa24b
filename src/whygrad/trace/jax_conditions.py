"""Which branches of a training loop are ever taken.

A loop is written down twice and stands for all its rounds, so a branch that is taken every hundredth round looks like
one that never is. What a condition depends on is as a rule a counter; that part of the loop is cut out and run alone,
for as many rounds as the loop has, and for many more: a run that was kept short may just not get there.
"""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy
from jax._src import core
from jax._src.interpreters import partial_eval

from whygrad.trace.jax_rerun import compiled, evaluate, quiet_function
from whygrad.trace.jax_scopes import Ran
from whygrad.trace.jax_silence import silenced

_LONGER = 50
_ROUNDS = 200_000
_SMALL = 256
_NOT_CHEAP = frozenset({"dot_general", "conv_general_dilated", "scan", "while", "custom_vjp_call", "custom_jvp_call"})


def choices(ran: Ran, given: list[Any]) -> dict[int, tuple[set[int], set[int]]]:
    """For each value of a loop's body that chooses a branch: the choices in all rounds, and in a far longer loop."""
    body, jaxpr = ran.body, ran.jaxpr
    chooses = {item.branch[0] for item in body.items if isinstance(item, Ran) and item.branch is not None}
    made = {v for eqn in jaxpr.eqns for v in eqn.outvars}
    found: dict[int, tuple[set[int], set[int]]] = {}
    for number in chooses:
        variable = body.variables.get(number)
        if variable in made:
            seen = _choices(ran, given, variable)
            if seen is not None:
                found[number] = seen
    return found


def _choices(ran: Ran, given: list[Any], wanted: Any) -> tuple[set[int], set[int]] | None:
    if ran.scan is None:
        return None
    fixed, carried, length, reverse = ran.scan
    small = _needed(silenced(ran.jaxpr), wanted, fixed, carried)
    if small is None:
        return None
    jaxpr, used, kept = small
    inputs = [g for g, take in zip(given, used, strict=True) if take]
    axes = tuple(a for a, take in zip(ran.axes, used, strict=True) if take)
    if any(g is None for g in inputs):
        return None
    consts = sum(used[:fixed])
    rows = any(used[fixed + carried :])
    longer = length if rows else max(length, min(length * _LONGER, _ROUNDS))

    def looped(*arguments: Any) -> Any:
        def one(carry: Any, row: Any) -> Any:
            outs = evaluate(jaxpr, ran.consts, [*arguments[:consts], *carry, *row], {})
            return outs[:kept], outs[kept]

        start = list(arguments[consts : consts + kept])
        return jax.lax.scan(one, start, list(arguments[consts + kept :]), length=longer, reverse=reverse)[1]

    function: Any = looped
    if any(a is not None for a in axes):
        function = jax.vmap(looped, in_axes=axes, out_axes=1)
    taken = numpy.asarray(compiled(function)(*inputs))
    return set(taken[:length].ravel().tolist()), set(taken.ravel().tolist())


def _needed(jaxpr: Any, wanted: Any, fixed: int, carried: int) -> tuple[Any, list[bool], int] | None:
    """The part of a loop's body that one value depends on, through all rounds; None where that is the whole work."""
    whole = jaxpr.replace(outvars=[*jaxpr.outvars[:carried], wanted], debug_info=jaxpr.debug_info.with_unknown_names())
    outs = [False] * carried
    while True:
        part, used = partial_eval.dce_jaxpr(whole, [*outs, True], instantiate=[False] * len(jaxpr.invars))
        grown = [o or u for o, u in zip(outs, used[fixed : fixed + carried], strict=True)]
        if grown == outs:
            break
        outs = grown
    # What is carried and used must be given, and nothing else.
    take = [*used[:fixed], *outs, *used[fixed + carried :]]
    cheap = quiet_function(part) and _cheap(part)
    return (part, take, sum(outs)) if cheap and list(used) == take else None


def _cheap(jaxpr: Any) -> bool:
    for eqn in jaxpr.eqns:
        if eqn.primitive.name in _NOT_CHEAP:
            return False
        if any(math.prod(getattr(v.aval, "shape", ())) > _SMALL for v in eqn.outvars):
            return False
        if not all(_cheap(inner) for inner in core.jaxprs_in_params(eqn.params)):
            return False
    return True
