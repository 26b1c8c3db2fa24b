"""Optimizers of PyTorch, and of Keras on it: what each update applied, and to whom nothing came."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.optim import optimizer as torch_optimizer

from whygrad.trace.patches import Patches
from whygrad.trace.torch_given_nothing import (
    REFUSED,
    asked_model,
    has_emptied_group,
    is_used_up,
    note_emptied_group,
    note_given_nothing,
)
from whygrad.trace.updates import Updates

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_COPIES_DEPTH = 12
"""Updates of a copied network that are traced deeply, in case it is trained by a few steps and then done."""

_Call = Callable[..., Any]


class Optimizers:
    """Hooks of every optimizer's step; stay after the recorder has let go."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self.updates = Updates(recorder.session, recorder.recording)
        self._hooks: list[Any] = []
        self._stepping = False
        self._closures: dict[int, list[int]] = {}
        """By the optimizer that is stepping: when it began, and when it called the program back each time."""
        self._suspects: dict[int, weakref.ref[Tensor]] = {}
        self._new = False

    def attach(self, patches: Patches) -> None:
        """The optimizers that PyTorch itself brings, and all that are made from them."""
        patches.replace(torch.optim.Optimizer, "__init__", self._wrap_init)
        patches.replace(torch.optim.Optimizer, "zero_grad", self._wrap_zero_grad)
        patches.replace(torch.nn.Module, "zero_grad", self._wrap_zero_grad)
        self._hooks.append(torch_optimizer.register_optimizer_step_pre_hook(self._before_step))
        self._hooks.append(torch_optimizer.register_optimizer_step_post_hook(self._after_step))

    def attach_keras(self, keras: Any, patches: Patches) -> None:
        """The optimizers of Keras on the torch backend."""
        patches.replace(keras.src.optimizers.base_optimizer.BaseOptimizer, "apply", self._wrap_keras_apply)

    def detach(self) -> None:
        """Take the hooks away."""
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()

    # --- making one ---------------------------------------------------------------------------------------------

    def _wrap_init(self, original: _Call) -> _Call:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            recorder = self.recorder
            given = args[0] if args else kwargs.get("params")
            model, used_up, emptied = asked_model(given), is_used_up(given), has_emptied_group(given)
            try:
                with recorder.quiet():
                    original(optimizer, *args, **kwargs)
            except (TypeError, ValueError) as error:
                if REFUSED in str(error):
                    with recorder.guarded:
                        note_given_nothing(recorder, model, used_up, sys._getframe(1))
                recorder.calls.note_failure("optimizer", error, sys._getframe(1))
                raise
            with recorder.guarded:
                self._note_made(optimizer, sys._getframe(1))
                if emptied:
                    note_emptied_group(recorder, sys._getframe(1))
                if (recorder.ring.running or not recorder.deep) and recorder.session.may_deepen():
                    recorder.deepen()

        return __init__

    def _note_made(self, optimizer: Any, frame: FrameType) -> None:
        recorder = self.recorder
        number = self.updates.number(optimizer, recorder.session.stacks.capture(frame))
        given = recorder.recording.optimizers[number]
        for group in optimizer.param_groups:
            members = frozenset(recorder.variables.adopt(p) for p in group["params"] if p.is_leaf)
            given.groups.append(members)
            given.holds |= members

    # --- zero_grad ----------------------------------------------------------------------------------------------

    def _wrap_zero_grad(self, original: _Call) -> _Call:
        def zero_grad(thing: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = self.recorder
            self._after_failed_step()
            seen = not recorder.paused
            try:
                with recorder.quiet():
                    return original(thing, *args, **kwargs)
            finally:
                if recorder.deep and seen:
                    with recorder.guarded:
                        self._note_clear(thing, sys._getframe(1))

        return zero_grad

    def _note_clear(self, thing: Any, frame: FrameType) -> None:
        recorder = self.recorder
        ours = isinstance(thing, torch.optim.Optimizer)
        optimizer = self.updates.number(self._behind(thing)) if ours else None
        tensors = _parameters(thing) if ours else thing.parameters()
        recorder.edits.cleared(tensors, "zero_grad", frame, optimizer)

    def _behind(self, optimizer: Any) -> Any:
        """The optimizer that another one only stands in front of (Lightning's), as the list of groups they share says.

        The step itself comes from the one behind.
        """
        groups = optimizer.param_groups
        return next((known for known in self.updates.known() if known.param_groups is groups), optimizer)

    def note_skipped(self, optimizer: Any) -> None:
        """A gradient scaler left this step out."""
        self.recorder.recording.optimizers[self.updates.number(optimizer)].skipped += 1

    # --- a step -------------------------------------------------------------------------------------------------

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        recorder = self.recorder
        changed = None
        self._after_failed_step()
        with recorder.guarded:
            if recorder.active():
                recorder.paused = self._stepping = True
                if recorder.ring.running:
                    self._look_around(optimizer)
                    self._new = self.updates.worth_a_look(optimizer, sys._getframe(1))
                closure = kwargs.get("closure") or next((a for a in args[1:] if callable(a)), None)
                if closure is None:
                    self._note_step(optimizer, ((p, p.grad) for p in _parameters(optimizer)), sys._getframe(1))
                    if type(optimizer).__module__.startswith("torch."):
                        recorder.step_aside()
                else:
                    times = self._closures[id(optimizer)] = [recorder.session.tick()]
                    watched = self._watched(closure, times)
                    changed = (
                        tuple(watched if a is closure else a for a in args),
                        {key: watched if value is closure else value for key, value in kwargs.items()},
                    )
            elif not recorder.deep:
                self._look_around(optimizer)
                recorder.numbers.glance(self.updates, optimizer, sys._getframe(1))
        return changed

    def _after_failed_step(self) -> None:
        """A step that raised never came back to us; the program caught it and goes on."""
        if self._stepping and self.recorder.deep:
            self.recorder.come_back()
            self._stepping = self.recorder.paused = False

    def _watched(self, closure: _Call, times: list[int]) -> _Call:
        """The closure is the user's training step; what the optimizer computes around it is its own affair."""

        def watched(*args: Any, **kwargs: Any) -> Any:
            times.append(self.recorder.session.tick())
            was, self.recorder.paused = self.recorder.paused, False
            try:
                return closure(*args, **kwargs)
            finally:
                self.recorder.paused = was

        return watched

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        recorder = self.recorder
        self._stepping = False
        with recorder.guarded:
            recorder.come_back()
            if recorder.deep:
                held = [recorder.variables.adopt(p) for p in _parameters(optimizer)]
                recorder.gradients.settled(held)
                recorder.copies.step_done(held)
                if id(optimizer) in self._closures:
                    began, *called_back = self._closures.pop(id(optimizer))
                    self._note_step(optimizer, ((p, p.grad) for p in _parameters(optimizer)), sys._getframe(1))
                    step = recorder.recording.steps[-1]
                    step.began, step.called_back = began, tuple(called_back)
                self._resume()
            elif self.updates.worth_a_look(optimizer, sys._getframe(1)):
                recorder.deepen()
            recorder.session.updated("torch")

    def _note_step(self, optimizer: Any, pairs: Iterable[tuple[Tensor, Any]], frame: FrameType) -> None:
        applied, without = set[int](), set[int]()
        numbered = [(self.recorder.variables.adopt(parameter), parameter, grad) for parameter, grad in pairs]
        for variable, _, grad in numbered:
            fresh = self.recorder.gradients.fresh.get(variable, True)
            (applied if grad is not None and fresh else without).add(variable)
        step = self.updates.note(optimizer, applied, without, frame)
        step.call = self.recorder.edits.step_call
        self.recorder.numbers.of_step(step, optimizer, numbered)
        self.recorder.copies.stepped(applied)
        self.recorder.look_for_names(frame)

    def _resume(self) -> None:
        self.recorder.paused = False
        self.counted()
        self._new = False

    def counted(self) -> None:
        """An update went by: whether to look on."""
        recorder = self.recorder
        if recorder.ring.running:
            if self._new:
                recorder.deepen()
            elif recorder.ring.stepped():
                recorder.let_go()
        elif self.updates.enough() and not self._trains_copies():
            recorder.release()

    def _trains_copies(self) -> bool:
        """Whether the last step was one of the first of a copy: what becomes of it is seen when its training ends."""
        recording = self.recorder.recording
        step = recording.steps[-1]
        rounds = sum(1 for s in recording.steps if s.optimizer == step.optimizer)
        return rounds < _COPIES_DEPTH and any(recording.variables[v].copy_of is not None for v in step.applied)

    # --- Keras on the torch backend -----------------------------------------------------------------------------

    def _wrap_keras_apply(self, original: _Call) -> _Call:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            recorder = self.recorder
            deep = recorder.active()
            try:
                grads = list(grads)
                held = trainable_variables if trainable_variables is not None else optimizer._trainable_variables
                if deep:
                    pairs = [(v.value, g) for v, g in zip(list(held), grads, strict=False)]
                    self._note_step(optimizer, pairs, sys._getframe(1))
                    recorder.paused = True
            except Exception as trouble:
                recorder.session.trouble("keras", trouble)
            try:
                return original(optimizer, grads, trainable_variables)
            finally:
                if deep:
                    self._resume()
                recorder.session.updated("torch")

        return apply

    # --- after letting go ---------------------------------------------------------------------------------------

    def remember_suspects(self) -> None:
        """Variables that an optimizer holds and that had no gradient so far."""
        tensors = self.recorder.variables.tensors
        self._suspects = {v: tensors[v] for v in self.updates.without_gradient() if v in tensors}

    def _look_around(self, optimizer: Any) -> None:
        """The first updates have been seen: what came later to what was missing there."""
        if self._suspects:
            self._look_again(optimizer)
        self.recorder.copies.look()

    def _look_again(self, optimizer: Any) -> None:
        """Has a variable without a gradient received one, now that its own optimizer steps?"""
        given = {id(p) for p in _parameters(optimizer)}
        for number, reference in list(self._suspects.items()):
            tensor = reference()
            if tensor is None:
                del self._suspects[number]
            elif id(tensor) in given and tensor.grad is not None and bool(tensor.grad.ne(0).any()):
                self.recorder.recording.later_gradients.add(number)
                del self._suspects[number]


def _parameters(optimizer: Any) -> list[Tensor]:
    return [p for group in optimizer.param_groups for p in group["params"]]
