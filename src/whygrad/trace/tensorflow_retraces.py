"""Functions that TensorFlow traces again and again: how often, called from where, and what was new each time.

While operations are watched, functions run eagerly and nothing is traced: there a call counts as traced where its
arguments are new. After that TensorFlow itself says which calls it traced.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.util import nest

from whygrad.flow.events import Retrace
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

_Call = Callable[..., Any]
_DECORATING = ("/tensorflow/python/eager/", "/tensorflow/python/util/")


@dataclass(slots=True)
class _Seen:
    """What is known of one function: its event, the last function object, and what it was given last."""

    event: Retrace | None = None
    calls: int = 0
    maker: int = 0
    given: tuple[Any, ...] = ()
    eagerly: set[Any] = field(default_factory=set)
    """What it was given while it ran eagerly: to be traced later, and counted already."""


class Retraces:
    """Wraps TensorFlow's own detector of frequent tracing, which is told of every call."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._seen: dict[Any, _Seen] = {}
        self._made: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._theirs: weakref.WeakSet[Any] = weakref.WeakSet()
        """Functions that TensorFlow makes for itself at each call, as `tf.vectorized_map` does."""

    def attach(self, patches: Patches) -> None:
        """Stays for the whole run; a call that was not traced costs one addition."""
        detector = getattr(polymorphic_function, "_FrequentTracingDetectorManager", None)
        if detector is None:
            return  # another TensorFlow: nothing is said of retracing
        patches.replace(detector, "called_with_tracing", self._wrap_traced)
        patches.replace(detector, "called_without_tracing", self._wrap_untraced)
        patches.replace(polymorphic_function.Function, "__init__", self._wrap_init)

    def _wrap_init(self, original: _Call) -> _Call:
        def __init__(function: Any, *args: Any, **kwargs: Any) -> None:
            original(function, *args, **kwargs)
            try:
                self._made[function] = self.recorder.session.stacks.capture(sys._getframe(1))
                self._numbers[function] = self.recorder.session.tick()
                if _made_by_tensorflow(sys._getframe(1)):
                    self._theirs.add(function)
            except Exception as trouble:
                self.recorder.trouble(trouble)

        return __init__

    def _wrap_untraced(self, original: _Call) -> _Call:
        seen = self._seen

        def called_without_tracing(manager: Any, key: Any) -> None:
            if key in seen:
                seen[key].calls += 1
            original(manager, key)

        return called_without_tracing

    def _wrap_traced(self, original: _Call) -> _Call:
        def called_with_tracing(manager: Any, key: Any, function_name: Any, omit_warning: Any) -> None:
            original(manager, key, function_name, omit_warning)
            try:
                self._traced(key, function_name, sys._getframe(1))
            except Exception as trouble:
                self.recorder.trouble(trouble)

        return called_with_tracing

    def _traced(self, key: Any, python_function: Any, frame: Any) -> None:
        function = frame.f_locals.get("self")
        if function in self._theirs:
            return
        given = _described((frame.f_locals.get("args", ()), frame.f_locals.get("kwds", {})))
        seen = self._seen.setdefault(key, _Seen())
        seen.calls += 1
        if (self._number(function), given) in seen.eagerly:
            seen.eagerly.discard((self._number(function), given))
        else:
            self._count(seen, function, python_function, given, self.recorder.session.stacks.capture(frame))
        if seen.event is not None:
            seen.event.body = _body(python_function)

    def ran_eagerly(self, function: Any, args: Any, kwargs: Any, stack: int) -> None:
        """A function was called that would have been traced if it were not for us."""
        key = getattr(function, "_key_for_call_stats", None)
        if key is None or function in self._theirs:
            return  # another TensorFlow, or its own affair
        seen = self._seen.setdefault(key, _Seen())
        seen.calls += 1
        given = () if _signature(function) else _described((args, kwargs))
        if (self._number(function), given) not in seen.eagerly:
            seen.eagerly.add((self._number(function), given))
            self._count(seen, function, function._python_function, given, stack)

    def _count(self, seen: _Seen, function: Any, python_function: Any, given: tuple[Any, ...], stack: int) -> None:
        recorder = self.recorder
        if seen.event is None:
            name = getattr(python_function, "__name__", "function")
            seen.event = Retrace(recorder.session.tick(), name, stack, 0, 0)
            recorder.recording.retraces.append(seen.event)
        elif self._number(function) != seen.maker:
            seen.event.reason = "new function"
            seen.event.stack = self._made.get(function, stack)
        else:
            seen.event.reason = _difference(seen.given, given)
            seen.event.stack = stack
        seen.event.count += 1
        seen.event.calls = seen.event.last = seen.calls
        seen.maker, seen.given = self._number(function), given

    def _number(self, function: Any) -> int:
        """Tells functions apart, also those that are gone; one that was there before us has its address."""
        return self._numbers.get(function, -id(function))

    def finish(self) -> None:
        """The last counts; a function that settled down was called many times more."""
        for seen in self._seen.values():
            if seen.event is not None:
                seen.event.calls = seen.calls


def _made_by_tensorflow(frame: FrameType | None) -> bool:
    """Whether the call that makes a function stands in TensorFlow itself; Keras makes those of its models for users."""
    while frame is not None and any(part in frame.f_code.co_filename for part in _DECORATING):
        frame = frame.f_back
    return frame is not None and "/tensorflow/python/" in frame.f_code.co_filename


def _body(python_function: Any) -> tuple[str, int, int] | None:
    while hasattr(python_function, "__wrapped__"):
        python_function = python_function.__wrapped__
    code = getattr(getattr(python_function, "__func__", python_function), "__code__", None)
    if code is None:
        return None
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return code.co_filename, code.co_firstlineno, max(lines, default=code.co_firstlineno)


def _signature(function: Any) -> Any:
    return getattr(function, "input_signature", None) or getattr(function, "_input_signature", None)


def _described(given: Any) -> tuple[Any, ...]:
    """What TensorFlow tells calls apart by, without the tensors."""
    found: list[Any] = []
    for leaf in nest.flatten(given):
        shape = getattr(leaf, "shape", None)
        if isinstance(leaf, bool | int | float | str | bytes | None.__class__):
            found.append(("number", leaf))
        elif shape is not None:
            found.append(("shape", str(shape), str(getattr(leaf, "dtype", ""))))
        else:
            found.append(("object", id(leaf)))
    return tuple(found)


def _difference(before: tuple[Any, ...], now: tuple[Any, ...]) -> str:
    if len(before) != len(now):
        many = [sum(kind == "number" for kind, *_ in given) for given in (before, now)]
        # A list of Python numbers, one longer than the other: each number is part of what the trace is for.
        listed = abs(many[0] - many[1]) == abs(len(before) - len(now)) and min(many) > 1
        return f"number a list of {many[0]} then one of {many[1]}" if listed else "other arguments"
    for old, new in zip(before, now, strict=True):
        if old != new:
            if old[0] == new[0] == "number":
                return f"number {old[1]} then {new[1]}"
            return f"shape {old[1]} then {new[1]}" if old[0] == new[0] == "shape" else "object"
    return ""
