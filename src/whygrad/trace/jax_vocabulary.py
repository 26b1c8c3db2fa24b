"""What JAX calls its operations, what a user would call them, and which of them have no derivative."""

from __future__ import annotations

from typing import Any

import numpy

STOP = frozenset({"stop_gradient"})

FLAT = frozenset({"sign", "round", "floor", "ceil", "nextafter"})
"""Float to float with a derivative of zero everywhere."""

CALLBACKS = frozenset({"pure_callback", "io_callback"})

NOT_DATA = frozenset({
    "debug_callback", "create_token", "after_all", "debug_print", "mutable_array", "ref", "empty_ref",
    "copy_p",
})  # fmt: skip
"""Nothing that a loss is computed from."""

SAMPLES = frozenset({"categorical", "bernoulli", "randint", "choice", "poisson", "binomial", "multinomial"})
"""Functions of `jax.random` whose result is a draw with no derivative with respect to its parameters."""

ROOTS = frozenset({"norm", "std"})
"""Functions that end with a square root, which has no slope at 0."""

_FRIENDLY = {
    "dot_general": "matmul",
    "convert_element_type": "astype",
    "reduce_sum": "sum",
    "reduce_max": "max",
    "reduce_min": "min",
    "add_any": "add",
    "_where": "where",
    "_reduce_sum": "sum",
    "_mean": "mean",
    "_var": "var",
    "_std": "std",
    "_one_hot": "one_hot",
    "_argmax": "argmax",
    "_argmin": "argmin",
    "_take": "take",
    "_squeeze": "squeeze",
    "_moveaxis": "transpose",
    "expand_dims": "expand_dims",
    "broadcast_in_dim": "broadcast",
    "_threefry_split": "split",
    "true_divide": "div",
    "divide": "div",
    "subtract": "sub",
    "multiply": "mul",
    "negative": "neg",
    "log_softmax": "log_softmax",
    "_logsumexp": "logsumexp",
    "_power": "pow",
    "integer_pow": "pow",
    "power": "pow",
    "concatenate": "concat",
    "gt": "greater",
    "lt": "less",
}


def friendly(name: str) -> str:
    """A primitive's or a library function's name as a user would say it."""
    return _FRIENDLY.get(name, name.lstrip("_"))


def is_float(dtype: Any) -> bool:
    """Whether values of this type can carry a gradient."""
    try:
        if numpy.dtype(dtype).kind in "fc":
            return True
        return "float" in numpy.dtype(dtype).name  # bfloat16 and the 8-bit floats are no kind of NumPy's own
    except TypeError:  # a random key
        return False


def differentiable(jaxpr: Any) -> bool:
    """Whether a gradient can pass through a whole function, from some floating-point input to an output."""
    carried = {id(v) for v in (*jaxpr.invars, *jaxpr.constvars) if is_float(v.aval.dtype)}
    for eqn in jaxpr.eqns:
        if not any(id(v) in carried for v in eqn.invars) or not passes(eqn):
            continue
        carried.update(id(v) for v in eqn.outvars if is_float(getattr(v.aval, "dtype", None)))
    return any(id(v) in carried for v in jaxpr.outvars)


def passes(eqn: Any) -> bool:
    """Whether one equation lets a gradient through."""
    name = eqn.primitive.name
    if name in STOP or name in FLAT or name in CALLBACKS:
        return False
    if name in ("jit", "pjit", "closed_call", "core_call", "remat2", "remat", "checkpoint"):
        inner = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr")
        return inner is None or differentiable(getattr(inner, "jaxpr", inner))
    return True
