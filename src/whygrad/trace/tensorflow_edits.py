"""What happens to gradients between tape and optimizer in TensorFlow: clipped by a function, or by the optimizer."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any

import tensorflow
from tensorflow.python.framework import ops
from tensorflow.python.ops import clip_ops
from tensorflow.python.util import nest

from whygrad.flow.events import Edit, Step
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor
_Call = Callable[..., Any]
_CLIPS = {"clip_by_norm": "clip_norm", "clip_by_global_norm": "clip_norm", "clip_by_value": "clip_value_max"}
_BY_OPTIMIZER = ("clipnorm", "global_clipnorm", "clipvalue")
_ADDS_UP = frozenset({"add", "add_n", "mul", "truediv", "real_div", "identity", "read_value", "assign_add", "assign"})
_FAR_BACK = 20_000
"""So many operations back a sum may have begun: the micro-batches of one update."""


class Edits:
    """Wraps `tf.clip_by_…`; a gradient is a value here, and what is clipped is another value."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self.gradient_of: dict[int, int] = {}
        """Values that are the gradient of a variable, as the tape gave it or clipped."""

    def attach(self, patches: Patches) -> None:
        """Put the wrappers in place."""
        for name in _CLIPS:
            for place in (tensorflow, clip_ops):
                if hasattr(place, name):
                    patches.replace(place, name, self._clipper(name))

    def attach_keras(self, package: Any, patches: Patches) -> None:
        """Keras 3: the optimizer that multiplies a loss by a scale and divides the gradients by it."""
        if not getattr(package, "__version__", "3").startswith("3"):
            return  # there the program divides the gradients itself
        module = importlib.import_module(f"{package.__name__}.src.optimizers.loss_scale_optimizer")
        patches.replace(module.LossScaleOptimizer, "scale_loss", self._wrap_scale_loss)
        patches.replace(module.LossScaleOptimizer, "apply", self._wrap_unscaling)

    def _wrap_scale_loss(self, original: _Call) -> _Call:
        def scale_loss(optimizer: Any, loss: Any) -> Any:
            result = original(optimizer, loss)
            if self.recorder.active() and isinstance(result, EagerTensor):
                with self.recorder.lock:
                    value, ops_seen = self.recorder.values.known(result), self.recorder.recording.ops
                    made = next((op for op in reversed(ops_seen.values()) if value in op.outputs), None)
                    if made is not None:
                        made.detail = "scaled"
            return result

        return scale_loss

    def _wrap_unscaling(self, original: _Call) -> _Call:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            grads = list(grads)
            if self.recorder.active():
                try:
                    with self.recorder.lock:
                        self._unscaled(optimizer, grads, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)
            return original(optimizer, grads, trainable_variables)

        return apply

    def _unscaled(self, optimizer: Any, grads: list[Any], frame: FrameType) -> None:
        """The optimizer is about to divide these gradients by its scale."""
        given = tuple(number for gradient in grads if (number := self.number(gradient)) is not None)
        variables = frozenset(self.gradient_of[number] for number in given if number in self.gradient_of)
        with self.recorder.quiet():
            scale = float(optimizer.dynamic_scale if optimizer.built else optimizer.initial_scale)
        stack, at = self.recorder.session.stacks.capture(frame), self.recorder.session.tick()
        edit = Edit(at, "unscale", type(optimizer).__name__, variables, stack, scale, given=given)
        self.recorder.recording.edits.append(edit)

    def _clipper(self, name: str) -> Callable[[_Call], _Call]:
        def wrap(original: _Call) -> _Call:
            def clip(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                if self.recorder.active():
                    try:
                        with self.recorder.lock:
                            self._clipped(name, args, kwargs, result, sys._getframe(1))
                    except Exception as trouble:
                        self.recorder.trouble(trouble)
                return result

            return clip

        return wrap

    def _clipped(self, name: str, args: Any, kwargs: Any, result: Any, frame: FrameType) -> None:
        given = args[0] if args else kwargs.get("t_list", kwargs.get("t"))
        made, norm = (result[0], result[1]) if name == "clip_by_global_norm" else (result, None)
        pairs = [(self.number(a), self.number(b)) for a, b in zip(_flat(given), _flat(made), strict=False)]
        known = [(a, b) for a, b in pairs if a is not None and b is not None]
        if name != "clip_by_value":  # that one is for ratios and actions as well
            self._look_back({before for before, _ in known if before not in self.gradient_of})
        variables = set()
        for before, after in known:
            if before in self.gradient_of:
                variables.add(self.gradient_of[before])
                self.gradient_of[after] = self.gradient_of[before]
        if not variables:
            return  # a prediction or a reward is clipped, no gradient
        place = 2 if name == "clip_by_value" else 1
        limit = _number(args[place] if len(args) > place else kwargs.get(_CLIPS[name]))
        stack = self.recorder.session.stacks.capture(frame)
        inputs, outputs = tuple(a for a, _ in known), tuple(b for _, b in known)
        edits = self.recorder.recording.edits
        last = edits[-1] if edits else None
        if last is not None and last.stack == stack and last.call == f"tf.{name}" and self._undisturbed(last.at):
            last.variables |= variables  # the next round of `[tf.clip_by_norm(g, 1.0) for g in grads]`
            last.given, last.made = last.given + inputs, last.made + outputs
            return
        at = self.recorder.session.tick()
        size = _number(norm)
        edits.append(Edit(at, "clip", f"tf.{name}", frozenset(variables), stack, limit, size, inputs, outputs))

    def _look_back(self, numbers: set[int]) -> None:
        """Sums of gradients, in a list or in variables of the program's own, are gradients of the same variables."""
        if not numbers:
            return
        above = {number: {number} for number in numbers}  # for each value on the way, which of them is made of it
        owners: dict[int, set[int]] = {number: set() for number in numbers}
        for op in islice(reversed(self.recorder.recording.ops.values()), _FAR_BACK):
            made = {number for value in op.outputs for number in above.get(value, ())}
            if not made or op.name not in _ADDS_UP:
                continue
            for value in op.inputs:
                if value in self.gradient_of:
                    for number in made:
                        owners[number].add(self.gradient_of[value])
                else:
                    above.setdefault(value, set()).update(made)
        self.gradient_of.update({number: min(found) for number, found in owners.items() if len(found) == 1})

    def _undisturbed(self, since: int) -> bool:
        recording = self.recorder.recording
        return all(not one or one[-1].at <= since for one in (recording.backwards, recording.steps))

    def by_optimizer(self, optimizer: Any, step: Step) -> None:
        """`clipnorm=…` and its like: the optimizer clips what it is given."""
        for name in _BY_OPTIMIZER:
            limit = _number(getattr(optimizer, name, None))
            if limit:
                edit = Edit(step.at, "clip", name, step.applied, step.stack, limit, given=tuple(step.taken.values()))
                self.recorder.recording.edits.append(edit)

    def number(self, gradient: Any) -> int | None:
        """The value of a gradient, dense or sparse, where it was seen being made; of a variable that sums them up."""
        store = self.recorder.variables.store_of(gradient) if gradient is not None else None
        if store is not None:
            return self.recorder.variables.read(store)
        tensor = gradient if isinstance(gradient, EagerTensor) else getattr(gradient, "values", None)
        return self.recorder.values.known(tensor) if isinstance(tensor, EagerTensor) else None


def _flat(thing: Any) -> list[Any]:
    return list(nest.flatten(thing, expand_composites=False))


def _number(thing: Any) -> float | None:
    if isinstance(thing, int | float):
        return float(thing)
    if isinstance(thing, EagerTensor) and thing.shape.num_elements() == 1:
        return float(thing._numpy_internal())
    return None
