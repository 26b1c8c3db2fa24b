"""Optimizers of Keras 3, Keras 2 and `tf.compat.v1`: what each update applied, and to whom nothing came."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorflow.python.eager import context
from tensorflow.python.framework import ops
from tensorflow.python.training import optimizer as v1_optimizer

from whygrad.flow.events import Backward, Failure, Step
from whygrad.trace.copies import Sample
from whygrad.trace.patches import Patches
from whygrad.trace.tensorflow_values import tensors_in
from whygrad.trace.updates import Updates

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_Call = Callable[..., Any]
_Pairs = list[tuple[Any, Any]]

_SUSPECTS = 256
"""Of so many variables without a gradient it is remembered what they held."""

_KERAS_2 = (
    ("optimizers.optimizer", "_BaseOptimizer"),
    ("optimizers.optimizer", "Optimizer"),
    ("optimizers.legacy.optimizer_v2", "OptimizerV2"),
)


class Optimizers:
    """Wraps `apply` and `apply_gradients`; stays after the recorder has let go."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self.updates = Updates(recorder.session, recorder.recording)
        self._suspects: set[int] = set()
        self._in_traces: set[int] = set()
        self._held_then: dict[int, Sample | None] = {}
        self._inside = False
        self._new = False
        self._last_loss: int | None = None

    def attach(self, patches: Patches) -> None:
        """The optimizers that TensorFlow itself brings."""
        base = v1_optimizer.Optimizer
        patches.replace(base, "__init__", self._wrap_init)
        patches.replace(base, "apply_gradients", self._wrap_apply_gradients)

    def attach_keras(self, package: Any, patches: Patches) -> None:
        """The optimizers of an imported Keras, whichever it is."""
        name = package.__name__
        if getattr(package, "__version__", "3").startswith("3"):
            base = importlib.import_module(f"{name}.src.optimizers.base_optimizer").BaseOptimizer
            patches.replace(base, "__init__", self._wrap_init)
            patches.replace(base, "apply", self._wrap_apply)
            patches.replace(base, "apply_gradients", self._wrap_pairs)
            trainer = importlib.import_module(f"{name}.src.backend.tensorflow.trainer").TensorFlowTrainer
            patches.replace(trainer, "_compute_loss", self._wrap_compute_loss)
            patches.replace(trainer, "train_step", self._wrap_train_step)
            return
        for module, owner in _KERAS_2:
            try:
                base = getattr(importlib.import_module(f"{name}.src.{module}"), owner)
            except ImportError:
                continue
            if "__init__" in vars(base):
                patches.replace(base, "__init__", self._wrap_init)
            patches.replace(base, "apply_gradients", self._wrap_apply_gradients)

    # --- making one ---------------------------------------------------------------------------------------------

    def _wrap_init(self, original: _Call) -> _Call:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            with self.recorder.quiet():
                original(optimizer, *args, **kwargs)
            try:
                self.updates.number(optimizer, self.recorder.session.stacks.capture(sys._getframe(1)))
                if self.recorder.looks_on() and context.executing_eagerly() and self.recorder.session.may_deepen():
                    self.recorder.deepen()
                for told in self.recorder.session.when_made:
                    told(optimizer)
            except Exception as trouble:
                self.recorder.trouble(trouble)

        return __init__

    # --- an update ----------------------------------------------------------------------------------------------

    def _wrap_apply(self, original: _Call) -> _Call:
        """Keras 3: `apply(grads, trainable_variables)`; `apply_gradients` ends here too."""

        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            grads = list(grads)
            held = getattr(optimizer, "_trainable_variables", None) or []
            variables = list(trainable_variables) if trainable_variables is not None else None
            pairs = list(zip(grads, variables if variables is not None else held, strict=False))
            return self._update(lambda: original(optimizer, grads, variables), optimizer, pairs, sys._getframe(1))

        return apply

    def _wrap_pairs(self, original: _Call) -> _Call:
        """Keras 3: `apply_gradients(grads_and_vars)` refuses an empty list before it comes to `apply`."""

        def apply_gradients(optimizer: Any, grads_and_vars: Any) -> Any:
            pairs = list(grads_and_vars)
            if not pairs and self.recorder.active():
                try:
                    stack = self.recorder.session.stacks.capture(sys._getframe(1))
                    failure = Failure(self.recorder.session.tick(), "apply_gradients", "no gradients", stack)
                    self.recorder.recording.failures.append(failure)
                    self.recorder.look_for_names(sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)
            return original(optimizer, pairs)

        return apply_gradients

    def _wrap_apply_gradients(self, original: _Call) -> _Call:
        """Keras 2 and v1: `apply_gradients(grads_and_vars)`."""

        def apply_gradients(optimizer: Any, grads_and_vars: Any, *args: Any, **kwargs: Any) -> Any:
            pairs = list(grads_and_vars)
            return self._update(lambda: original(optimizer, pairs, *args, **kwargs), optimizer, pairs, sys._getframe(1))

        return apply_gradients

    def _update(self, run: Callable[[], Any], optimizer: Any, pairs: _Pairs, frame: FrameType) -> Any:
        if self._inside:
            return run()  # one optimizer's method calling another's
        recorder = self.recorder
        deep = recorder.active()
        step = self._begin(optimizer, pairs, frame, deep)
        self._inside = True
        try:
            with recorder.quiet():
                result = run()
        except Exception as error:
            if step is None and "Unknown variable" in str(error):
                step = self._begin(optimizer, pairs, frame, deep=True)  # long after we let go: a model was rebuilt
            if step is not None:
                step.error = f"{type(error).__name__}: {error}"
                if recorder.ring.running:
                    recorder.ring.reopen(since=step.at)
            raise
        finally:
            self._inside = False
        self._end(optimizer, pairs, step, deep)
        recorder.session.updated("tensorflow")
        return result

    def _begin(self, optimizer: Any, pairs: _Pairs, frame: FrameType, deep: bool) -> Step | None:
        recorder = self.recorder
        try:
            if self._suspects and (recorder.ring.running or not deep):
                self._look_again(pairs)
            if deep:
                with recorder.lock:
                    self._new = recorder.ring.running and self.updates.worth_a_look(optimizer)
                    return self._note_step(optimizer, pairs, frame)
            if not recorder.deep:
                recorder.numbers.glance(self.updates, optimizer, [g for g, _ in pairs], frame)
        except Exception as trouble:
            recorder.trouble(trouble)
        return None

    def _note_step(self, optimizer: Any, pairs: _Pairs, frame: FrameType) -> Step:
        recorder = self.recorder
        applied, without, taken = set[int](), set[int](), dict[int, int]()
        for gradient, variable in pairs:
            store = recorder.variables.store_of(variable)
            if store is not None:
                number = recorder.variables.number_of(store)
                (applied if gradient is not None else without).add(number)
                value = recorder.edits.number(gradient)
                if value is not None:
                    taken[number] = value
        step = self.updates.note(optimizer, applied, without, frame)
        step.call, step.taken = "apply_gradients", taken
        recorder.edits.by_optimizer(optimizer, step)
        stores = [(recorder.variables.store_of(variable), variable, gradient) for gradient, variable in pairs]
        numbered = [(s.number, v, g) for s, v, g in stores if s is not None and s.number is not None]
        recorder.numbers.of_step(step, optimizer, numbered)
        recorder.look_for_names(frame)
        return step

    def _end(self, optimizer: Any, pairs: _Pairs, step: Step | None, deep: bool) -> None:
        recorder = self.recorder
        try:
            if deep and step is not None:
                stores = [recorder.variables.store_of(variable) for gradient, variable in pairs if gradient is not None]
                by = f"{type(optimizer).__name__}.apply_gradients"
                recorder.variables.overwritten([s for s in stores if s is not None], by, step.stack)
                self.counted()
            elif not recorder.deep and self.updates.worth_a_look(optimizer):
                recorder.deepen()
            else:
                self._note_graph_mode()
        except Exception as trouble:
            recorder.trouble(trouble)

    def counted(self) -> None:
        """An update went by: whether to look on."""
        recorder = self.recorder
        if not recorder.ring.running:
            if self.updates.enough():
                recorder.release()
            return
        recorder.copies.look()
        if self._new:
            recorder.deepen()
        elif recorder.ring.stepped():
            recorder.let_go()

    def _note_graph_mode(self) -> None:
        if context.executing_eagerly() or ops.inside_function():
            return
        line = "the program builds TensorFlow 1 graphs (eager execution is off): whygrad sees only eager programs"
        if line not in self.recorder.session.notes:
            self.recorder.session.notes.append(line)

    # --- Keras 3 with nothing to train --------------------------------------------------------------------------

    def _wrap_compute_loss(self, original: _Call) -> _Call:
        def _compute_loss(model: Any, *args: Any, **kwargs: Any) -> Any:
            loss = original(model, *args, **kwargs)
            if self.recorder.active():
                self._last_loss = next((self.recorder.values.known(t) for t in tensors_in(loss)), None)
            return loss

        return _compute_loss

    def _wrap_train_step(self, original: _Call) -> _Call:
        """A model without trainable weights skips the backward pass in silence; the recording says what it would be."""

        def train_step(model: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(model, *args, **kwargs)
            recorder = self.recorder
            if recorder.active() and not model.trainable_weights and recorder.recording.tapes:
                try:
                    at, tape = recorder.session.tick(), max(recorder.recording.tapes)
                    stack = recorder.session.stacks.capture(sys._getframe(1))
                    recorder.recording.backwards.append(Backward(at, "fit", self._last_loss, stack, tape=tape))
                    recorder.look_for_names(sys._getframe(1))
                except Exception as trouble:
                    recorder.trouble(trouble)
            return result

        return train_step

    # --- after letting go ---------------------------------------------------------------------------------------

    def remember_suspects(self) -> None:
        """Variables that an optimizer holds and that had no gradient so far."""
        self._suspects = self.updates.without_gradient()
        self._held_then = {v: self.recorder.copies.sample(v) for v in sorted(self._suspects)[:_SUSPECTS]}

    def _look_again(self, pairs: _Pairs) -> None:
        """In a compiled function this runs while it is traced; whether a gradient is None is settled there."""
        for gradient, variable in pairs:
            store = self.recorder.variables.store_of(variable) if gradient is not None else None
            if store is not None and store.number in self._suspects:
                self.recorder.recording.later_gradients.add(store.number)
                self._suspects.discard(store.number)
                if not context.executing_eagerly():
                    self._in_traces.add(store.number)

    def look_at_the_end(self) -> None:
        """A compiled loop gives zeros for what does not reach its result; a variable that never moved got nothing.

        One that nothing was computed with so far may belong to a branch that a longer run takes.
        """
        copies, recording = self.recorder.copies, self.recorder.recording
        self._note_graph_mode()
        copies.look(now=True)
        then = self._held_then
        still = {v for v in self._in_traces if then.get(v) is not None and copies.sample(v) == then[v]}
        if still:
            read = {recording.values[v].variable for op in recording.ops.values() for v in op.inputs}
            recording.later_gradients -= still & read
