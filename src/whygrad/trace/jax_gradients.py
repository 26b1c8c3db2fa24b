"""Asking for gradients: `grad`, `value_and_grad`, `vjp` and all that is built on them pass through `jax.vjp`."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import jax
from jax._src import api

from whygrad.flow.operations import Op
from whygrad.trace.jax_numbers import concrete
from whygrad.trace.jax_scopes import Asked, Closed, Opened
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Scope

_Call = Callable[..., Any]


class Gradients:
    """Wraps `jax.vjp` and the function it returns."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._asked: dict[int, tuple[weakref.ref[Any], Asked, Scope]] = {}
        self._last: tuple[Asked, Scope] | None = None
        """The last function that ran, before its gradient is asked for."""

    def attach_deep(self, patches: Patches) -> None:
        """Watch gradients while operations are watched."""
        patches.replace(api, "vjp", self._wrap_vjp)
        if jax.vjp is not api.vjp:
            patches.replace(jax, "vjp", lambda original: api.vjp)
        patches.replace(api.VJP, "__call__", self._wrap_pullback)

    def _wrap_vjp(self, original: _Call) -> _Call:
        def vjp(fun: Any, *primals: Any, **kwargs: Any) -> Any:
            if self.recorder.local.busy:
                return original(fun, *primals, **kwargs)
            return self._run(original, fun, primals, kwargs)

        return vjp

    def _run(self, original: _Call, fun: Any, primals: Any, kwargs: Any) -> Any:
        recorder, local = self.recorder, self.recorder.local
        frame = sys._getframe(2)
        has_aux = bool(kwargs.get("has_aux"))
        asked: Asked | None = None
        scope = recorder.calls.scope()
        try:
            recorder.phases.asked(recorder, frame)
            asked = self._begin(scope, primals, recorder.session.stacks.capture(frame))
        except Exception as trouble:
            recorder.trouble(trouble)
        if asked is None:
            return original(fun, *primals, **kwargs)
        event = asked

        def differentiated(*args: Any) -> Any:
            was, local.busy = local.busy, 0
            try:
                self._arguments(scope, event, args)
                result = fun(*args)
                self._result(scope, event, result[0] if has_aux else result)
                return result
            finally:
                local.busy = was

        recorder.values.open_journal()
        local.busy += 1
        try:
            outcome = original(differentiated, *primals, **kwargs)
        except Exception as error:
            self._failed(event, error, frame)
            raise
        finally:
            local.busy -= 1
            recorder.values.close_journal()
            self._end(scope, event)
        pullback = outcome[1]
        self._last = event, scope
        self._asked[id(pullback)] = (weakref.ref(pullback), event, scope)
        self._loss_outside(scope, event, outcome[0])
        return outcome

    def _begin(self, scope: Scope, primals: Any, stack: int) -> Asked:
        recorder = self.recorder
        tape = recorder.new_tape()
        flat, _ = jax.tree_util.tree_flatten_with_path(primals)
        leaves = [recorder.values.of(scope, leaf, stack) for _, leaf in flat]
        paths = [jax.tree_util.keystr(path) for path, _ in flat]
        implicit = bool(recorder.local.tapes)
        asked = Asked("grad", tape, leaves, [], None, [], stack, implicit)
        if scope is recorder.root and not implicit:
            recorder.updates.begins(recorder.session.now())
        scope.put(Opened(tape, stack, leaves, paths, implicit, _state_leaves(primals, paths)))
        recorder.local.tapes.append((tape, scope))
        return asked

    def _arguments(self, scope: Scope, asked: Asked, args: Any) -> None:
        """The function's own arguments are the variables' content, watched."""
        try:
            recorder = self.recorder
            for leaf, tracer in zip(asked.leaves, jax.tree_util.tree_leaves(args), strict=True):
                number = recorder.values.new(scope, tracer)
                scope.put(Op(0, "read_value", "compute", (leaf,), (number,), asked.stack, True,
                             tapes=scope.open_tapes()))  # fmt: skip
                asked.inner.append(number)
        except Exception as trouble:
            self.recorder.trouble(trouble)

    def _result(self, scope: Scope, asked: Asked, result: Any) -> None:
        try:
            recorder = self.recorder
            numbers = [recorder.values.of(scope, leaf, asked.stack) for leaf in jax.tree_util.tree_leaves(result)]
            if len(numbers) == 1:
                asked.loss = numbers[0]
            elif numbers:
                asked.loss = recorder.values.fresh(scope, (), True)
                scope.put(Op(0, "losses", "compute", tuple(numbers), (asked.loss,), asked.stack, True,
                             tapes=scope.open_tapes()))  # fmt: skip
        except Exception as trouble:
            self.recorder.trouble(trouble)

    def _end(self, scope: Scope, asked: Asked) -> None:
        local = self.recorder.local
        local.tapes = [t for t in local.tapes if t[0] != asked.tape]
        scope.put(Closed(asked.tape))

    def _loss_outside(self, scope: Scope, asked: Asked, loss: Any) -> None:
        """The loss as the caller gets it: the same value."""
        leaves = jax.tree_util.tree_leaves(loss)
        if len(leaves) == 1 and asked.loss is not None and self.recorder.values.known(leaves[0]) is None:
            self.recorder.values.bind(leaves[0], asked.loss)

    def _failed(self, asked: Asked, error: Exception, frame: FrameType) -> None:
        """JAX refused to differentiate: a traced value was to become a Python number or a NumPy array."""
        recorder = self.recorder
        recorder.failures.tell(error, recorder.session.stacks.of_error(error.__traceback__, frame))

    def refused(self, error: TypeError) -> None:
        """The function ran, and JAX does not differentiate what it gave: whole numbers."""
        if self._last is not None:
            asked, scope = self._last
            scope.put(replace(asked, error=f"TypeError: {error}"))
            self.recorder.failures.breaks_off()

    # --- the backward pass --------------------------------------------------------------------------------------

    def _wrap_pullback(self, original: _Call) -> _Call:
        def __call__(pullback: Any, *args: Any) -> Any:
            recorder = self.recorder
            if recorder.local.busy:
                return original(pullback, *args)
            recorder.local.busy += 1
            entry = self._asked.get(id(pullback))
            try:
                result = original(pullback, *args)
            except Exception as error:
                recorder.ways_out.no_way_back(entry[1].tape if entry is not None else -1, error)
                raise
            finally:
                recorder.local.busy -= 1
            if entry is not None and entry[0]() is pullback:
                try:
                    self._answered(entry[1], entry[2], args, result)
                except Exception as trouble:
                    recorder.trouble(trouble)
            return result

        return __call__

    def _answered(self, asked: Asked, scope: Scope, cotangents: Any, result: Any) -> None:
        recorder = self.recorder
        if scope is not recorder.calls.scope():
            return  # pulled back in another place than where the function ran
        gradients = [recorder.values.new(scope, g) for g in jax.tree_util.tree_leaves(result)]
        inputs = [n for n in (asked.loss, *asked.inner) if n is not None]
        scope.put(Op(0, "gradient", "compute", tuple(inputs), tuple(gradients), asked.stack, True,
                     tapes=scope.open_tapes()))  # fmt: skip
        asked.gradients = gradients
        since = recorder.session.now()
        scope.put(asked)
        if scope is recorder.root:
            things = dict(zip(gradients, jax.tree_util.tree_leaves(result), strict=True))
            content = {n: array for n, thing in things.items() if (array := concrete(thing)) is not None}
            for number in content:
                recorder.numbers.of_value(number, content)
            recorder.numbers.fill(since)


def _state_leaves(primals: Any, paths: list[str]) -> frozenset[str]:
    """Equinox: a layer with a state keeps the state's first content; what is used and changed is a copy elsewhere."""
    kind = getattr(getattr(sys.modules.get("equinox"), "nn", None), "StateIndex", None)
    if kind is None:
        return frozenset()
    flat, _ = jax.tree_util.tree_flatten_with_path(primals, is_leaf=lambda node: isinstance(node, kind))
    inside = [jax.tree_util.keystr(path) for path, node in flat if isinstance(node, kind)]
    return frozenset(path for path in paths if any(path.startswith(prefix) for prefix in inside))
