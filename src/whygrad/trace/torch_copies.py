"""PyTorch: networks that are copied, averaged and loaded from one another."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.flow.events import Copy
from whygrad.trace.copies import SAMPLED, Copies, Sample
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder


class TorchCopies(Copies):
    """What `whygrad.trace.copies` needs to be told of PyTorch."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__(recorder.session, recorder.recording, self._read)
        self.recorder = recorder
        self._deep: list[tuple[int, weakref.ref[Tensor], weakref.ref[Tensor], int]] = []

    def attach(self, patches: Patches) -> None:
        """A whole network loaded late is seen, however long ago tracing ended."""
        patches.replace(torch.nn.Module, "load_state_dict", self._wrap_load)

    def given_memory(self, at: int, target: int, stack: int, source: int | None) -> None:
        """`target.data = …`: whether a variable lies in another one's memory from now on."""
        self.recording.shared.pop(target, None)
        if source is None or source == target:
            return
        one, two = self.recorder.variables.tensor(source), self.recorder.variables.tensor(target)
        if one is not None and two is not None and one.numel() and one.data_ptr() == two.data_ptr():
            self.recording.shared[target] = Copy(at, source, target, stack, 1.0)

    def deep_copied(self, parameter: Tensor, result: Tensor, stack: int) -> None:
        """`copy.deepcopy` of a network makes one parameter from another."""
        if isinstance(result, Tensor) and result is not parameter:
            self._deep.append((self.session.tick(), weakref.ref(parameter), weakref.ref(result), stack))

    def link_deep(self) -> None:
        """Deep copies of which both sides turned out to be variables of the program; asked while they live."""
        numbers, left = self.recorder.variables, []
        for entry in self._deep:
            at, given, made, stack = entry
            source, target = given(), made()
            if source is None or target is None:
                continue
            one, two = numbers.number_of(source), numbers.number_of(target)
            if one is None and two is not None and self._trained(two):
                one = numbers.adopt(source)  # nothing else may ever be computed from it
            if one is None or two is None:
                left.append(entry)
                continue
            self.recording.copies.append(Copy(at, one, two, stack, 1.0))
            self.recording.variables[two].copy_of = one
        self._deep = left

    def _trained(self, variable: int) -> bool:
        return any(variable in optimizer.holds for optimizer in self.recording.optimizers.values())

    def _read(self, variable: int) -> Sample | None:
        tensor = self.recorder.variables.tensor(variable)
        if tensor is None or not tensor.dtype.is_floating_point or tensor.is_meta:
            return None
        try:
            with self.recorder.quiet():
                flat = tensor.detach()
                if not flat.is_contiguous():
                    flat = flat.flatten()
                flat = flat.view(-1)
                return tuple(flat[:: max(1, flat.numel() // (SAMPLED - 1))][:SAMPLED].tolist())
        except Exception:  # a tensor without readable content: fake, sparse, inside a functional transform
            return None

    def _wrap_load(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def load_state_dict(module: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(module, *args, **kwargs)
            if not self.recorder.deep:
                with self.recorder.guarded:
                    self._loaded_late(module, args[0] if args else kwargs.get("state_dict"), sys._getframe(1))
            return result

        return load_state_dict

    def _loaded_late(self, module: Any, state: Any, frame: FrameType) -> None:
        given = {t.data_ptr() for t in state.values() if isinstance(t, Tensor)}
        pairs = [(self.recorder.variables.number_of(p), p) for p in module.parameters()]
        known = [number for number, _ in pairs if number is not None]
        itself = {number for number, p in pairs if number is not None and p.data_ptr() in given}
        self.whole_late(known, itself, frame)
