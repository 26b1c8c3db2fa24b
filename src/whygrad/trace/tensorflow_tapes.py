"""Gradient tapes: when each one recorded, what it watched, and what was asked of it."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import numpy
from tensorflow.python.eager import backprop, context
from tensorflow.python.framework import ops
from tensorflow.python.pywrap_tfe import TFE_Py_TapeSetIsEmpty
from tensorflow.python.util import nest

from whygrad.flow import reach
from whygrad.flow.events import Backward, Failure
from whygrad.flow.operations import Switch, Tape, Value
from whygrad.trace.patches import Patches
from whygrad.trace.session import DEPTH

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor
_Call = Callable[..., Any]


class Tapes:
    """Wraps `tf.GradientTape`."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._places: set[tuple[CodeType, int]] = set()
        """Lines of the program that opened a tape which was seen."""
        self._asked_late = 0
        """Requests that are still looked at, of a tape that was opened at a new line after the first updates."""

    def attach(self, patches: Patches) -> None:
        """Stays after the recorder has let go: a tape at a line that opened none before is worth a look."""
        patches.replace(backprop.GradientTape, "_push_tape", self._wrap_late_push)

    def attach_deep(self, patches: Patches) -> None:
        """Wrap the methods that begin, end and use a tape."""
        tape = backprop.GradientTape
        patches.replace(tape, "_push_tape", self._wrap_push)
        patches.replace(tape, "_pop_tape", self._wrap_pop)
        patches.replace(tape, "watch", self._wrap_watch)
        patches.replace(tape, "stop_recording", self._wrap_stop_recording)
        for name in ("gradient", "jacobian", "batch_jacobian"):
            patches.replace(tape, name, self._wrapper_of(name))

    def _wrap_late_push(self, original: _Call) -> _Call:
        def _push_tape(tape: Any) -> None:
            if tape._tape is None and self._opened_late(sys._getframe(1)):
                backprop.GradientTape._push_tape(tape)  # by the wrapper that has just been put in place
            else:
                original(tape)

        return _push_tape

    def _opened_late(self, frame: FrameType) -> bool:
        """Whether tracing begins again with this tape. What is asked after a training belongs to no optimizer."""
        recorder, caller = self.recorder, frame
        try:
            while not recorder.session.is_user(caller):
                if caller.f_back is None:
                    return False
                caller = caller.f_back
            place = caller.f_code, caller.f_lineno
            if place in self._places or recorder.local.busy:
                return False
            if not context.executing_eagerly():
                recorder.functions.compiled_a_tape()
                return False
            if recorder.looks_on() and not TFE_Py_TapeSetIsEmpty():
                return False  # inside of a tape whose beginning went by: of such an update only a part would be seen
            self._places.add(place)
            if not recorder.looks_on() or not recorder.session.may_deepen():
                return False
            self._asked_late, was_deep = DEPTH, recorder.deep
            recorder.deepen()
            return recorder.deep and not was_deep
        except Exception as trouble:
            recorder.trouble(trouble)
            return False

    def _looked_at(self) -> None:
        self._asked_late -= 1
        if not self._asked_late:
            self.recorder.release()

    # --- recording and not --------------------------------------------------------------------------------------

    def _wrap_push(self, original: _Call) -> _Call:
        def _push_tape(tape: Any) -> None:
            fresh = tape._tape is None
            if fresh and self.recorder.active():
                self._close_by_hand()
            original(tape)
            if self.recorder.active():  # `reset()` comes this way too, with a fresh tape
                try:
                    self._pushed(tape, fresh, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)

        return _push_tape

    def _close_by_hand(self) -> None:
        """What the program wrote so far was one update; the next one begins."""
        try:
            with self.recorder.lock:
                self.recorder.by_hand.close()
        except Exception as trouble:
            self.recorder.trouble(trouble)

    def _pushed(self, tape: Any, fresh: bool, frame: FrameType) -> None:
        recorder = self.recorder
        number = self._numbers.get(tape)
        if fresh:
            number = len(recorder.recording.tapes)
            self._numbers[tape] = number
            recorder.recording.tapes[number] = Tape(
                id=number,
                opened=recorder.session.tick(),
                stack=recorder.session.stacks.capture(frame),
                persistent=bool(tape._persistent),
                watches_variables=bool(tape._watch_accessed_variables),
            )
        if number is not None:
            recorder.recording.tapes[number].closed = None
            recorder.local.tapes.append(number)

    def _wrap_pop(self, original: _Call) -> _Call:
        def _pop_tape(tape: Any) -> None:
            original(tape)
            number = self._numbers.get(tape)
            tapes = self.recorder.local.tapes
            if number is not None and number in tapes:
                tapes.remove(number)
                self.recorder.recording.tapes[number].closed = self.recorder.session.tick()

        return _pop_tape

    def _wrap_stop_recording(self, original: _Call) -> _Call:
        def stop_recording(tape: Any) -> AbstractContextManager[None]:
            if not self.recorder.active():
                return original(tape)
            return self._stopped(original, tape, sys._getframe(1))

        return stop_recording

    @contextmanager
    def _stopped(self, original: _Call, tape: Any, frame: FrameType) -> Any:
        recorder = self.recorder
        number = len(recorder.recording.switches) + 1
        stack = recorder.session.stacks.capture(frame)
        recorder.recording.switches[number] = Switch(number, recorder.session.tick(), "stop_recording", stack)
        with original(tape):
            recorder.local.switches.append(number)
            try:
                yield
            finally:
                recorder.local.switches.remove(number)

    def _wrap_watch(self, original: _Call) -> _Call:
        def watch(tape: Any, tensor: Any) -> None:
            try:
                original(tape, tensor)
            except Exception as error:
                self._refused(tensor, error, sys._getframe(1))
                raise
            if self.recorder.active():
                try:
                    self._watched(tape, tensor, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)

        return watch

    def _refused(self, thing: Any, error: Exception, frame: FrameType) -> None:
        """A symbolic tensor of Keras (`model.inputs`) cannot be watched."""
        recorder = self.recorder
        symbolic = any(type(item).__name__ == "KerasTensor" for item in nest.flatten(thing))
        if symbolic and recorder.active():
            stack = recorder.session.stacks.capture(frame)
            failure = Failure(recorder.session.tick(), "watch", f"{type(error).__name__}: {error}", stack)
            recorder.recording.failures.append(failure)

    def _watched(self, tape: Any, thing: Any, frame: FrameType) -> None:
        recorder = self.recorder
        number = self._numbers.get(tape)
        if number is None:
            return
        opened = recorder.recording.tapes[number]
        watched, stack = opened.watched, recorder.session.stacks.capture(frame)
        for item in nest.flatten(thing, expand_composites=False):
            store = recorder.variables.store_of(item)
            if store is not None:
                watched.add(recorder.variables.number_of(store))
            elif isinstance(item, EagerTensor):
                value = recorder.values.of(item, stack)
                watched.add(value)
                opened.watched_from.setdefault(value, (recorder.session.tick(), stack))

    # --- asking for gradients -----------------------------------------------------------------------------------

    def _wrapper_of(self, name: str) -> Callable[[_Call], _Call]:
        def wrap(original: _Call) -> _Call:
            def gradient(tape: Any, target: Any, sources: Any = None, *args: Any, **kwargs: Any) -> Any:
                recorder = self.recorder
                if sources is None and "sources" not in kwargs and "source" in kwargs:
                    sources = kwargs.pop("source")
                if recorder.active():
                    self._close_by_hand()
                if not recorder.active():
                    return original(tape, target, sources, *args, **kwargs)
                return self._asked(name, original, tape, target, sources, args, kwargs, sys._getframe(1))

            return gradient

        return wrap

    def _asked(
        self, name: str, original: _Call, tape: Any, target: Any, sources: Any, args: Any, kwargs: Any, frame: FrameType
    ) -> Any:
        recorder = self.recorder
        event: Backward | None = None
        try:
            with recorder.lock:
                event = self._event(name, tape, target, sources, frame)
        except Exception as trouble:
            recorder.trouble(trouble)
        try:
            with recorder.quiet():
                result = original(tape, target, sources, *args, **kwargs)
        except Exception as error:
            if event is not None:
                event.error = f"{type(error).__name__}: {error}"
                recorder.recording.backwards.append(event)
            recorder.look_for_names(frame)
            raise
        if event is not None:
            try:
                with recorder.lock:
                    self._answered(event, sources, result, _zeros_wanted(args, kwargs))
                recorder.recording.backwards.append(event)
                recorder.look_for_names(frame)
                if self._asked_late:
                    self._looked_at()
            except Exception as trouble:
                recorder.trouble(trouble)
        return result

    def _event(self, name: str, tape: Any, target: Any, sources: Any, frame: FrameType) -> Backward | None:
        recorder = self.recorder
        number = self._numbers.get(tape)
        if number is None:
            return None  # a tape from before we looked: nothing true can be said about it
        stack = recorder.session.stacks.capture(frame)
        loss = self._joined(target, stack)
        wanted, values = [], []
        for item in nest.flatten(sources, expand_composites=False):
            store = recorder.variables.store_of(item)
            if store is not None:
                wanted.append(recorder.variables.number_of(store))
            elif isinstance(item, EagerTensor):
                values.append(recorder.values.of(item, stack))
        others = [t for t in recorder.local.tapes if t != number or tape._persistent]
        return Backward(
            recorder.session.tick(), name, loss, stack,
            wanted=tuple(dict.fromkeys(wanted)), asked_values=tuple(values), tape=number, implicit=bool(others),
        )  # fmt: skip

    def _joined(self, target: Any, stack: int) -> int | None:
        recorder = self.recorder
        numbers = []
        for item in nest.flatten(target, expand_composites=False):
            store = recorder.variables.store_of(item)
            if store is not None:
                numbers.append(recorder.variables.read(store))
            elif isinstance(item, EagerTensor):
                numbers.append(recorder.values.of(item, stack))
            elif isinstance(item, float | numpy.floating | numpy.ndarray):
                numbers.append(self._number(item, stack))
        if len(numbers) < 2:
            return numbers[0] if numbers else None
        joined = recorder.values.fresh()
        recorder.recording.values[joined] = Value(joined, (), True, True)
        op = recorder.add("losses", "compute", numbers, (joined,), stack, True)
        op.tapes = tuple(recorder.recording.tapes)  # no operation of the program: it hides nothing from any tape
        return joined

    def _number(self, item: Any, stack: int) -> int:
        """A loss that is no tensor any more, which TensorFlow refuses: it has left, and comes back as what is asked."""
        recorder, data = self.recorder, numpy.asarray(item)
        number = recorder.values.fresh()
        recorder.recording.values[number] = Value(number, data.shape, True, True)
        entry = recorder.add("tensor data", "enter", (), (number,), stack, False)
        recorder.exits.entered(entry.at, item)
        return number

    def _answered(self, event: Backward, sources: Any, result: Any, zeros: bool) -> None:
        recorder = self.recorder
        asked = nest.flatten(sources, expand_composites=False)
        answers = nest.flatten(result, expand_composites=False)
        got: set[int] = set()
        got_values: set[int] = set()
        made: list[Any] = []
        for item, answer in zip(asked, answers, strict=False):
            if answer is None:
                continue
            store = recorder.variables.store_of(item)
            parts = [recorder.values.new(tensor) for tensor in _dense_parts(answer)]
            if store is not None:
                variable = recorder.variables.number_of(store)
                got.add(variable)
                event.given.update({variable: parts[0]} if parts else {})
                recorder.edits.gradient_of.update(dict.fromkeys(parts, variable))
                recorder.by_hand.given(variable, parts, item)
            elif isinstance(item, EagerTensor):
                got_values.add(recorder.values.of(item, event.stack))
            made.extend(parts)
        if zeros and event.loss is not None:
            got, got_values = self._truly_reached(event, got, got_values)
        event.got, event.got_values = frozenset(got), frozenset(got_values)
        stores = [recorder.variables.store_of(item) for item in asked]
        event.gradients = recorder.numbers.of_gradients(
            (store.number, answer)
            for store, answer in zip(stores, answers, strict=False)
            if store is not None and store.number in got
        )
        if made and event.loss is not None:
            op = recorder.add(event.call, "compute", (event.loss, *event.asked_values), tuple(made), event.stack, True)
            tensors = [part for answer in answers if answer is not None for part in _dense_parts(answer)]
            recorder.numbers.of_call(op, "", (), tensors)

    def _truly_reached(self, event: Backward, got: set[int], got_values: set[int]) -> tuple[set[int], set[int]]:
        """`unconnected_gradients=ZERO` answers zeros where there is no way: ask the recording itself."""
        recording = self.recorder.recording
        if event.loss is None:
            return got, got_values
        producers = reach.producers(recording)
        part = reach.backward_slice(recording, event.loss, producers, event.at)
        reached = reach.gradient_reach(recording, part, event.tape)
        variables = {recording.values[v].variable for v in reached if v in recording.values}
        tape = recording.tapes[event.tape] if event.tape is not None else None
        # A tensor that was there before the tape is a constant to it, unless it was told to watch it.
        made = {v for v in got_values if (op := producers.get(v)) is not None and event.tape in op.tapes}
        known = made | (tape.watched if tape is not None else set())
        return got & {v for v in variables if v is not None}, got_values & reached & known


def _dense_parts(answer: Any) -> list[Any]:
    if isinstance(answer, EagerTensor):
        return [answer]
    values = getattr(answer, "values", None)  # tf.IndexedSlices
    return [values] if isinstance(values, EagerTensor) else []


def _zeros_wanted(args: Any, kwargs: Any) -> bool:
    chosen = [*args, *kwargs.values()]
    return any(str(getattr(item, "value", item)) == "zero" for item in chosen if not isinstance(item, EagerTensor))
