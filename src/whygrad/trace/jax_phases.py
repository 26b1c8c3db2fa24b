"""A later phase of a JAX program: a gradient that is asked for at a line which asked for none before.

While the recorder still looks, the new line belongs to what every rule sees. After it has let go, arrays of the first
phase are no longer known; so a recorder of its own begins, as it would in the middle of any program. Whether a function
that is compiled then asks for gradients shows when it has been traced: until that is known the recorder is on trial.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import jax
from jax._src import api, core
from jax._src.interpreters import partial_eval

from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.session import Session

_Call = Callable[..., Any]
_JAX = os.path.dirname(jax.__file__) + os.sep
_TRIALS = 64


class Phases:
    """Knows the lines that ask for gradients, and who records."""

    def __init__(self, session: Session, recorder: JaxRecorder) -> None:
        self.session = session
        self.current = recorder
        self.on_trial: JaxRecorder | None = None
        self._begin: Callable[[Phases], JaxRecorder] = lambda phases: type(recorder)(session, phases)
        self._places: set[tuple[str, int]] = set()
        self._asks_anew = False
        """Whether the recorder on trial met a line that asked for no gradient before."""
        self._tried: set[str] = set()
        self._patches = Patches()
        self._looks_out = self._installed = False
        self._inside = 0

    # --- while a recorder looks -----------------------------------------------------------------------------------

    def asked(self, recorder: JaxRecorder, frame: FrameType) -> None:
        """A gradient is about to be taken."""
        if not self._is_new(frame):
            return
        if recorder is self.on_trial:
            self._asks_anew = True
        elif recorder.ring.running and self.session.may_deepen():
            recorder.begin_again()

    def settled(self, recorder: JaxRecorder) -> bool:
        """Whether a recorder counts: one on trial does when its function was traced and asked at a new line."""
        if recorder is not self.on_trial:
            return True
        if recorder.calls.open_scopes():
            return False
        if self._asks_anew:
            self._hand_over(recorder)
            return True
        self._dismiss()
        return False

    def successor(self) -> JaxRecorder | None:
        """The program has failed: the recorder on trial that saw how, if it had something to look at."""
        recorder = self.on_trial
        if recorder is None or not self._asks_anew:
            return None
        self._hand_over(recorder)
        return recorder

    def _hand_over(self, recorder: JaxRecorder) -> None:
        self.on_trial, self._looks_out = None, False
        before, self.current = self.current, recorder
        self.session.begin_anew("jax", before, recorder)
        recorder.begin_later()

    def _dismiss(self) -> None:
        recorder, self.on_trial = self.on_trial, None
        if recorder is not None:
            recorder.let_go()
        self._looks_out = True

    # --- after it has let go --------------------------------------------------------------------------------------

    def look_out(self, recorder: JaxRecorder) -> None:
        """A recorder has let go: see new lines come."""
        if recorder is not self.current:
            return
        if not self._installed:
            self._installed = True
            self._patches.replace(api, "vjp", self._wrap_vjp)
            if jax.vjp is not api.vjp:
                self._patches.replace(jax, "vjp", lambda original: api.vjp)
            self._patches.replace(partial_eval.DynamicJaxprTrace, "__init__", self._wrap_trace)
        self._looks_out = True

    def forget(self) -> None:
        """A forked process is not followed."""
        self._looks_out = False

    def end(self, recorder: JaxRecorder) -> None:
        """Nothing more is recorded."""
        if recorder is self.current:
            self._dismiss()
            self._looks_out = False
            self._patches.undo()

    def _wrap_vjp(self, original: _Call) -> _Call:
        def vjp(fun: Any, *primals: Any, **kwargs: Any) -> Any:
            if self._looks_out and _is_eager() and self._takes_over(sys._getframe(1)):
                return api.vjp(fun, *primals, **kwargs)  # under its eyes
            self._inside += 1
            try:
                return original(fun, *primals, **kwargs)
            finally:
                self._inside -= 1

        return vjp

    def _takes_over(self, frame: FrameType) -> bool:
        """Whether a gradient outside of every compiled function begins a phase, and somebody records it now."""
        try:
            if not self._is_new(frame) or not self.session.may_deepen():
                return False
            recorder = self._begin(self)
            recorder.deepen()
            self._hand_over(recorder)
            return recorder.deep
        except Exception as trouble:
            self.current.trouble(trouble)
            return False

    def _wrap_trace(self, original: _Call) -> _Call:
        def __init__(trace: Any, debug_info: Any = None, *args: Any, **kwargs: Any) -> None:
            original(trace, debug_info, *args, **kwargs)
            if self._looks_out and not self._inside and _is_eager() and self._is_worth_a_trial(debug_info):
                self._try(trace, sys._getframe(1))

        return __init__

    def _try(self, trace: Any, frame: FrameType) -> None:
        try:
            recorder = self._begin(self)
            self.on_trial, self._asks_anew, self._looks_out = recorder, False, False
            recorder.deepen()
            recorder.calls.opens(trace, frame)
        except Exception as trouble:
            self.current.trouble(trouble)

    def _is_worth_a_trial(self, debug_info: Any) -> bool:
        """Whether a function is not JAX's own (a library may stand around the program's), and was not tried before."""
        source = str(getattr(debug_info, "func_src_info", ""))
        _, _, place = source.partition(" at ")
        if not place or place.startswith(_JAX) or source in self._tried or len(self._tried) >= _TRIALS:
            return False
        self._tried.add(source)
        return True

    def _is_new(self, frame: FrameType) -> bool:
        inner: FrameType | None = frame
        while inner is not None and not self.session.is_user(inner):
            inner = inner.f_back
        place = (inner.f_code.co_filename, inner.f_lineno) if inner is not None else None
        if place is None or place in self._places:
            return False
        self._places.add(place)
        return True


def _is_eager() -> bool:
    """Whether nothing is being traced, differentiated or mapped."""
    return isinstance(core.trace_ctx.trace, core.EvalTrace)
