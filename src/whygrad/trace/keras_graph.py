"""Operations of a functional model: `keras.ops` on symbolic tensors run later, far from the line that wrote them.

`x = keras.ops.stop_gradient(x)` while a model is put together makes a node of it. When the model is called the node
runs, and the user's innermost frame is then the call of the model, or `fit`.
"""

from __future__ import annotations

import importlib
import sys
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_Call = Callable[..., Any]


class GraphNodes:
    """Knows where each operation of a functional model was written."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._written: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def attach(self, package: Any, patches: Patches) -> None:
        """Watch an imported Keras; before its third version there were only layers."""
        try:
            operation = importlib.import_module(f"{package.__name__}.src.ops.operation").Operation
        except ImportError:
            return
        patches.replace(operation, "symbolic_call", self._wrap_symbolic_call)
        patches.replace(operation, "__call__", self._wrap_call)

    def _wrap_symbolic_call(self, original: _Call) -> _Call:
        def symbolic_call(operation: Any, *args: Any, **kwargs: Any) -> Any:
            if not hasattr(operation, "add_weight"):  # a layer's own code may be the user's: its frames tell
                try:
                    self._written[operation] = self.recorder.session.stacks.capture(sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)
            return original(operation, *args, **kwargs)

        return symbolic_call

    def _wrap_call(self, original: _Call) -> _Call:
        local = self.recorder.local

        def __call__(operation: Any, *args: Any, **kwargs: Any) -> Any:
            written = self._written.get(operation) if self.recorder.deep else None
            if written is None:
                return original(operation, *args, **kwargs)
            before, local.written = local.written, written
            try:
                return original(operation, *args, **kwargs)
            finally:
                local.written = before

        return __call__
