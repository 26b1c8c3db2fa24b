"""One call of a JAX operation: what kind it is, from which values to which.

Every operation passes `Primitive.bind` in Python, whether arrays or tracers are given to it; the outermost of nested
calls is the user's. Compiled functions are run through JAX's Python path while the recorder looks.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax._src import core, pjit
from jax._src.interpreters import partial_eval

from whygrad.flow.operations import ITS_OWN, Kind, Op
from whygrad.trace import jax_vocabulary as words
from whygrad.trace.jax_begun import BEGINS
from whygrad.trace.jax_bodies import Bodies
from whygrad.trace.jax_devices import Devices
from whygrad.trace.jax_retraces import Retraces
from whygrad.trace.jax_scopes import Scope
from whygrad.trace.jax_whose import function_name, in_a_library, library_function, of_the_program
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_Call = Callable[..., Any]
_OWN_GRADIENT = ("custom_jvp_call", "custom_vjp_call")


class Calls:
    """Sees each call and writes down what it did."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._open: weakref.WeakKeyDictionary[Any, Scope] = weakref.WeakKeyDictionary()
        self._inside = ""
        self.retraces = Retraces(recorder)
        self.bodies = Bodies(recorder, self)
        self.devices = Devices()

    def attach_deep(self, patches: Patches) -> None:
        """Watch operations, compiled functions and tracing."""
        self.retraces.attach_deep(patches)
        patches.replace(core.Primitive, "bind", self._wrap_bind)
        patches.replace(pjit, "_pjit_call_impl_python", self._wrap_compiled)
        patches.replace(pjit, "_get_fastpath_data", self._wrap_fast_path)
        patches.replace(partial_eval.DynamicJaxprTrace, "__init__", self._wrap_trace)
        patches.replace(partial_eval.JaxprStackFrame, "to_jaxpr", self._wrap_to_jaxpr)
        patches.replace(partial_eval.DynamicJaxprTrace, "_new_const", self._wrap_const)
        patches.replace(partial_eval.DynamicJaxprTrace, "new_arg", self._wrap_argument)

    # --- hooks --------------------------------------------------------------------------------------------------

    def _wrap_bind(self, original: _Call) -> _Call:
        local = self.recorder.local

        def bind(primitive: Any, *args: Any, **params: Any) -> Any:
            if local.busy or self._merely_runs(primitive.name, args, params):
                return original(primitive, *args, **params)
            spread = self.devices.is_spread(primitive.name)
            local.busy += not spread  # its body is traced while it is bound
            try:
                try:
                    result = original(primitive, *args, **params)
                except jax.errors.UnexpectedTracerError as error:
                    self.recorder.failures.leaked(error, args, sys._getframe(1))
                    raise
                if primitive.name not in words.NOT_DATA:
                    self._guarded(primitive.name, args, params, result, sys._getframe(1), primitive.multiple_results)
            finally:
                local.busy -= not spread
            self.recorder.after_call()
            return result

        return bind

    def _wrap_compiled(self, original: _Call) -> _Call:
        local = self.recorder.local

        def _pjit_call_impl_python(*args: Any, **params: Any) -> Any:
            if local.busy:
                return original(*args, **params)
            local.busy += 1
            try:
                probed = self.bodies.probe(args, params)
                if any(params.get("donated_invars", ())):
                    stack = self.recorder.session.stacks.capture(sys._getframe(1))
                    self.recorder.failures.donated(args, params["donated_invars"], stack)
                result = original(*args, **params)
                self._guarded("jit", args, params, result[0], sys._getframe(1), True, probed)
            finally:
                local.busy -= 1
            self.recorder.after_call()
            return result

        return _pjit_call_impl_python

    def _wrap_fast_path(self, original: _Call) -> _Call:
        def _get_fastpath_data(*args: Any, **kwargs: Any) -> Any:
            return None  # stay in Python, where we can look

        return _get_fastpath_data

    def _wrap_trace(self, original: _Call) -> _Call:
        def __init__(trace: Any, *args: Any, **kwargs: Any) -> None:
            original(trace, *args, **kwargs)
            if not self.recorder.local.busy:
                self.opens(trace, sys._getframe(1))

        return __init__

    def opens(self, trace: Any, frame: FrameType) -> None:
        """A body begins to be traced."""
        self._open[trace] = Scope(self.recorder, self.recorder.session.stacks.capture(frame))

    def _wrap_argument(self, original: _Call) -> _Call:
        def new_arg(trace: Any, *args: Any, **kwargs: Any) -> Any:
            tracer = original(trace, *args, **kwargs)
            scope = self._open.get(trace)
            if scope is not None:
                scope.inputs[tracer.val] = self.recorder.values.new(scope, tracer)
            return tracer

        return new_arg

    def _wrap_const(self, original: _Call) -> _Call:
        def _new_const(trace: Any, aval: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
            tracer = original(trace, aval, value, *args, **kwargs)
            if trace in self._open:
                number = self.recorder.values.known(value)
                if number is not None:
                    self.recorder.values.bind(tracer, number)
                    self.recorder.values.bind(value, number)  # the array outlives the tracer
                    self.bodies.constants.add(number)
                else:
                    self._constant(self._open[trace], tracer, value, sys._getframe(1))
            return tracer

        return _new_const

    def _constant(self, scope: Scope, tracer: Any, value: Any, frame: FrameType) -> None:
        """NumPy data in a traced function: it may be a copy of an array of the program."""
        try:
            self.recorder.ways_out.enters(scope, tracer, value, self.recorder.session.stacks.capture(frame))
        except Exception as trouble:
            self.recorder.trouble(trouble)

    def _wrap_to_jaxpr(self, original: _Call) -> _Call:
        def to_jaxpr(frame: Any, trace: Any, out_tracers: Any, *args: Any, **kwargs: Any) -> Any:
            scope = self._open.pop(trace, None)
            if scope is not None:
                try:
                    stack = scope.base
                    scope.outputs = [self.recorder.values.of(scope, t, stack) for t in out_tracers]
                except Exception as trouble:
                    self.recorder.trouble(trouble)
                    scope = None
            jaxpr, consts = original(frame, trace, out_tracers, *args, **kwargs)
            if scope is not None:
                self.retraces.traced(scope, jaxpr)
                self.devices.traced(jaxpr, scope)
                self.bodies.keep(jaxpr, scope)
            return jaxpr, consts

        return to_jaxpr

    def open_scopes(self) -> list[Scope]:
        """Bodies that are being traced, or whose tracing has failed."""
        return list(self._open.values())

    def abandon(self, scope: Scope) -> None:
        """A body's tracing has failed."""
        for trace in [trace for trace, one in self._open.items() if one is scope]:
            del self._open[trace]

    def _merely_runs(self, name: str, args: Any, params: Any) -> bool:
        """Whether a function with a gradient of its own runs where no gradient is taken: a solver that trains, say.

        Its own gradient plays no part there; what it does is seen like any other code of the program's.
        """
        if name not in _OWN_GRADIENT or self.recorder.local.tapes or self.scope() is not self.recorder.root:
            return False
        return of_the_program(_function(params)) and not any(isinstance(one, core.Tracer) for one in args)

    # --- writing down -------------------------------------------------------------------------------------------

    def scope(self) -> Scope:
        """The body that is being traced at this moment, or the recording."""
        trace = core.trace_ctx.trace
        while trace is not None:
            found = self._open.get(trace) if isinstance(trace, partial_eval.DynamicJaxprTrace) else None
            if found is not None:
                return found
            trace = getattr(trace, "parent_trace", None)
        return self.recorder.root

    def _guarded(
        self, name: str, args: Any, params: Any, result: Any, frame: FrameType, several: bool,
        probed: dict[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        try:
            with self.recorder.lock:
                outs = list(result) if several else [result]
                self._note(name, args, params, outs, frame, probed or {})
        except Exception as trouble:  # the program goes on whatever happens to us
            self.recorder.trouble(trouble)

    def _note(
        self, name: str, args: Any, params: Any, outs: list[Any], frame: FrameType, probed: dict[Any, Any]
    ) -> None:
        scope = self.scope()
        if name in words.STOP and outs[0] is args[0] and not self.recorder.local.tapes:
            return  # outside of every gradient there is nothing to stop, and it gives back the very array
        if outs and not any(isinstance(out, core.Tracer) for out in outs):
            scope = self.recorder.root  # a constant, calculated while a function is traced: the array outlives its body
        stack = self.recorder.session.stacks.capture(frame)
        self._inside = library_function(frame)
        if self._inside in BEGINS and scope is self.recorder.root:
            self.recorder.beginnings.saw(frame, stack)
        if self.devices.is_spread(name) and (spread := self.devices.body()) is not None:
            self.bodies.spread(scope, *spread, args, outs, stack)
            return
        if self.bodies.called(scope, name, args, params, outs, stack, probed):
            return
        if name == "select_n" and isinstance(args[0], bool | numpy.bool_):
            # `select(stop, stop_gradient(x), x)` with a plain True or False: Python has chosen, the other is not used.
            self.op(scope, name, [args[1 + int(args[0])]], outs, stack)
        elif name in _OWN_GRADIENT:
            function = _function(params)
            own = name == "custom_vjp_call" and of_the_program(function)
            self.op(scope, function_name(function) or name, args, outs, stack,
                    detail="custom_function" if own else "custom")  # fmt: skip
        else:
            own = name in words.STOP and in_a_library(frame)
            self.op(scope, name, args, outs, stack, detail=ITS_OWN if own else "")

    def op(
        self, scope: Scope, name: str, args: Sequence[Any], outs: list[Any], stack: int, carries: bool = True,
        detail: str = "",
    ) -> None:  # fmt: skip
        """One operation at the user's line."""
        if name not in words.STOP and outs and all(any(o is a for a in args) for o in outs):
            return  # the very thing that it was given: `jnp.real` of what is real
        values = self.recorder.values
        inputs = [values.of(scope, a, stack) for a in args]
        outputs = [values.new(scope, o) for o in outs]
        op = self.write(scope, name, inputs, outputs, stack, carries, detail)
        if scope is self.recorder.root:
            self.recorder.numbers.eager(op, dict(zip((*inputs, *outputs), (*args, *outs), strict=True)))

    def write(
        self, scope: Scope, name: str, inputs: list[int], outputs: list[int], stack: int, carries: bool = True,
        detail: str = "",
    ) -> Op:  # fmt: skip
        """The same, for values that have their numbers."""
        kind = self._kind(scope, name, inputs, outputs, carries)
        if kind == "discrete" and not detail and outputs:
            value = self.value(scope, outputs[0])
            detail = "" if value.floating else "an integer or bool"
        if words.friendly(name) in words.ROOTS:
            detail = "undefined at 0"
        op = Op(0, words.friendly(name), kind, tuple(inputs), tuple(outputs), stack, kind == "compute",
                tapes=scope.open_tapes(), detail=detail, inside=self._inside,
                clips=self.recorder.clipping.now)  # fmt: skip
        scope.put(op)
        return op

    def value(self, scope: Scope, number: int) -> Any:
        """A value, in this scope or in one around it."""
        found = scope.values.get(number)
        if found is None:
            found = self.recorder.recording.values.get(number)
        if found is None:
            for other in list(self._open.values()):
                found = found or other.values.get(number)
        return found

    def _kind(self, scope: Scope, name: str, inputs: list[int], outputs: list[int], carries: bool) -> Kind:
        if name in words.STOP:
            return "stop"
        if name in words.CALLBACKS:
            return "enter"
        floating = any(v is not None and v.floating for v in (self.value(scope, i) for i in inputs))
        if not floating:
            return "compute"
        if name in words.FLAT or name.lstrip("_") in words.SAMPLES or not carries:
            return "discrete"
        return "compute" if any(scope.values[o].floating for o in outputs if o in scope.values) else "discrete"


def _function(params: Any) -> Any:
    """The function that has a gradient of its own."""
    return next(iter(params.get("subfuns", ())), None)
