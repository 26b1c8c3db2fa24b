"""Networks that run inside a data pipeline: `dataset.map(encoder)`.

What comes out of an iterator is data to every tape. The pipeline's functions are traced when they are made, and say
then which variables they read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorflow.python.data.ops import structured_function
from tensorflow.python.framework import ops

from whygrad.flow.events import Handover
from whygrad.flow.recording import Recording
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_RESOURCE = 20


class Datasets:
    """Writes down that variables go into a pipeline, and links that to what the iterators give."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._left: list[int] = []
        self._entered: list[int] = []

    def attach_deep(self, patches: Patches) -> None:
        """See the functions of pipelines being traced."""
        patches.replace(structured_function.StructuredFunctionWrapper, "__init__", self._wrap_init)

    def _wrap_init(self, original: Callable[..., None]) -> Callable[..., None]:
        def __init__(wrapper: Any, *args: Any, **kwargs: Any) -> None:
            original(wrapper, *args, **kwargs)
            if self.recorder.active():
                try:
                    with self.recorder.lock:
                        self._note(wrapper.function, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)

        return __init__

    def _note(self, function: Any, frame: FrameType) -> None:
        captured = [t for t in function.captured_inputs if isinstance(t, ops.EagerTensor)]
        stores = [self.recorder.variables.at_handle(t, None) for t in captured if t._datatype_enum() == _RESOURCE]
        read = [self.recorder.variables.read(store) for store in stores if store.reference is not None]
        if read:
            stack = self.recorder.session.stacks.capture(frame)
            self._left.append(self.recorder.add("data pipeline", "leave", read, (), stack, False).at)

    def entered(self, at: int) -> None:
        """An iterator gave a batch."""
        if self._left:
            self._entered.append(at)

    def link(self, recording: Recording) -> None:
        """What a batch holds may come from any network that the pipelines run."""
        for at in self._entered:
            for left in self._left:
                if left < at and left in recording.ops and at in recording.ops:
                    recording.handovers.append(Handover(left, at, "memory"))
