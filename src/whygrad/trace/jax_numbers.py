"""What JAX's arrays contain: values, gradients and weights, and how much of an activation is flat.

Eager arrays are looked at as they are. Inside a compiled function nothing can be looked at; because such a function is
pure, it is run once more beside the real one, with everything in between as its result. The program's own function is
compiled and run as it would be without us. What it prints or logs is left out of the second run (`jax_silence`); one
with other side effects is not run twice.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax._src import core

from whygrad.flow.operations import Numbers, Op
from whygrad.trace.jax_flat import look_for_flat
from whygrad.trace.jax_rerun import compiled, evaluate, plain, worth_a_look
from whygrad.trace.jax_silence import silenced
from whygrad.trace.jax_values import wrapped
from whygrad.trace.jax_vocabulary import is_float

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Scope

SINGULAR = frozenset({"sqrt", "rsqrt", "log", "log2", "log10", "div", "pow", "norm", "arccos", "arcsin", "acos", "asin",
                      "std", "var", "reciprocal", "atan2", "arctan2"})  # fmt: skip
_WHOLE = 1 << 22
_RUNS = 300

Content = Mapping[int, Any]


class NumbersSeen:
    """Looks at results, gradients and weights while the recorder traces."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._probes: dict[int, tuple[Any, Any, list[Any]]] = {}
        self._runs: dict[int, int] = {}

    # --- eager --------------------------------------------------------------------------------------------------

    def of_op(self, op: Op, content: Content) -> None:
        """The content of an operation's results, and of its arguments where that matters."""
        values = self.recorder.recording.values
        finite = True
        for number in op.outputs:
            self.of_value(number, content)
            known = values[number].numbers if number in values else None
            finite = finite and (known is None or known.finite)
        if op.name in SINGULAR or not finite:
            for number in op.inputs:
                self.of_value(number, content)
        out = content.get(op.outputs[0]) if len(op.outputs) == 1 else None
        numbers = values[op.outputs[0]].numbers if op.outputs and op.outputs[0] in values else None
        if out is not None and numbers is not None and numbers.finite and op.carries:
            look_for_flat(op, [content.get(n) for n in op.inputs], out, numbers)

    def of_value(self, number: int, content: Content) -> None:
        """The content of one value, once."""
        value = self.recorder.recording.values.get(number)
        if value is None or not value.floating or value.numbers is not None:
            return
        array = content.get(number)
        if array is not None:
            value.numbers = look(array)

    def eager(self, op: Op, things: dict[int, Any]) -> None:
        """An operation on arrays that are there."""
        self.of_op(op, {n: array for n, thing in things.items() if (array := concrete(thing)) is not None})

    # --- compiled -----------------------------------------------------------------------------------------------

    def probe(self, body: Scope, jaxpr: Any, consts: Any, args: Any) -> dict[Any, Any]:
        """Run a compiled function once more, beside the real one: what its variables contain."""
        key = id(jaxpr)
        runs = self._runs[key] = self._runs.get(key, 0) + 1
        if runs > _RUNS or not args or any(isinstance(a, core.Tracer) for a in args):
            return {}
        entry = self._probes.get(key)
        if entry is None or entry[0]() is not jaxpr:
            function = silenced(jaxpr)
            wanted = worth_a_look(body, function)
            if not wanted:
                return {}

            def inside(*arguments: Any) -> list[Any]:
                found: dict[Any, Any] = {}
                evaluate(function, consts, arguments, found, self.recorder.calls.bodies.trains)
                return [found.get(variable) for variable in wanted]

            entry = self._probes[key] = (weakref.ref(jaxpr), compiled(inside), wanted)
        with self.recorder.quiet():
            results = entry[1](*args)
            return {v: plain(r) for v, r in zip(entry[2], results, strict=True) if r is not None}

    def of_replay(self, body: Scope, places: dict[int, int], found: dict[Any, Any], first: int) -> None:
        """Give the values of one run of a body what the probe saw, and look at its operations."""
        content = {}
        for number, root in places.items():
            variable = body.variables.get(number)
            if variable is not None and variable in found:
                content[root] = found[variable]
        self._inside(content, first)

    def of_inner(self, things: dict[int, Any], outs: list[Any], first: int) -> None:
        """The same for a loop or a function that ran on arrays: in a gradient, or with a result that is not finite."""
        pending = self.recorder.inner.pending
        if not pending:
            return
        bad = any((n := look(a)) is not None and not n.finite for o in outs if (a := concrete(o)) is not None)
        if not bad and not self.recorder.local.tapes and not any(r.body.asks for r in pending):
            self.recorder.inner.take()
            return
        self._inside({n: a for n, thing in things.items() if (a := concrete(thing)) is not None}, first)

    def _inside(self, content: dict[int, Any], first: int) -> None:
        self.recorder.inner.run(self.recorder.inner.take(), content)
        ops = self.recorder.recording.ops
        for at in range(first, self.recorder.session.now()):
            op = ops.get(at)
            if op is not None:
                self.of_op(op, content)
        for number in content:
            self.of_value(number, content)

    # --- gradients and weights ----------------------------------------------------------------------------------

    def fill(self, since: int) -> None:
        """Numbers of gradients and weights, for the passes and steps since a moment."""
        recording = self.recorder.recording
        values = recording.values
        for backward in reversed(recording.backwards):
            if backward.at < since:
                break
            for variable, number in backward.given.items():
                known = values[number].numbers if number in values else None
                if known is not None:
                    backward.gradients[variable] = known
        last = {v: n for b in recording.backwards for v, n in b.gradients.items()}
        for step in reversed(recording.steps):
            if step.at < since:
                break
            for variable, number in step.before.items():
                known = values[number].numbers if number in values else None
                if known is not None:
                    step.weights[variable] = known
                if variable in last:
                    step.gradients[variable] = last[variable]


def concrete(thing: Any) -> Any:
    """The content of an array, or of the array behind a gradient's tracer; None where there is none to look at."""
    inner = wrapped(thing)
    while inner is not None:
        thing, inner = inner, wrapped(inner)
    if isinstance(thing, core.Tracer):
        return None
    if isinstance(thing, bool | int | float | numpy.ndarray | numpy.generic):
        return numpy.asarray(thing)
    if not isinstance(thing, jax.Array) or thing.size > _WHOLE or not thing.is_fully_addressable:
        return None
    try:
        return numpy.asarray(thing)
    except Exception:  # donated, deleted, a random key
        return None


def look(array: Any) -> Numbers | None:
    """What an array contains; None where it holds no floats."""
    if not array.size or not is_float(array.dtype):
        return None
    content = array.astype(numpy.float32) if array.dtype.itemsize < 4 else array
    if content.dtype.kind == "c":
        content = numpy.abs(content)
    low, high = float(content.min()), float(content.max())
    zeros = int(content.size - numpy.count_nonzero(content))
    if math.isfinite(low) and math.isfinite(high):
        norm = float(numpy.linalg.norm(content.astype(numpy.float64, copy=False)))
        return Numbers(content.size, low, high, zeros, norm=norm)
    nans, infs = int(numpy.isnan(content).sum()), int(numpy.isinf(content).sum())
    rest = content[numpy.isfinite(content)]
    if not rest.size:
        return Numbers(content.size, 0.0, 0.0, 0, nans, infs)
    norm = float(numpy.linalg.norm(rest.astype(numpy.float64)))
    return replace(Numbers(content.size, float(rest.min()), float(rest.max()), zeros, nans, infs), norm=norm)
