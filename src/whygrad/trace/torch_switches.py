"""Turning gradients off and on: `no_grad`, `inference_mode`, `set_grad_enabled`, and `requires_grad` of one tensor."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.flow.events import Asked
from whygrad.flow.operations import Switch
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_TORCH_HOME = torch.__path__[0]
_OUR_HOME = os.path.dirname(os.path.abspath(__file__)) + os.sep
_UNSEEN = -1
_QUESTIONS = 500


class Switches:
    """The switches that are off at this moment, innermost last."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._off: list[int] = []
        self._lifted: list[int] = []
        """Those that somebody's `with torch.enable_grad()` turned on again, for as long as its block lasts."""

    def attach(self, patches: Patches) -> None:
        """`inference_mode` is no function that a mode sees; it is replaced by a class that tells."""
        patches.replace(torch, "inference_mode", self._wrap_inference_mode)

    def present(self) -> int | None:
        """The switch that holds now, None where gradients are recorded."""
        if torch.is_grad_enabled():
            return None
        return self._off[-1] if self._off else self._unseen()

    def _unseen(self) -> int:
        """Recording was off before we looked (or was turned off where we cannot see)."""
        switches = self.recorder.recording.switches
        if _UNSEEN not in switches:
            switches[_UNSEEN] = Switch(_UNSEEN, 0, "no_grad", self.recorder.session.stacks.capture(None))
        return _UNSEEN

    def set_grad_enabled(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`no_grad`, `enable_grad` and `set_grad_enabled` all end here."""
        was = torch.is_grad_enabled()
        result = func(*args, **kwargs)
        now = torch.is_grad_enabled()
        ends = frame.f_code.co_name == "__exit__"
        if was and not now:
            if ends and self._lifted:
                self._off.append(self._lifted.pop())  # the block that it had been turned on for is over
            else:
                self._push("no_grad", frame)
        elif now and not was and self._off:
            number = self._off.pop()
            if not ends:
                self._lifted.append(number)
        return result

    def _wrap_inference_mode(self, original: Any) -> Any:
        switches = self

        class inference_mode(original):
            def __enter__(self) -> Any:
                if self.mode:
                    switches._push("inference_mode", sys._getframe(1))
                return super().__enter__()

            def __exit__(self, *exc: Any) -> Any:
                if self.mode:
                    switches._pop()
                return super().__exit__(*exc)

        inference_mode.__name__ = inference_mode.__qualname__ = "inference_mode"
        return inference_mode

    def _push(self, name: str, frame: FrameType) -> None:
        session, switches = self.recorder.session, self.recorder.recording.switches
        with self.recorder.guarded:
            number = len(switches) + 1
            inside, decorator = _who_switched(frame)
            stack = session.stacks.capture(frame)
            switches[number] = Switch(number, session.tick(), name, stack, decorator=decorator, inside=inside)
            self._off.append(number)

    def _pop(self) -> None:
        if self._off:
            self._off.pop()

    def requires_grad_set(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`requires_grad_()` and `x.requires_grad = …`: who froze what, and what became a variable."""
        tensor = args[0]
        result = func(*args, **kwargs)
        with self.recorder.guarded:
            if tensor.is_leaf and (tensor.requires_grad or isinstance(tensor, torch.nn.Parameter)):
                self._note_requires_grad(tensor, self.recorder.session.stacks.capture(frame))
        return result

    def requires_grad_read(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`if loss.requires_grad:`: what depends on the answer does not run where something stopped the gradient."""
        result = func(*args, **kwargs)
        recorder = self.recorder
        frozen = isinstance(args[0], torch.nn.Parameter)  # a filter of what is to be trained
        if result or frozen or not recorder.session.is_user(frame) or not torch.is_grad_enabled():
            return result
        with recorder.guarded, recorder.lock:
            asked, variables = recorder.recording.asked, recorder.variables
            if len(asked) < _QUESTIONS and variables.is_known(args[0]):
                stack = recorder.session.stacks.capture(frame)
                asked.append(Asked(recorder.session.tick(), variables.value_of(args[0]), stack))
        return result

    def _note_requires_grad(self, tensor: Tensor, stack: int) -> None:
        variables = self.recorder.variables
        if not variables.seen_made(tensor):
            variables.made(tensor, stack)
        known = variables.number_of(tensor) is not None
        number = variables.adopt(tensor)
        if tensor.requires_grad:
            variables.frozen_at.pop(number, None)
            variables.frozen_times.pop(number, None)
        else:
            variables.frozen_at[number] = stack
            variables.frozen_times[number] = variables.frozen_times.get(number, 0) + 1
        value = variables.value_of(tensor)
        if known and self.recorder.recording.values[value].live != tensor.requires_grad:
            variables.new_version(tensor, value)  # what was computed before keeps the gradient it had
        else:
            self.recorder.recording.values[value].live = tensor.requires_grad


def _who_switched(frame: FrameType | None) -> tuple[str, bool]:
    """The library function that turned recording off (empty for the user's code), and whether by decorator."""
    decorator = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.endswith("_contextlib.py"):
            decorator = True
        elif not file.endswith("grad_mode.py") and not file.startswith(_OUR_HOME):
            if _TORCH_HOME in file and not decorator:
                return frame.f_code.co_qualname, False
            return "", decorator
        frame = frame.f_back
    return "", decorator
