"""TensorFlow: networks that are copied, averaged and loaded from one another."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorflow.python.eager import context, record
from tensorflow.python.framework import ops
from tensorflow.python.ops import gen_resource_variable_ops

from whygrad.trace.copies import SAMPLED, Copies, Sample
from whygrad.trace.patches import Patches
from whygrad.trace.tensorflow_variables import ResourceVariable

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_ASSIGNS = ("assign", "assign_add", "assign_sub")


class TensorFlowCopies(Copies):
    """What `whygrad.trace.copies` needs to be told of TensorFlow."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        super().__init__(recorder.session, recorder.recording, self._read)
        self.recorder = recorder
        self._attached = False

    def attach_late(self, patches: Patches) -> None:
        """After letting go: every write into a variable is seen by its method, also where a function is traced."""
        if self._attached:
            return
        self._attached = True
        for name in _ASSIGNS:
            patches.replace(ResourceVariable, name, self._wrap_assign)

    def _wrap_assign(self, original: Callable[..., Any]) -> Callable[..., Any]:
        watched = self._watched

        def assign(variable: Any, *args: Any, **kwargs: Any) -> Any:
            trained: tuple[int, Sample] | None = None
            if watched and not self.recorder.deep:
                try:
                    store = self.recorder.variables.stores.get(variable._handle._id)
                    if store is not None and store.number in watched:
                        self.moved(store.number)
                    elif store is not None and store.number is not None and not self.recorder.local.busy:
                        before = self.before_late(store.number)
                        trained = (store.number, before) if before is not None else None
                except Exception as trouble:  # a handle of a graph has no number: not one of those we watch
                    self._not_ours(trouble)
            result = original(variable, *args, **kwargs)
            if trained is not None:
                try:
                    self.given_late(*trained, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)
            return result

        return assign

    def _not_ours(self, trouble: Exception) -> None:
        if not isinstance(trouble, AttributeError):
            self.recorder.trouble(trouble)

    def _read(self, variable: int) -> Sample | None:
        store = self.recorder.variables.numbered.get(variable)
        target = store.reference() if store is not None and store.reference is not None else None
        handle = getattr(target, "_handle", None)
        readable = isinstance(handle, ops.EagerTensor) and context.executing_eagerly()
        if target is None or not readable or not target.dtype.is_floating:
            return None
        try:
            with self.recorder.quiet(), record.stop_recording():
                tensor = gen_resource_variable_ops.read_variable_op(handle, target.dtype)
                flat = tensor._numpy_internal().reshape(-1)
                return tuple(float(x) for x in flat[:: max(1, flat.size // (SAMPLED - 1))][:SAMPLED])
        except Exception:  # a variable that is not initialised yet, or lives where it cannot be read
            return None
