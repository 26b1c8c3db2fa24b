"""Errors of JAX that are about gradients, and what ran before them.

A function that fails while `jit` traces it leaves no compiled function behind. What it did until then is written down
all the same, as if it had run: the rules see the loss that could not be differentiated. What else an error tells (a
value that left a traced function, an array whose memory was given away, gradients of another tree than the
optimizer's) is read off its traceback.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import jax
from jax._src import api, core, pjit

from whygrad.flow.events import Failure
from whygrad.trace.jax_broken_off import Given, above, folded, given_to_loops, passed, written_down
from whygrad.trace.jax_refused import refused_layers
from whygrad.trace.jax_scopes import Scope, replay
from whygrad.trace.jax_trees import unlike
from whygrad.trace.patches import Patches
from whygrad.trace.user_line import SKIP, classify

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_Call = Callable[..., Any]
CONVERSIONS = ("ConcretizationTypeError", "TracerArrayConversionError")
GONE = ("Array has been deleted", "buffer that was previously donated", "deleted or donated")
OTHER_TREE = "gradients of another tree"


class Failures:
    """Looks at errors as they pass."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._told: set[tuple[int, str]] = set()
        self._donated: dict[int, int] = {}
        """Values whose memory was given to a compiled function, with the stack of that call."""
        self._left: tuple[list[Scope], list[Given]] = [], []
        """Bodies that an error came out of, and what the loops that they belong to were given."""
        self._outside = "", 0
        """An error of a compiled network that no gradient was asked of, and where: it counts if the program ends so."""

    def attach_deep(self, patches: Patches) -> None:
        """Watch functions that fail while they are traced, and losses that cannot be differentiated."""
        if hasattr(pjit, "_infer_params"):
            patches.replace(pjit, "_infer_params", self._wrap_infer)
        if hasattr(api, "_check_output_dtype_grad"):
            patches.replace(api, "_check_output_dtype_grad", self._wrap_output)

    # --- a function that fails while it is traced ---------------------------------------------------------------------

    def _wrap_infer(self, original: _Call) -> _Call:
        def _infer_params(*args: Any, **kwargs: Any) -> Any:
            if self.recorder.local.busy:
                return original(*args, **kwargs)
            known = self.recorder.calls.open_scopes()
            try:
                return original(*args, **kwargs)
            except Exception as error:
                self._aborted(known, error, sys._getframe(1))
                raise

        return _infer_params

    def _aborted(self, known: list[Scope], error: Exception, frame: FrameType) -> None:
        recorder = self.recorder
        try:
            with recorder.lock:
                left = [scope for scope in recorder.calls.open_scopes() if scope not in known]
                self._left = [], []
                body = folded(recorder, left, list(given_to_loops(passed(error.__traceback__))))
                if type(error).__name__ in CONVERSIONS and self._to_be_trained(error.__traceback__):
                    self._outside = str(error), recorder.session.stacks.of_error(error.__traceback__, frame)
                for scope in left:
                    recorder.calls.abandon(scope)
                if body is None or not (body.user or body.asks):
                    return
                if (body.asks or _keras_tries(frame)) and type(error).__name__ in CONVERSIONS:
                    self.tell(error, recorder.session.stacks.of_error(error.__traceback__, frame), traced=True)
                self._written_down(body, error, recorder.session.stacks.capture(frame))
        except Exception as trouble:
            recorder.trouble(trouble)

    def _to_be_trained(self, trace: TracebackType | None) -> bool:
        """Whether a function was given arrays that an optimizer has begun for: it computes what is to be trained."""
        begun = {number for one in self.recorder.recording.begun for number in one.values}
        return any(self.recorder.values.known(leaf) in begun for leaf in _given(trace) or ())

    def _written_down(self, body: Scope, error: Exception, stack: int) -> None:
        """What ran of a function, with what it was given."""
        scope, given = self.recorder.calls.scope(), _given(error.__traceback__)
        own = list(body.inputs.values())
        if given is None or len(given) != len(own):
            return
        numbers = [self.recorder.values.of(scope, one, stack) for one in given]
        replay(body, scope, dict(zip(own, numbers, strict=True)), stack)

    def _wrap_output(self, original: _Call) -> _Call:
        def _check_output_dtype_grad(*args: Any) -> Any:
            try:
                return original(*args)
            except TypeError as error:
                if "integer outputs" in str(error):
                    self.recorder.gradients.refused(error)
                raise

        return _check_output_dtype_grad

    # --- what an error tells ------------------------------------------------------------------------------------------

    def tell(
        self, error: BaseException, stack: int, about: str = "", origin: int | None = None, traced: bool = False,
        kind: str = "",
    ) -> None:  # fmt: skip
        """Write an error down, once."""
        told = id(error), str(error)
        if told in self._told:
            return  # an inner gradient, or an inner function, has
        self._told.add(told)
        recorder, kind = self.recorder, kind or type(error).__name__
        failure = Failure(recorder.session.tick(), kind, f"{kind}: {error}", stack, about, origin=origin, traced=traced)
        recorder.recording.failures.append(failure)

    def ended(self, error: BaseException) -> None:
        """The program ends with an error."""
        trace = error.__traceback__
        stack = self.recorder.session.stacks.of_error(trace, None)
        if type(error).__name__ == "UnexpectedTracerError":
            self.tell(error, stack)
        elif self._outside[0] and str(error) == self._outside[0]:
            self.tell(error, self._outside[1], traced=True)
        elif any(words in str(error) for words in GONE):
            about, origin, frame = self._gone(trace)
            stack = self.recorder.session.stacks.of_error(trace, None, frame)
            self.tell(error, stack, about, origin, kind="deleted")
        elif isinstance(error, TypeError | ValueError) and unlike(trace):
            self.tell(error, stack, kind=OTHER_TREE)
        elif isinstance(error, ValueError) and (refused := refused_layers(trace)) is not None:
            stacks = self.recorder.session.stacks
            before = stacks.of_instruction(*refused.assigned) if refused.assigned is not None else None
            self.tell(error, stack, refused.about, before, kind=refused.kind)
        self._loop_outside()

    def breaks_off(self) -> None:
        """JAX is about to raise an error while loops are traced: what they did until now is kept for `ended`."""
        self._left = self.recorder.calls.open_scopes(), list(given_to_loops(above(sys._getframe())))

    def _loop_outside(self) -> None:
        """A loop that no compiled function is around has failed while it was traced."""
        recorder, (left, calls) = self.recorder, self._left
        try:
            body = folded(recorder, left, calls)
            if body is not None and (body.user or body.asks):
                written_down(recorder, body, recorder.root, calls)
        except Exception as trouble:
            recorder.trouble(trouble)

    def leaked(self, error: Exception, args: Any, frame: FrameType) -> None:
        """A tracer of a function that is over was used: where was it made?"""
        recorder = self.recorder
        try:
            tracers = [one for one in args if isinstance(one, core.Tracer)]
            old = next((one for one in tracers if not one._trace.is_valid()), None)
            number = recorder.values.known(old) if old is not None else None
            made = recorder.calls.bodies.maker(number) if number is not None else None
            self.tell(error, recorder.session.stacks.capture(frame), origin=made)
        except Exception as trouble:
            recorder.trouble(trouble)

    # --- memory that was given away -----------------------------------------------------------------------------------

    def donated(self, args: Any, flags: Any, stack: int) -> None:
        """A compiled function is given the memory of some of its arguments."""
        for one, given in zip(args, flags, strict=False):
            number = self.recorder.values.known(one) if given else None
            if number is not None:
                self._donated[number] = stack

    def _gone(self, trace: TracebackType | None) -> tuple[str, int | None, FrameType | None]:
        """What the program calls the arrays that are gone, where their memory was given away, and who uses them.

        That is the outermost call that names them: a function that is handed them only does its work.
        """
        while trace is not None:
            frame, line = trace.tb_frame, linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
            known = {**frame.f_globals, **frame.f_locals} if classify(frame.f_code.co_filename) != SKIP else {}
            for name in dict.fromkeys(re.findall(r"[^\W\d]\w*", line)):
                leaf = next((one for one in jax.tree_util.tree_leaves(known.get(name)) if _deleted(one)), None)
                if leaf is not None:
                    number = self.recorder.values.known(leaf)
                    return name, self._donated.get(number) if number is not None else None, frame
            trace = trace.tb_next
        return "", next(reversed(self._donated.values()), None), None


def _keras_tries(frame: FrameType | None) -> bool:
    """Before its first update Keras runs a model, and its loss, once without a gradient, to see what they make."""
    tried: Any = None
    while frame is not None:
        name = frame.f_code.co_name
        if name == "compute_output_spec" and "keras" in frame.f_globals.get("__name__", ""):
            tried = frame.f_locals.get("fn", tried)
        elif name in ("fit", "train_on_batch") and tried is not None:
            return getattr(tried, "__name__", "") != "compute_metrics"
        frame = frame.f_back
    return False


def _deleted(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and not isinstance(leaf, core.Tracer) and leaf.is_deleted()


def _given(trace: TracebackType | None) -> list[Any] | None:
    """The arrays that a function was called with, as `jit` has sorted them."""
    frame = next((f for f in passed(trace) if f.f_code.co_name == "_infer_params" and "dynargs" in f.f_locals), None)
    return list(frame.f_locals["dynargs"]) if frame is not None else None
