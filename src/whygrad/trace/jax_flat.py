"""Functions with flat parts: how many units do nothing, and which inputs get no gradient because of the numbers."""

from __future__ import annotations

from typing import Any

import numpy

from whygrad.flow.operations import Numbers, Op, Units

_ENDS = {"relu6": (0.0, 6.0), "hard_tanh": (-1.0, 1.0), "hard_sigmoid": (0.0, 1.0)}
"""Functions that are flat below and above."""
_FADES = frozenset({"gelu", "silu", "swish", "elu", "selu", "celu", "softplus", "mish"})
_FADED = -104.0
"""Below this the slope of such a function is zero in single precision."""
_PICKS = frozenset({"minimum", "maximum", "min", "max"})
_FLAT = 1e-6
_SLIGHT = 1e-3


def look_for_flat(op: Op, given: list[Any], out: Any, numbers: Numbers) -> None:
    """How many units do nothing, and to which inputs no gradient passes because of the numbers."""
    name = op.name
    if name in _ENDS:
        low, high = _ENDS[name]
        inside = _over_batch((out > low) & (out < high), numpy.any)
        op.units = Units(inside.size, dead=int((~inside).sum()))
        op.flat = op.inputs[:1] if not bool(inside.any()) else ()
    elif name in _FADES and given and given[0] is not None and given[0].shape == out.shape:
        op.flat = op.inputs[:1] if float(given[0].max()) < _FADED else ()
    elif name == "relu" and numbers.low == 0:
        alive = _over_batch(out, numpy.max)
        op.units = Units(alive.size, dead=int((alive <= 0).sum()))
        op.flat = op.inputs[:1] if numbers.high <= 0 else ()
    elif name == "tanh" and max(-numbers.low, numbers.high) > 1 - _FLAT:
        size = numpy.abs(out)
        flattest = _over_batch(size, numpy.min)
        share = float((size > 1 - _SLIGHT / 2).mean())
        op.units = Units(flattest.size, saturated=int((flattest > 1 - _FLAT / 2).sum()), flat=share)
        op.flat = op.inputs[:1] if bool((flattest == 1).all()) else ()
    elif name in ("sigmoid", "logistic") and (numbers.low < _FLAT or numbers.high > 1 - _FLAT):
        slope = out * (1 - out)
        steepest = _over_batch(slope, numpy.max)
        share = float((slope < _SLIGHT / 4).mean())
        op.units = Units(steepest.size, saturated=int((steepest < _FLAT).sum()), flat=share)
        op.flat = op.inputs[:1] if bool((steepest == 0).all()) else ()
    elif name in ("softmax", "log_softmax") and out.ndim:
        top = (numpy.exp(out) if name == "log_softmax" else out).max(axis=-1)
        sure = int((top >= 1).sum())
        op.units = Units(top.size, saturated=sure) if sure else None
        op.flat = op.inputs[:1] if out.shape[-1] == 1 or (sure == top.size and name == "softmax") else ()
    elif name == "clip" and given and given[0] is not None and given[0].shape == out.shape:
        same = _over_batch(given[0] == out, numpy.any)
        op.units = Units(same.size, saturated=same.size - int(same.sum()))
        op.flat = op.inputs[:1] if not bool(same.any()) else ()
    elif name in _PICKS and len(given) == 2:
        never = [g is not None and not bool((out == g).any()) for g in given]
        cut = _rectified(given, out) if name in ("maximum", "max") else None
        if cut is not None:
            alive = _over_batch(out, numpy.max)
            op.units = Units(alive.size, dead=int((alive <= 0).sum()))
            never[cut] = never[cut] or numbers.high <= 0
        op.flat = tuple(number for number, unused in zip(op.inputs, never, strict=False) if unused)
    elif name == "where" and len(given) == 3 and given[0] is not None and given[0].dtype == numpy.bool_:
        unused = op.inputs[2:3] if given[0].all() else op.inputs[1:2] if not given[0].any() else ()
        op.flat = tuple(unused)


def _rectified(given: list[Any], out: Any) -> int | None:
    """Which of two sides is held against zero: `maximum(x, 0)` is a rectifier.

    A number that a compiled function has written down is not among the contents; it is read off the result.
    """
    for place, (side, other) in enumerate((given, given[::-1])):
        if side is None or not out.ndim or side.shape != out.shape:
            continue
        limits = out[out != side] if other is None else other if other.ndim == 0 else out[:0]
        if limits.size and not bool(limits.any()):
            return place
    return None


def _over_batch(content: Any, reduce: Any) -> Any:
    """One number for each unit: the last dimension."""
    return reduce(content.reshape(-1, content.shape[-1]), axis=0) if content.ndim > 1 else content
