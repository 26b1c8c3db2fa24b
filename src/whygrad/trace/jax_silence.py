"""A function of the program's without what it only tells the outside: `jax.debug.print`, a callback that logs.

Such calls give nothing back, so that the function without them computes the same. It can be run once more, beside the
real one, and nothing is printed or logged twice.
"""

from __future__ import annotations

from typing import Any

from jax._src import callback, debugging

_TELLS = frozenset({"debug_callback", "debug_print"})
_EFFECTS = tuple(
    kind
    for module, name in (
        (debugging, "DebugEffect"),
        (debugging, "OrderedDebugEffect"),
        (callback, "IOEffect"),
        (callback, "OrderedIOEffect"),
    )
    if (kind := getattr(module, name, None)) is not None
)


def silenced(jaxpr: Any) -> Any:
    """The same function, loops and branches inside of it included; as it is where it tells nothing."""
    if not any(isinstance(effect, _EFFECTS) for effect in jaxpr.effects):
        return jaxpr
    eqns = [_inside(eqn) for eqn in jaxpr.eqns if not _only_tells(eqn)]
    left = set().union(*(eqn.effects for eqn in eqns))
    effects = {effect for effect in jaxpr.effects if effect in left or not isinstance(effect, _EFFECTS)}
    return jaxpr.replace(eqns=eqns, effects=effects)


def _only_tells(eqn: Any) -> bool:
    return eqn.primitive.name in _TELLS or (eqn.primitive.name == "io_callback" and not eqn.outvars)


def _inside(eqn: Any) -> Any:
    if not any(isinstance(effect, _EFFECTS) for effect in eqn.effects):
        return eqn
    params = {name: _parameter(value) for name, value in eqn.params.items()}
    if all(params[name] is value for name, value in eqn.params.items()):
        return eqn
    inner = set().union(*(one.effects for value in params.values() for one in _functions(value)))
    effects = {effect for effect in eqn.effects if effect in inner or not isinstance(effect, _EFFECTS)}
    return eqn.replace(params=params, effects=effects)


def _functions(value: Any) -> list[Any]:
    """The functions that a parameter is, with the constants that they are closed over or without."""
    several = value if isinstance(value, tuple | list) else (value,)
    return [one for one in several if hasattr(one, "eqns") and hasattr(one, "replace")]


def _parameter(value: Any) -> Any:
    if not _functions(value):
        return value
    if isinstance(value, tuple | list):
        found = type(value)(_parameter(one) for one in value)
        return value if all(a is b for a, b in zip(found, value, strict=True)) else found
    inner = getattr(value, "jaxpr", value)
    quiet = silenced(inner)
    if quiet is inner:
        return value
    return quiet if inner is value else value.replace(jaxpr=quiet)
