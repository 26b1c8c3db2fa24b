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

import numpy
from jax._src import core, pjit
from jax._src.interpreters import partial_eval

from whygrad.flow.recording import ITS_OWN, Kind, Op
from whygrad.trace import jax_vocabulary as words
from whygrad.trace.jax_begun import BEGINS
from whygrad.trace.jax_constants import Fixed
from whygrad.trace.jax_loops import carried_apart, each_its_own
from whygrad.trace.jax_rerun import batch_axes, small
from whygrad.trace.jax_retraces import Retraces
from whygrad.trace.jax_scopes import Ran, Scope, outcome, replay
from whygrad.trace.patches import Patches
from whygrad.trace.user_line import SKIP, classify

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_Call = Callable[..., Any]
_STOPPING = ("jax/_src/lax/", "jax/_src/tree_util", "jax/_src/ad_util")
_JAX = "jax/_src/"
_LOOPS = 2
"""How often a loop's body is written down: twice lets what is carried come round."""


class Calls:
    """Sees each call and writes down what it did."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._open: weakref.WeakKeyDictionary[Any, Scope] = weakref.WeakKeyDictionary()
        self._bodies: dict[Any, Scope] = {}
        self._smooth: dict[int, tuple[weakref.ref[Any], bool]] = {}
        self._inside = ""
        self.retraces = Retraces(recorder)
        self.constants: set[int] = set()
        """Values that a traced function took from around it."""
        self.fixed = Fixed()

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
            if local.busy:
                return original(primitive, *args, **params)
            local.busy += 1
            try:
                result = original(primitive, *args, **params)
                if primitive.name not in words.NOT_DATA:
                    self._guarded(primitive.name, args, params, result, sys._getframe(1), primitive.multiple_results)
            finally:
                local.busy -= 1
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
                probed = self._probe(args, params)
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
                base = self.recorder.session.stacks.capture(sys._getframe(1))
                self._open[trace] = Scope(self.recorder, base)

        return __init__

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
                    self.constants.add(number)
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
                key = _key(jaxpr)
                if key is not None:
                    self._bodies[key] = scope
            return jaxpr, consts

        return to_jaxpr

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
        self._inside = _library_function(frame)
        if self._inside in BEGINS and scope is self.recorder.root:
            self.recorder.beginnings.saw(frame, stack)
        if name in ("jit", "pjit", "remat2", "remat", "checkpoint", "closed_call"):
            inner = params.get("jaxpr") or params.get("call_jaxpr")
            self._function(scope, inner, params.get("name", name), args, outs, stack, probed)
        elif name == "scan":
            self._scan(scope, params, args, outs, stack)
        elif name == "while":
            self._while(scope, params, args, outs, stack)
        elif name == "cond":
            self._cond(scope, params, args, outs, stack)
        elif name == "select_n" and isinstance(args[0], bool | numpy.bool_):
            # `select(stop, stop_gradient(x), x)` with a plain True or False: Python has chosen, the other is not used.
            self.op(scope, name, [args[1 + int(args[0])]], outs, stack)
        elif name in ("custom_jvp_call", "custom_vjp_call"):
            function = next(iter(params.get("subfuns", ())), None)
            own = name == "custom_vjp_call" and _of_the_program(function)
            self.op(scope, _function_name(function) or name, args, outs, stack,
                    detail="custom_function" if own else "custom")  # fmt: skip
        else:
            own = name in words.STOP and _in_a_library(frame)
            self.op(scope, name, args, outs, stack, detail=ITS_OWN if own else "")

    def op(
        self, scope: Scope, name: str, args: Sequence[Any], outs: list[Any], stack: int, carries: bool = True,
        detail: str = "",
    ) -> None:  # fmt: skip
        """One operation at the user's line."""
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

    # --- functions with a body ----------------------------------------------------------------------------------

    def _body(self, jaxpr: Any) -> Scope | None:
        key = _key(jaxpr)
        return self._bodies.get(key) if key is not None else None

    def _smoothness(self, jaxpr: Any) -> bool:
        entry = self._smooth.get(id(jaxpr))
        if entry is not None and entry[0]() is jaxpr:
            return entry[1]
        known = words.differentiable(jaxpr)
        self._smooth[id(jaxpr)] = (weakref.ref(jaxpr), known)
        return known

    def _function(
        self, scope: Scope, closed: Any, name: str, args: Any, outs: list[Any], stack: int, probed: dict[Any, Any]
    ) -> None:
        recorder = self.recorder
        jaxpr = getattr(closed, "jaxpr", closed)
        body = self._body(jaxpr)
        if body is None or not (body.user or body.asks):
            self.op(scope, name, args, outs, stack, self._smoothness(jaxpr))
            return
        inputs = [recorder.values.of(scope, a, stack) for a in args]
        first = recorder.session.now()
        tried = scope is recorder.root and body.asks
        ran = None if probed or tried else self._ran(scope, closed, body, inputs, args)
        arguments = each_its_own(self, scope, body, self._arguments(body, jaxpr, inputs), stack)
        results, places = replay(body, scope, arguments, stack)
        if ran is not None:
            ran.turns.append(places)
        self._returned(scope, outs, results, stack)
        if scope is recorder.root:
            self.retraces.called(name, stack)
            recorder.updates.returned(set(results), stack, first)
            if probed:
                recorder.numbers.of_replay(body, places, probed, first)
            else:
                recorder.numbers.of_inner(dict(zip(inputs, args, strict=True)), outs, first)
            if body.asks:
                self.fixed.count(body, self.constants)
                recorder.targets.given(inputs, stack)
                recorder.updates.flush()  # a compiled training step is an update
                recorder.numbers.fill(first)

    def _probe(self, args: Any, params: Any) -> dict[Any, Any]:
        """Before a compiled training step runs (and its arguments may be gone): what it will compute."""
        closed = params["jaxpr"]
        body = self._body(closed.jaxpr)
        if body is None or not body.asks or self.scope() is not self.recorder.root:
            return {}
        try:
            return self.recorder.numbers.probe(body, closed.jaxpr, closed.consts, args)
        except Exception as trouble:
            self.recorder.trouble(trouble)
            return {}

    def trains(self, eqn: Any) -> bool:
        """Whether an equation is a whole training loop: running it again would take as long as the program."""
        body = self._body(eqn.params["jaxpr"].jaxpr) if eqn.primitive.name == "scan" else None
        return body is not None and body.asks

    def _arguments(self, body: Scope, jaxpr: Any, inputs: list[int]) -> dict[int, int]:
        """Numbers inside a body for what it was given outside."""
        found = {}
        for variable, number in zip(jaxpr.invars, inputs, strict=False):
            own = body.inputs.get(variable)
            if own is not None:
                found[own] = number
        return found

    def _returned(self, scope: Scope, outs: list[Any], results: list[int], stack: int) -> None:
        """What a body gave back gets the numbers it had inside; an argument that is merely returned is its own copy."""
        for thing, number in zip(outs, results, strict=False):
            self.recorder.values.returned(scope, thing, number)

    def _scan(self, scope: Scope, params: Any, args: Any, outs: list[Any], stack: int) -> None:
        jaxpr = params["jaxpr"].jaxpr
        body = self._body(jaxpr)
        if body is None or not body.user:
            self.op(scope, "scan", args, outs, stack, self._smoothness(jaxpr))
            return
        consts, carried = _scan_parts(params)
        inputs = [self.recorder.values.of(scope, a, stack) for a in args]
        given = list(inputs[consts + carried :])
        rows = [self._part(scope, n, stack, "row of xs") for n in given]
        carry = carried_apart(self, scope, jaxpr, inputs, (consts, carried), stack)
        first, rounds = self.recorder.session.now(), int(params.get("length", _LOOPS))
        parts = consts, carried, rounds, bool(params.get("reverse"))
        ran = self._ran(scope, params["jaxpr"], body, inputs, args, parts)
        made: list[list[int]] = []
        for turn in range(_LOOPS):
            self._carried(scope, jaxpr, [*inputs[:consts], *carry], consts)
            arguments = self._arguments(body, jaxpr, [*inputs[:consts], *carry, *rows])
            results, places = replay(body, scope, arguments, stack, times=max(1, rounds - 1) if turn else 1)
            if ran is not None:
                ran.turns.append(places)
            given_now = [*inputs[:consts], *carry, *rows]
            results = [
                self._fresh(scope, jaxpr.outvars[i], stack) if n is None else n
                for i, n in enumerate(outcome(body, jaxpr, given_now, results, places))
            ]
            made.append(results[carried:])
            carry = results[:carried]
        finals = [*carry, *(self._stacked(scope, numbers, out, stack) for *numbers, out in zip(
            *made, outs[carried:], strict=False))]  # fmt: skip
        self._returned(scope, outs, finals, stack)
        if scope is self.recorder.root:
            self.recorder.numbers.of_inner(dict(zip((*inputs, *finals), (*args, *outs), strict=False)), outs, first)

    def _fresh(self, scope: Scope, atom: Any, stack: int) -> int:
        """A value that a body makes of nothing: a number it was written with."""
        number = self.recorder.values.fresh(scope, atom.aval.shape, words.is_float(getattr(atom.aval, "dtype", None)))
        scope.put(Op(0, "array data", "enter", (), (number,), stack, False))
        return number

    def _carried(self, scope: Scope, jaxpr: Any, numbers: list[int], consts: int) -> None:
        """What a loop carries along has no name in the program's frames; its body has one for it."""
        names = getattr(jaxpr.debug_info, "arg_names", None) or ()
        for index, (number, name) in enumerate(zip(numbers, names, strict=False)):
            value = self.value(scope, number)
            if name and value is not None and not value.kept:
                value.kept = name
                value.steady = index < consts or jaxpr.outvars[index - consts] is jaxpr.invars[index]

    def _ran(
        self, scope: Scope, closed: Any, body: Scope, inputs: list[int], args: Any,
        scan: tuple[int, int, int, bool] | None = None, branch: tuple[int, int] | None = None,
    ) -> Ran | None:  # fmt: skip
        """Write down that something with an inside runs, so that one can look into it."""
        axes = batch_axes(args)
        if axes is None:
            return None
        held = [small(a) for a in args]
        jaxpr, consts = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
        ran = Ran(jaxpr, consts, body, inputs, held, axes, scan, branch)
        scope.put(ran)
        return ran

    def _part(self, scope: Scope, number: int, stack: int, name: str) -> int:
        value = self.value(scope, number)
        part = self.recorder.values.fresh(scope, value.shape[1:], value.floating)
        self.write(scope, name, [number], [part], stack)
        return part

    def _stacked(self, scope: Scope, numbers: list[int], out: Any, stack: int) -> int:
        whole = self.recorder.values.new(scope, out)
        self.write(scope, "stack", numbers, [whole], stack)
        return whole

    def _while(self, scope: Scope, params: Any, args: Any, outs: list[Any], stack: int) -> None:
        jaxpr = params["body_jaxpr"].jaxpr
        body = self._body(jaxpr)
        self.recorder.ways_out.loop(stack)
        if body is None or not body.user:
            self.op(scope, "while_loop", args, outs, stack)
            return
        skip, consts = params["cond_nconsts"], params["body_nconsts"]
        inputs = [self.recorder.values.of(scope, a, stack) for a in args][skip:]
        carry = inputs[consts:]
        for _ in range(_LOOPS):
            self._carried(scope, jaxpr, [*inputs[:consts], *carry], consts)
            now = [*inputs[:consts], *carry]
            results, places = replay(body, scope, self._arguments(body, jaxpr, now), stack)
            found = outcome(body, jaxpr, now, results, places)
            carry = [self._fresh(scope, jaxpr.outvars[i], stack) if n is None else n for i, n in enumerate(found)]
        self._returned(scope, outs, carry, stack)

    def _cond(self, scope: Scope, params: Any, args: Any, outs: list[Any], stack: int) -> None:
        jaxprs = [branch.jaxpr for branch in params["branches"]]
        # A branch that only hands something through has no body.
        bodies = [self._body(jaxpr) if jaxpr.eqns else Scope(self.recorder, stack) for jaxpr in jaxprs]
        if any(jaxpr.eqns for jaxpr in jaxprs) and not any(body is not None and body.user for body in bodies):
            self.op(scope, "cond", args, outs, stack)
            return
        choice, *inputs = [self.recorder.values.of(scope, a, stack) for a in args]
        first = self.recorder.session.now()
        results: list[list[int | None]] = []
        for index, (closed, jaxpr, body) in enumerate(zip(params["branches"], jaxprs, bodies, strict=True)):
            if body is None:
                results.append(outcome(None, jaxpr, inputs, [], {}))
            else:
                ran = self._ran(scope, closed, body, inputs, args[1:], branch=(choice, index))
                made, places = replay(body, scope, self._arguments(body, jaxpr, inputs), stack)
                results.append(outcome(body, jaxpr, inputs, made, places))
                if ran is not None:
                    ran.turns.append(places)
                    ran.results = results[-1]
        for index, out in enumerate(outs):
            number = self.recorder.values.new(scope, out)
            made_of = [one for r in results if index < len(r) and (one := r[index]) is not None]
            self.write(scope, "cond", made_of, [number], stack)
        if scope is self.recorder.root:
            self.recorder.numbers.of_inner(dict(zip((choice, *inputs), args, strict=True)), outs, first)


def _key(jaxpr: Any) -> Any:
    """What stays the same when JAX moves a function's constants about: the variable that its last equation makes."""
    return next((eqn.outvars[0] for eqn in reversed(jaxpr.eqns) if eqn.outvars), None)


_NNX = "/flax/nnx/training/"
_TRAINERS = ("/optax/", "/flax/training/", _NNX, "/equinox/_update.py")


def _library_function(frame: FrameType | None) -> str:
    """The function of an optimizer library that the user called, where one is at work."""
    found = ""
    while frame is not None and classify(frame.f_code.co_filename) == SKIP:
        path = frame.f_code.co_filename
        if any(part in path for part in _TRAINERS):
            found = frame.f_code.co_name
            if _NNX in path and found not in BEGINS:
                found = "nnx.update"  # a wrapper of its `update` has a name of its own
        frame = frame.f_back
    return found


def _in_a_library(frame: FrameType | None) -> bool:
    """Whether a framework's own function stops a gradient for its arithmetic, as `logsumexp` does for the largest."""
    while frame is not None and any(part in frame.f_code.co_filename for part in _STOPPING):
        frame = frame.f_back
    path = frame.f_code.co_filename if frame is not None else ""
    if classify(path) != SKIP or path.startswith("<"):
        return False
    inside = path.partition(_JAX)[2]
    return not inside or inside.startswith(("nn/", "numpy/", "ops/", "scipy/"))


def _function_name(function: Any) -> str:
    info = getattr(function, "debug_info", None)
    text = str(getattr(info, "func_src_info", "") or "")
    return text.split(" ")[0].split(".")[-1]


def _of_the_program(function: Any) -> bool:
    """Whether a function with a backward pass of its own was written by the program."""
    code = getattr(getattr(function, "f", None), "__code__", None)
    return code is not None and classify(code.co_filename) != SKIP


def _scan_parts(params: dict[str, Any]) -> tuple[int, int]:
    """How many arguments of a scan are constants, and how many are carried along."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carried, _ = params["ft_in"].unpack()  # JAX 0.11 and later
    return len(consts), len(carried)
