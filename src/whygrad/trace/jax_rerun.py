"""Running a function of the program once more, beside the real one, to see what is inside."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy
from jax._src import core
from jax._src.interpreters import batching

from whygrad.trace.jax_scopes import Ran, Scope
from whygrad.trace.jax_values import wrapped
from whygrad.trace.jax_vocabulary import CALLBACKS, is_float

_WHOLE = 1 << 22
_ALL = 1 << 26
_FEW = 64
SPREAD = "shard_map"
"""The operation that runs a function on every device; `pmap` is one, too."""


def compiled(function: Any) -> Any:
    """Compile a function that runs a few times: quickly rather than well."""
    options = {"xla_backend_optimization_level": 0} if jax.default_backend() == "cpu" else None
    return jax.jit(function, compiler_options=options)


def batch_axes(args: Any) -> tuple[int | None, ...] | None:
    """Over which dimension `vmap` maps each argument; None where there is more than one `vmap`."""
    found = []
    for thing in args:
        axes, inner = [], thing
        while inner is not None:
            if isinstance(inner, batching.BatchTracer) and inner.batch_dim is not None:
                axes.append(inner.batch_dim)
            inner = wrapped(inner)
        if len(axes) > 1 or not all(isinstance(a, int) for a in axes):
            return None
        found.append(axes[0] if axes else None)
    return tuple(found)


def small(thing: Any) -> Any:
    """The content of a number or of a few; a compiled function may have been written with it."""
    if isinstance(thing, bool | int | float | numpy.generic):
        return thing
    written = getattr(thing, "val", None)
    if isinstance(thing, core.Tracer) and isinstance(written, core.Literal):
        return written.val
    if isinstance(thing, core.Tracer) or not isinstance(thing, jax.Array | numpy.ndarray) or thing.size > _FEW:
        return None
    if isinstance(thing, jax.Array) and thing.is_deleted():
        return None  # given away to the call
    return plain(thing)


def plain(array: Any) -> Any:
    """An array as NumPy sees it; random keys stay what they are."""
    return array if jax.dtypes.issubdtype(array.dtype, jax.dtypes.extended) else numpy.asarray(array)


def quiet_function(jaxpr: Any, spread: bool = False) -> bool:
    """Whether running a function twice is the same as running it once.

    `spread`: it runs on every device, and may ask what the others have.
    """
    if any(not (spread and isinstance(effect, core.NamedAxisEffect)) for effect in jaxpr.effects):
        return False
    for eqn in jaxpr.eqns:
        if eqn.primitive.name in CALLBACKS or "callback" in eqn.primitive.name:
            return False
        for inner in core.jaxprs_in_params(eqn.params):
            if not quiet_function(inner, spread or eqn.primitive.name == SPREAD):
                return False
    return True


def worth_a_look(body: Scope, jaxpr: Any) -> list[Any]:
    """The variables whose content is worth a look, as far as memory allows."""
    if not quiet_function(jaxpr):
        return []
    parts = (jaxpr, *(eqn.params["jaxpr"] for eqn in jaxpr.eqns if eqn.primitive.name == SPREAD))
    made = {id(v) for part in parts for v in (*part.invars, *(v for eqn in part.eqns for v in eqn.outvars))}
    inner = [item for item in body.items if isinstance(item, Ran)]
    needed = {n for item in inner for n in (*item.given, *(item.branch or ())[:1])}
    found: dict[Any, None] = {}
    total = 0
    for number, variable in body.variables.items():
        dtype = getattr(variable.aval, "dtype", None)
        if id(variable) not in made or variable in found:
            continue
        size = math.prod(getattr(variable.aval, "shape", ()))
        keep = number in needed or is_float(dtype) or dtype == numpy.bool_
        if keep and size <= _WHOLE and total + size <= _ALL:
            found[variable] = None
            total += size
    return list(found)


def evaluate(jaxpr: Any, consts: Any, args: Any, found: dict[Any, Any], skip: Any = None) -> list[Any]:
    """Run a function, keeping everything in between; what depends on a skipped equation stays unknown."""
    env: dict[Any, Any] = {}

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, core.Literal) else env.get(atom)

    for variable, value in [*zip(jaxpr.constvars, consts, strict=True), *zip(jaxpr.invars, args, strict=True)]:
        env[variable] = found[variable] = value
    for eqn in jaxpr.eqns:
        given = [read(v) for v in eqn.invars]
        if any(g is None for g in given) or (skip is not None and skip(eqn)):
            continue
        if eqn.primitive.name == SPREAD:
            results = _on_devices(eqn, given, found, skip)
            env.update(zip(eqn.outvars, results, strict=False))
            found.update(zip(eqn.outvars, results, strict=False))
            continue
        functions, params = eqn.primitive.get_bind_params(eqn.params), None
        if isinstance(functions, tuple):
            functions, params = functions
            results = eqn.primitive.bind(*functions, *given, **params)
        else:
            results = eqn.primitive.bind(*given, **functions)
        results = results if eqn.primitive.multiple_results else [results]
        for variable, value in zip(eqn.outvars, results, strict=True):
            env[variable] = found[variable] = value
    return [read(v) for v in jaxpr.outvars]


def _on_devices(eqn: Any, given: list[Any], found: dict[Any, Any], skip: Any) -> list[Any]:
    """Run what runs on every device; of what is in between, what one of them has. Nothing where a part is skipped."""
    inner, kept = eqn.params["jaxpr"], list[Any]()
    if skip is not None and any(skip(one) for one in inner.eqns):
        return []

    def inside(*arguments: Any) -> tuple[list[Any], list[Any]]:
        seen: dict[Any, Any] = {}
        outs = evaluate(inner, (), arguments, seen)
        kept[:] = seen
        return outs, [jax.numpy.expand_dims(one, 0) for one in seen.values()]

    axes = eqn.params["newly_manual_axes"]
    results, between = jax.shard_map(
        inside, mesh=eqn.params["mesh"], in_specs=tuple(eqn.params["in_specs"]), axis_names=set(axes),
        out_specs=(list(eqn.params["out_specs"]), jax.sharding.PartitionSpec(tuple(axes))),
        check_vma=eqn.params["check_vma"],
    )(*given)  # fmt: skip
    found.update(zip(kept, (one[0] for one in between), strict=True))
    return results
