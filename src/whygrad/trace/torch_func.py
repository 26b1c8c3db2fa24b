"""`torch.func.grad` and `grad_and_value`: gradients of a function of its arguments, returned as values."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.flow.events import Backward
from whygrad.trace.patches import Patches
from whygrad.trace.torch_variables import tensors_in

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_Call = Callable[..., Any]


class Transforms:
    """Who asked for gradients in the functional way, and with respect to which content of which variables."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder

    def attach(self, patches: Patches) -> None:
        """Watch the functions that the transforms return."""
        patches.replace(torch.func, "grad", lambda original: self._wrap(original, False))
        patches.replace(torch.func, "grad_and_value", lambda original: self._wrap(original, True))

    def _wrap(self, original: _Call, with_value: bool) -> _Call:
        def transform(func: _Call, argnums: Any = 0, has_aux: bool = False) -> _Call:
            inner = original(func, argnums, has_aux)

            @functools.wraps(inner)
            def differentiated(*args: Any, **kwargs: Any) -> Any:
                result = inner(*args, **kwargs)
                if self.recorder.active():
                    with self.recorder.guarded, self.recorder.lock:
                        chosen = [args[n] for n in (argnums if isinstance(argnums, tuple) else (argnums,))]
                        gradients = result[0] if with_value or has_aux else result
                        self._note(chosen, gradients, sys._getframe(1))
                return result

            return differentiated

        return transform

    def _note(self, arguments: Any, gradients: Any, frame: FrameType) -> None:
        """The gradients are new values, made of what was differentiated; which variable each belongs to."""
        recorder = self.recorder
        sources, results = list(tensors_in(arguments)), list(tensors_in(gradients))
        if len(sources) != len(results) or not all(isinstance(g, Tensor) for g in results):
            return
        stack = recorder.session.stacks.capture(frame)
        asked = [recorder.variables.value_of(tensor) for tensor in sources]
        made = [recorder.variables.new_value(tensor) for tensor in results]
        variables = [recorder.variables.behind(number) for number in asked]
        live = any(g.requires_grad for g in results)
        recorder.add("func.grad", "compute", asked, made, stack, live)
        given = {v: n for v, n in zip(variables, made, strict=True) if v is not None}
        event = Backward(recorder.session.tick(), "func.grad", None, stack, implicit=True, given=given)
        recorder.recording.backwards.append(event)
        recorder.look_for_names(frame)
