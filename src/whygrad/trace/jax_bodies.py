"""Functions with a body: `jit`, `scan`, `while_loop`, `cond`.

What such a function did in Python, while it was traced, is kept as a body and written down anew for each call of it,
with the values that the call was given.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import jax

from whygrad.flow.operations import Op
from whygrad.trace import jax_vocabulary as words
from whygrad.trace.jax_constants import Fixed
from whygrad.trace.jax_loops import carried_apart, each_its_own
from whygrad.trace.jax_rerun import batch_axes, small
from whygrad.trace.jax_scopes import Ran, Scope, outcome, replay

if TYPE_CHECKING:
    from whygrad.trace.jax_calls import Calls
    from whygrad.trace.jax_recorder import JaxRecorder

_LOOPS = 2
"""How often a loop's body is written down: twice lets what is carried come round."""


class Bodies:
    """Keeps bodies, and writes down what a call of one did."""

    def __init__(self, recorder: JaxRecorder, calls: Calls) -> None:
        self.recorder = recorder
        self.calls = calls
        self._bodies: dict[Any, Scope] = {}
        self._smooth: dict[int, tuple[weakref.ref[Any], bool]] = {}
        self.constants: set[int] = set()
        """Values that a traced function took from around it."""
        self.fixed = Fixed()

    def keep(self, jaxpr: Any, body: Scope) -> None:
        """A function was traced."""
        key = _key(jaxpr)
        if key is not None:
            self._bodies[key] = body

    def maker(self, number: int) -> int | None:
        """The stack of the line that made a value, in a body or in the recording."""
        kept = (item for body in reversed(self._bodies.values()) if number in body.values for item in body.items)
        made = next((item.stack for item in kept if isinstance(item, Op) and number in item.outputs), None)
        op = self.recorder.variables.maker(number) if made is None else None
        return op.stack if op is not None else made

    def called(self, scope: Scope, name: str, args: Any, params: Any, outs: list[Any], stack: int,
               probed: dict[Any, Any]) -> bool:  # fmt: skip
        """Write down a call of a function with a body; whether it is one."""
        if name in ("jit", "pjit", "remat2", "remat", "checkpoint", "closed_call"):
            inner = params.get("jaxpr") or params.get("call_jaxpr")
            self._function(scope, inner, params.get("name", name), args, outs, stack, probed)
        elif name == "scan":
            self._scan(scope, params, args, outs, stack)
        elif name == "while":
            self._while(scope, params, args, outs, stack)
        elif name == "cond":
            self._cond(scope, params, args, outs, stack)
        else:
            return False
        return True

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
            self.calls.op(scope, name, args, outs, stack, self._smoothness(jaxpr))
            return
        inputs = [recorder.values.of(scope, a, stack) for a in args]
        first = recorder.session.now()
        tried = scope is recorder.root and body.asks
        ran = None if probed or tried else self._ran(scope, closed, body, inputs, args)
        arguments = each_its_own(self.calls, scope, body, self._arguments(body, jaxpr, inputs), stack)
        self._names_of_loops(scope, body, arguments)
        if scope is recorder.root:
            recorder.updates.begins(first)
        results, places = replay(body, scope, arguments, stack)
        if ran is not None:
            ran.turns.append(places)
        self._returned(scope, outs, results, stack)
        if scope is recorder.root:
            self.calls.retraces.called(name, stack)
            recorder.updates.returned(set(results), stack, first)
            loops = list(recorder.inner.pending)
            if probed:
                recorder.numbers.of_replay(body, places, probed, first)
            else:
                recorder.numbers.of_inner(dict(zip(inputs, args, strict=True)), outs, first)
            if not recorder.ring.running:
                self.fixed.count(body, self.constants)
            if body.asks:
                recorder.targets.given(inputs, stack)
                for loop in loops:
                    self._came_round(loop, stack)
                recorder.updates.flush()  # a compiled training step is an update
                recorder.numbers.fill(first)

    def spread(self, scope: Scope, jaxpr: Any, body: Scope, args: Any, outs: list[Any], stack: int) -> None:
        """Write down a function that runs on every device."""
        inputs = [self.recorder.values.of(scope, a, stack) for a in args]
        results, _ = replay(body, scope, self._arguments(body, jaxpr, inputs), stack)
        self._returned(scope, outs, results, stack)

    def probe(self, args: Any, params: Any) -> dict[Any, Any]:
        """Before a compiled training step runs (and its arguments may be gone): what it will compute."""
        closed = params["jaxpr"]
        body = self._body(closed.jaxpr)
        if body is None or not body.asks or self.calls.scope() is not self.recorder.root:
            return {}
        if any(isinstance(one, jax.Array) and one.is_deleted() for one in args):
            return {}  # given away before: JAX is about to say so
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
            self.calls.op(scope, "scan", args, outs, stack, self._smoothness(jaxpr))
            return
        consts, carried = _scan_parts(params)
        inputs = [self.recorder.values.of(scope, a, stack) for a in args]
        given = list(inputs[consts + carried :])
        rows = [self.part(scope, n, stack, "row of xs") for n in given]
        carry = carried_apart(self.calls, scope, jaxpr, inputs, (consts, carried), stack)
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
        if scope is self.recorder.root and ran is not None:
            self._came_round(ran, stack)
        finals = [*carry, *(self._stacked(scope, numbers, out, stack) for *numbers, out in zip(
            *made, outs[carried:], strict=False))]  # fmt: skip
        self._returned(scope, outs, finals, stack)
        if scope is self.recorder.root:
            self.recorder.numbers.of_inner(dict(zip((*inputs, *finals), (*args, *outs), strict=False)), outs, first)
            if body.asks:  # a training loop that no `jit` is around
                self.recorder.updates.flush()
                self.recorder.numbers.fill(first)

    def _names_of_loops(self, scope: Scope, body: Scope, arguments: dict[int, int]) -> None:
        """What a loop inside calls what it is given, where the program has no name for it."""
        for own, number in arguments.items():
            inner, value = body.values.get(own), self.calls.value(scope, number)
            if inner is not None and inner.kept and value is not None and not value.kept:
                value.kept, value.steady = inner.kept, inner.steady

    def _came_round(self, ran: Ran, stack: int) -> None:
        """What a training loop carries into its later rounds."""
        if ran.scan is None or not ran.body.asks or len(ran.turns) < _LOOPS:
            return
        consts, carried, rounds, _ = ran.scan
        own = [ran.body.inputs.get(v) for v in ran.jaxpr.invars[consts : consts + carried]]
        numbers = [n for one in own if one is not None and (n := ran.turns[-1].get(one)) is not None]
        self.recorder.targets.given(numbers, stack, rounds - 1)

    def _fresh(self, scope: Scope, atom: Any, stack: int) -> int:
        """A value that a body makes of nothing: a number it was written with."""
        number = self.recorder.values.fresh(scope, atom.aval.shape, words.is_float(getattr(atom.aval, "dtype", None)))
        scope.put(Op(0, "array data", "enter", (), (number,), stack, False))
        return number

    def _carried(self, scope: Scope, jaxpr: Any, numbers: list[int], consts: int) -> None:
        """What a loop carries along has no name in the program's frames; its body has one for it."""
        names = getattr(jaxpr.debug_info, "arg_names", None) or ()
        for index, (number, name) in enumerate(zip(numbers, names, strict=False)):
            value = self.calls.value(scope, number)
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

    def part(self, scope: Scope, number: int, stack: int, name: str) -> int:
        """One row of what a loop goes through."""
        value = self.calls.value(scope, number)
        part = self.recorder.values.fresh(scope, value.shape[1:], value.floating)
        self.calls.write(scope, name, [number], [part], stack)
        return part

    def _stacked(self, scope: Scope, numbers: list[int], out: Any, stack: int) -> int:
        whole = self.recorder.values.new(scope, out)
        self.calls.write(scope, "stack", numbers, [whole], stack)
        return whole

    def _while(self, scope: Scope, params: Any, args: Any, outs: list[Any], stack: int) -> None:
        jaxpr = params["body_jaxpr"].jaxpr
        body = self._body(jaxpr)
        self.recorder.ways_out.loop(stack)
        if body is None or not body.user:
            self.calls.op(scope, "while_loop", args, outs, stack)
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
            self.calls.op(scope, "cond", args, outs, stack)
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
            made_of = [one for r in results if index < len(r) and (one := r[index]) is not None]
            if len(made_of) == len(results) and len(set(made_of)) == 1:
                self.recorder.values.returned(scope, out, made_of[0])  # every branch hands the same thing through
            else:
                self.calls.write(scope, "cond", made_of, [self.recorder.values.new(scope, out)], stack)
        if scope is self.recorder.root:
            self.recorder.numbers.of_inner(dict(zip((choice, *inputs), args, strict=True)), outs, first)


def _key(jaxpr: Any) -> Any:
    """What stays the same when JAX moves a function's constants about: the variable that its last equation makes."""
    return next((eqn.outvars[0] for eqn in reversed(jaxpr.eqns) if eqn.outvars), None)


def _scan_parts(params: dict[str, Any]) -> tuple[int, int]:
    """How many arguments of a scan are constants, and how many are carried along."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    consts, carried, _ = params["ft_in"].unpack()  # JAX 0.11 and later
    return len(consts), len(carried)
