"""Ways out of JAX: `.item()`, copies in NumPy, and what JAX itself refuses to differentiate.

Most of them raise under `grad` or `jit`. Two do not: `.item()` on a tracer of eager `grad`, which gives the number, and
an array that was turned into a NumPy array before, which is a constant to the gradient.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax._src import api, core

from whygrad.flow.events import Failure
from whygrad.flow.operations import Op
from whygrad.trace.jax_vocabulary import is_float
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Scope

_Call = Callable[..., Any]
_LARGEST = 1_000_000


class WaysOut:
    """Sees values leave, and what cannot be differentiated."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._loops: dict[int, set[int]] = {}
        """Where a `while_loop` ran, and in which gradients."""

    def attach_deep(self, patches: Patches) -> None:
        """Watch `.item()` and what `grad` says of its arguments."""
        if hasattr(core.Tracer, "item"):
            patches.replace(core.Tracer, "item", self._wrap_item)
        if hasattr(api, "_check_input_dtype_grad"):
            patches.replace(api, "_check_input_dtype_grad", self._wrap_check)

    # --- numbers ------------------------------------------------------------------------------------------------

    def _wrap_item(self, original: _Call) -> _Call:
        def item(tracer: Any, *args: Any) -> Any:
            result = original(tracer, *args)
            recorder = self.recorder
            if recorder.local.busy:
                return result
            try:
                stack = recorder.session.stacks.capture(sys._getframe(1))
                scope = recorder.calls.scope()
                number = recorder.values.of(scope, tracer, stack)
                op = Op(0, "item", "leave", (number,), (), stack, False, tapes=scope.open_tapes())
                scope.put(op)
                if scope is recorder.root:
                    recorder.exits.left(op.at, result)
            except Exception as trouble:
                recorder.trouble(trouble)
            return result

        return item

    # --- copies in NumPy ----------------------------------------------------------------------------------------

    def copied_from(self, data: Any) -> int | None:
        """The array of the program that NumPy data is a copy of, shown by their content; None for other data."""
        if not self.recorder.local.tapes or isinstance(data, jax.Array | core.Tracer):
            return None  # outside a gradient data is data
        if not is_float(getattr(data, "dtype", None)):
            return None
        content = numpy.asarray(data)
        if not 1 < content.size <= _LARGEST or bool((content == content.flat[0]).all()):
            return None
        for number, thing in self.recorder.values.arrays(content.shape):
            try:
                if thing.dtype == content.dtype and numpy.array_equal(numpy.asarray(thing), content):
                    return number
            except Exception:  # donated, deleted, or on another device
                continue
        return None

    def enters(self, scope: Scope, tracer: Any, data: Any, stack: int) -> bool:
        """NumPy data became a constant of a traced function; whether it is a copy of something known."""
        source = self.copied_from(data)
        if source is None:
            return False
        number = self.recorder.values.new(scope, tracer)
        scope.put(Op(0, "NumPy copy", "enter", (source,), (number,), stack, False))
        return True

    # --- refusals -----------------------------------------------------------------------------------------------

    def _wrap_check(self, original: _Call) -> _Call:
        def _check_input_dtype_grad(holomorphic: Any, allow_int: Any, leaf: Any) -> Any:
            try:
                return original(holomorphic, allow_int, leaf)
            except TypeError as error:
                self._refused(error, leaf)
                raise

        return _check_input_dtype_grad

    def _refused(self, error: TypeError, leaf: Any) -> None:
        recorder = self.recorder
        try:
            frame = sys._getframe(2)
            recorder.naming.look_for_names(frame, [leaf])
            name = recorder.naming.of(leaf) if isinstance(leaf, jax.Array) else None
            recorder.naming.forget()
            kind = str(getattr(leaf, "dtype", type(leaf).__name__))
            about = f"`{name.full}` ({kind})" if name is not None else f"{leaf!r} ({kind})"[:60]
            stack = recorder.session.stacks.capture(frame)
            failure = Failure(recorder.session.tick(), "TypeError", f"TypeError: {error}", stack, about=about)
            recorder.recording.failures.append(failure)
        except Exception as trouble:
            recorder.trouble(trouble)

    def loop(self, stack: int) -> None:
        """A `while_loop` ran, maybe inside a differentiated function."""
        self._loops.setdefault(stack, set()).update(tape for tape, _ in self.recorder.local.tapes)

    def no_way_back(self, tape: int, error: Exception) -> None:
        """The backward pass failed: at a loop whose length nobody knows, if JAX says so."""
        if "while_loop" not in str(error):
            return
        recorder = self.recorder
        stacks = [stack for stack, tapes in self._loops.items() if tape in tapes] or list(self._loops)
        if stacks:
            kind = type(error).__name__
            failure = Failure(recorder.session.tick(), kind, f"{kind}: {error}", stacks[-1])
            recorder.recording.failures.append(failure)
