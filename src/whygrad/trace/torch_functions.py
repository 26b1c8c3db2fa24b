"""Functions that are one operation to the user: a custom `autograd.Function`, and what `torch.compile` makes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch

from whygrad.flow.operations import Kind, Op
from whygrad.trace.patches import Patches
from whygrad.trace.torch_variables import tensors_in

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder


class Functions:
    """Wraps `autograd.Function.apply` and `torch.compile`."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._stance_set = False

    def attach(self, patches: Patches) -> None:
        """Put the wrappers in place."""
        patches.replace(torch.autograd.Function, "apply", self._wrap_apply)
        patches.replace(torch, "compile", self._wrap_compile)
        patches.replace(torch, "from_numpy", self._wrap_from_numpy)
        patches.replace(torch.distributions.Distribution, "__init__", self._wrap_distribution)

    def _wrap_apply(self, original: Any) -> Any:
        """A custom `autograd.Function` is one operation; what its forward does inside is its own affair."""
        plain, recorder = original.__func__, self.recorder

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if not recorder.active():
                return plain(cls, *args, **kwargs)
            first = recorder.session.now()
            recorder.paused = cls.__name__ != "CheckpointFunction"
            try:
                result = plain(cls, *args, **kwargs)
            finally:
                recorder.paused = False
            with recorder.guarded, recorder.lock:
                self._note(cls.__name__, args, result, first, sys._getframe(1))
            return result

        return classmethod(apply)

    def _note(self, name: str, args: Any, result: Any, first: int, frame: FrameType) -> None:
        recorder = self.recorder
        recording = recorder.recording
        inside = [op for at, op in recording.ops.items() if at >= first]
        read = {i for op in inside for i in op.inputs if recording.values[i].variable is not None}
        inputs = dict.fromkeys([*recorder.variables.inputs(name, args, {}), *read])
        results = list(tensors_in(result))
        if not results:
            return
        outputs = [recorder.variables.new_value(tensor) for tensor in results]
        live = any(tensor.requires_grad for tensor in results)
        kind: Kind = "compute" if live or not torch.is_grad_enabled() else "opaque"
        stack = recorder.session.stacks.capture(frame)
        at = recorder.add(
            name, kind, inputs, outputs, stack, live, recorder.switches.present(), detail="custom_function"
        )
        op = recording.ops[at]
        recorder.numbers.of_call(op, (), {}, results)
        node = results[0].grad_fn
        if node is not None and len(results) == 1:
            given = [recorder.variables.value_of(arg) for arg in args if isinstance(arg, torch.Tensor)]
            node.register_hook(lambda back, come: _note_backward(op, given, back, come))

    def _wrap_from_numpy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The one factory that a mode does not see."""

        def from_numpy(array: Any) -> Any:
            # Where modes are switched off, somebody works who is not part of the program.
            if not self.recorder.active() or not torch._C._is_torch_function_mode_enabled():
                return original(array)
            return self.recorder.calls.call("from_numpy", original, (array,), {}, sys._getframe(1))

        return from_numpy

    def _wrap_distribution(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A distribution refuses parameters that are NaN, in Python: no call of PyTorch's fails."""

        def __init__(distribution: Any, *args: Any, **kwargs: Any) -> None:
            try:
                original(distribution, *args, **kwargs)
            except ValueError as error:
                if self.recorder.active():
                    given = list(vars(distribution).values())
                    self.recorder.calls.note_refused(type(distribution).__name__, error, given, sys._getframe(1))
                raise

        return __init__

    def _wrap_compile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*args: Any, **kwargs: Any) -> Any:
            if self.recorder.deep:
                self.set_stance("force_eager")
            return original(*args, **kwargs)

        return compile

    @property
    def runs_compiled(self) -> bool:
        """Whether the program has compiled functions, which run eagerly for as long as we look."""
        return self._stance_set

    def set_stance(self, stance: str) -> None:
        """Compiled functions run eagerly while they are looked at."""
        if stance == "default" and not self._stance_set:
            return
        try:
            torch.compiler.set_stance(stance)
            self._stance_set = stance != "default"
        except Exception as trouble:  # PyTorch before 2.6 has no stance
            self.recorder.session.trouble("torch.compile", trouble)


def _note_backward(op: Op, given: Sequence[int], back: Sequence[Any], come: Sequence[Any]) -> None:
    """Which arguments get nothing but zeros from the backward of a custom function, and whether it makes NaN."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        op.spoils = _finite(come) and not _finite(back)
        if len(back) == len(given) and any(g is not None and bool(g.any()) for g in come):
            zeros = [value for value, g in zip(given, back, strict=True) if g is not None and not bool(g.any())]
            op.flat = tuple(dict.fromkeys(zeros))


def _finite(gradients: Sequence[Any]) -> bool:
    return all(bool(g.isfinite().all()) for g in gradients if g is not None)
