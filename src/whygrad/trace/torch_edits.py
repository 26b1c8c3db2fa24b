"""What happens to gradients between backward and step in PyTorch: clipped, unscaled, cleared or written by hand."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor

from whygrad.flow.events import Clear, Edit
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_Call = Callable[..., Any]
_CLIPS = frozenset({"clamp_", "clip_", "clamp_max_", "clamp_min_"})
_EMPTYING = frozenset({"zero_", "fill_", "mul_"})


class Edits:
    """Wraps clipping and the gradient scaler; is told of writes into `.grad`."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._read: dict[int, int] = {}
        self._in_scaler: str | None = None

    def attach(self, patches: Patches) -> None:
        """Put the wrappers in place."""
        for place in (torch.nn.utils, torch.nn.utils.clip_grad):
            for name, limit in (("clip_grad_norm_", "max_norm"), ("clip_grad_value_", "clip_value")):
                patches.replace(place, name, self._clipper(name, limit))
            if hasattr(place, "clip_grads_with_norm_"):
                patches.replace(place, "clip_grads_with_norm_", self._clipper("clip_grads_with_norm_", "max_norm"))
        scaler = torch.amp.grad_scaler.GradScaler
        patches.replace(scaler, "scale", self._wrap_scale)
        patches.replace(scaler, "unscale_", self._wrap_unscale)
        patches.replace(scaler, "step", self._wrap_scaler_step)

    @property
    def step_call(self) -> str:
        """What the user called when an optimizer steps."""
        return self._in_scaler or "step"

    # --- clipping -----------------------------------------------------------------------------------------------

    def _clipper(self, name: str, limit: str) -> Callable[[_Call], _Call]:
        def wrap(original: _Call) -> _Call:
            def clip(parameters: Any, *args: Any, **kwargs: Any) -> Any:
                recorder = self.recorder
                if not recorder.active():
                    return original(parameters, *args, **kwargs)
                given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
                handed = parameters if isinstance(parameters, Tensor) else given
                if isinstance(parameters, GeneratorType):
                    handed = (parameter for parameter in given)
                with recorder.quiet():
                    try:
                        result = original(handed, *args, **kwargs)
                    except RuntimeError as error:
                        if all(p.grad is None for p in given):  # some of these functions fail where nothing is to clip
                            with recorder.guarded:
                                recorder.calls.note_failure(name, error, sys._getframe(1), always=True)
                                self._note("clip", name, given, sys._getframe(1))
                        raise
                    with recorder.guarded:
                        most = kwargs.get(limit, args[0] if args else None)
                        found = float(result) if isinstance(result, Tensor) and result.numel() == 1 else None
                        self._note("clip", name, given, sys._getframe(1), _number(most), found)
                return result

            return clip

        return wrap

    def _note(
        self, kind: Literal["clip", "unscale", "other"], call: str, parameters: Iterable[Tensor], frame: FrameType,
        limit: float | None = None, norm: float | None = None, given: tuple[int, ...] = (), handed: int | None = None,
    ) -> None:  # fmt: skip
        recorder = self.recorder
        numbers = [recorder.variables.adopt(p) for p in parameters if p.is_leaf]
        stack = recorder.session.stacks.capture(frame)
        recorder.gradients.settled(numbers)
        last = recorder.recording.edits[-1] if recorder.recording.edits else None
        same = last is not None and last.stack == stack and last.call == call and not given
        if last is not None and same and self._undisturbed(last.at):
            last.variables |= frozenset(numbers)  # the next round of the loop over the parameters
            return
        edit = Edit(recorder.session.tick(), kind, call, frozenset(numbers), stack, limit, norm, given, (), handed)
        recorder.recording.edits.append(edit)

    def _undisturbed(self, since: int) -> bool:
        """Whether nothing else happened to gradients since: events of one loop over the parameters are one event."""
        recording = self.recorder.recording
        events = (recording.backwards, recording.steps, recording.clears, recording.edits)
        return all(not one or one[-1].at <= since for one in events)

    # --- the gradient scaler ------------------------------------------------------------------------------------

    def _wrap_scale(self, original: _Call) -> _Call:
        def scale(scaler: Any, outputs: Any) -> Any:
            result = original(scaler, outputs)
            recorder = self.recorder
            if recorder.active() and isinstance(result, Tensor) and result is not outputs:
                with recorder.guarded, recorder.lock:
                    value = recorder.variables.value_of(result)
                    made = next((op for op in reversed(recorder.recording.ops.values()) if value in op.outputs), None)
                    if made is not None:
                        made.detail = "scaled"
            return result

        return scale

    def _wrap_unscale(self, original: _Call) -> _Call:
        def unscale_(scaler: Any, optimizer: Any) -> None:
            recorder = self.recorder
            if self._in_scaler is not None or not recorder.active() or not scaler.is_enabled():
                original(scaler, optimizer)
                return
            try:
                with recorder.quiet():
                    original(scaler, optimizer)
            except RuntimeError as error:
                recorder.calls.note_failure("scaler.unscale_", error, sys._getframe(1))
                raise
            with recorder.guarded:
                given = [p for group in optimizer.param_groups for p in group["params"]]
                self._note("unscale", "scaler.unscale_", given, sys._getframe(1))

        return unscale_

    def _wrap_scaler_step(self, original: _Call) -> _Call:
        def step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = self.recorder
            if not recorder.active():
                return original(scaler, optimizer, *args, **kwargs)
            before, self._in_scaler = len(recorder.recording.steps), "scaler.step"
            try:
                result = original(scaler, optimizer, *args, **kwargs)
            except (RuntimeError, AssertionError) as error:
                recorder.calls.note_failure("scaler.step", error, sys._getframe(1), always=True)
                raise
            finally:
                self._in_scaler = None
            with recorder.guarded:
                if recorder.deep and len(recorder.recording.steps) == before:
                    recorder.optimizers.note_skipped(optimizer)
            return result

        return step

    # --- by hand ------------------------------------------------------------------------------------------------

    def read(self, variable: int, grad: Tensor, frame: FrameType) -> None:
        """The program holds a variable's gradient in its hands: writes into it are edits, and it is a value now."""
        recorder = self.recorder
        self._read[grad.data_ptr()] = variable
        if not recorder.variables.is_known(grad):
            number = recorder.variables.new_value(grad)
            stack = recorder.session.stacks.capture(frame)
            recorder.add(".grad", "enter", (), (number,), stack, False, detail=str(variable))

    def written(self, name: str, args: Any, frame: FrameType) -> bool:
        """Whether a write went into a gradient; if so it is noted as an edit, or as a clearing."""
        if not self._read:
            return False
        target = args[0]
        variable = self._read.get(target.data_ptr())
        owner = self.recorder.variables.tensor(variable) if variable is not None else None
        if variable is None or owner is None:
            return False
        grad = owner.grad
        if grad is None or grad.data_ptr() != target.data_ptr() or target is owner:
            return False
        amount = args[1] if len(args) > 1 else None
        if name == "zero_" or (name in _EMPTYING and _number(amount) == 0.0):
            self.cleared([owner], f"grad.{name}", frame)
            return True
        self.recorder.gradients.fresh[variable] = True
        limit = _limit(args[1:]) if name in _CLIPS else None
        self._note("clip" if name in _CLIPS else "other", f"grad.{name}", [owner], frame, limit)
        return True

    def assigned(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`p.grad = None`, `p.grad = gradient`, `del p.grad`."""
        owner = args[0]
        before = owner.grad if isinstance(owner, Tensor) and owner.is_leaf else None
        result = func(*args, **kwargs)
        with self.recorder.guarded, self.recorder.lock:
            if isinstance(owner, Tensor) and owner.is_leaf and self.recorder.session.is_user(frame):
                value = args[1] if len(args) > 1 else None
                if value is None:
                    self.cleared([owner], "grad = None", frame)
                elif value is not before:
                    self._assign(owner, value, frame)
        return result

    def _assign(self, owner: Tensor, value: Tensor, frame: FrameType) -> None:
        recorder = self.recorder
        variable = recorder.variables.adopt(owner)
        recorder.gradients.fresh[variable] = True
        reader = self._read.get(value.data_ptr())
        other = recorder.variables.tensor(reader) if reader is not None else None
        handed = reader if other is not None and other is not owner and other.grad is value else None
        self._read.setdefault(value.data_ptr(), variable)
        number = recorder.variables.value_of(value)
        self._note("other", "grad =", [owner], frame, given=(number,), handed=handed)

    def cleared(self, tensors: Iterable[Tensor], call: str, frame: FrameType, optimizer: int | None = None) -> None:
        """The gradients of these variables are gone."""
        recorder = self.recorder
        numbers = frozenset(recorder.variables.adopt(t) for t in tensors if t.is_leaf)
        for number in numbers:
            recorder.gradients.fresh[number] = False
            recorder.gradients.left.pop(number, None)
        stack = recorder.session.stacks.capture(frame)
        last = recorder.recording.clears[-1] if recorder.recording.clears else None
        if last is not None and last.stack == stack and optimizer is None and self._undisturbed(last.at):
            last.variables |= numbers
            return
        recorder.recording.clears.append(Clear(recorder.session.tick(), numbers, stack, optimizer, call))


def _number(thing: Any) -> float | None:
    if isinstance(thing, int | float):
        return float(thing)
    if isinstance(thing, Tensor) and thing.numel() == 1 and not thing.requires_grad:
        return float(thing)
    return None


def _limit(arguments: Any) -> float | None:
    found = [abs(number) for one in arguments if (number := _number(one)) is not None and math.isfinite(number)]
    return max(found, default=None)
