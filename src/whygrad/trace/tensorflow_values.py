"""Numbers for eager tensors.

A value is known by the tensor that the program holds, which is not kept alive. One that was never seen is data that
enters here, or a variable that TensorFlow has read without telling.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops
from tensorflow.python.pywrap_tfe import TFE_Py_TapeSetIsStopped

from whygrad.flow.operations import Value
from whygrad.trace import tensorflow_vocabulary as words
from whygrad.trace.tensorflow_variables import ResourceVariable

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor

LOOKED_AT = 4096
"""Numbers of a tensor that are read."""
_RESOURCE = 20


class Values:
    """Which tensor is which value."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._next = 0

    def fresh(self) -> int:
        """A number nobody has: values and variables share one count."""
        number = self._next
        self._next = number + 1
        return number

    def new(self, tensor: Any) -> int:
        """A number for a tensor that was just made."""
        number = self._next
        self._next = number + 1
        floating = tensor._datatype_enum() in words.FLOATING
        self._known[tensor._id] = (weakref.ref(tensor), number)
        self.recorder.recording.values[number] = Value(number, tensor._shape_tuple(), floating, floating)
        return number

    def alias(self, tensor: Any, number: int) -> None:
        """Another tensor object with the same content."""
        self._known[tensor._id] = (weakref.ref(tensor), number)

    def known(self, tensor: Any) -> int | None:
        """The number of a tensor that was seen before."""
        entry = self._known.get(tensor._id)
        return entry[1] if entry is not None else None

    def of(self, tensor: Any, stack: int) -> int:
        """The number of a tensor; one that was never seen is data that enters here."""
        entry = self._known.get(tensor._id)
        if entry is not None:
            return entry[1]
        number = self.new(tensor)
        op = self.recorder.add("tensor data", "enter", (), (number,), stack, False)
        self.recorder.numbers.of_call(op, "", (), (tensor,))
        value = self.recorder.recording.values[number]
        if value.floating or value.shape:  # an axis or an index is no data that came back
            self.recorder.exits.entered(op.at, self.content_of(tensor), weak=not (value.floating and value.shape))
        return number

    def content_of(self, tensor: Any, most: int = LOOKED_AT) -> Any:
        """The numbers of a tensor, if they are few enough to be read."""
        value = self.recorder.recording.values[self._known[tensor._id][1]]
        size = 1
        for length in value.shape:
            size *= length or 0
        return tensor._numpy_internal() if value.floating and size <= most and tensor._datatype_enum() != 21 else None

    def inputs(self, tensors: Iterable[Any], stack: int, frame: FrameType) -> list[int]:
        """Numbers of an operation's inputs; a variable's handle stands for its content."""
        numbers = []
        for tensor in tensors:
            if not isinstance(tensor, EagerTensor):
                continue
            if tensor._datatype_enum() == _RESOURCE:
                store = self.recorder.variables.at_handle(tensor, frame)
                if store.reference is not None:
                    numbers.append(self.recorder.variables.read(store))
            elif tensor._id in self._known:
                numbers.append(self._known[tensor._id][1])
            else:
                numbers.append(self._read_unseen(tensor, frame, stack) or self.of(tensor, stack))
        return numbers

    def _read_unseen(self, tensor: Any, frame: FrameType, stack: int) -> int | None:
        """A `tf.Variable` given straight to an operation is read in C++, unseen: it is among the caller's arguments."""
        code, shape, dtype = frame.f_code, tensor._shape_tuple(), tensor._datatype_enum()
        local, variables = frame.f_locals, self.recorder.variables
        for name in code.co_varnames[: code.co_argcount]:
            given = local.get(name)
            for thing in given if isinstance(given, list | tuple) else (given,):
                if not isinstance(thing, ResourceVariable) or thing.dtype.as_datatype_enum != dtype:
                    continue
                store = variables.store_of(thing)
                if store is None or self.recorder.recording.values[variables.read(store)].shape != shape:
                    continue
                number, content = self.new(tensor), variables.read(store)
                self.recorder.add("read_value", "compute", (content,), (number,), stack, True, "", in_stop(frame))
                return number
        return None

    def alive(self) -> set[int]:
        """The values that the program still holds."""
        self._known = {k: entry for k, entry in self._known.items() if entry[0]() is not None}
        alive = {number for _, number in self._known.values()}
        alive.update(store.content for store in self.recorder.variables.stores.values() if store.content is not None)
        return alive


def tensors_in(thing: Any, depth: int = 0) -> Iterator[Any]:
    """Tensors in nested arguments."""
    if isinstance(thing, EagerTensor):
        yield thing
    elif depth < 4:
        if isinstance(thing, list | tuple):
            for item in thing[:1024]:
                yield from tensors_in(item, depth + 1)
        elif isinstance(thing, dict):
            for item in thing.values():
                yield from tensors_in(item, depth + 1)


_WRAPPERS = frozenset({"error_handler", "op_dispatch_handler", "wrapper", "tf_wrapper"})


def asks_to_stop(frame: FrameType | None, is_user: Callable[[FrameType | None], bool]) -> bool:
    """Whether the program itself calls for a stop, and not a function of TensorFlow for its own ends (`logsumexp`)."""
    outermost = ""
    while frame is not None and not is_user(frame):
        if frame.f_code.co_name not in _WRAPPERS:
            outermost = frame.f_code.co_name
        frame = frame.f_back
    return frame is None or "stop_gradient" in outermost


def in_stop(frame: FrameType | None) -> bool:
    """Whether a variable is read only to be given to `tf.stop_gradient`."""
    if not TFE_Py_TapeSetIsStopped():
        return False
    for _ in range(8):
        if frame is None:
            return False
        if frame.f_code.co_name == "stop_gradient":
            return True
        frame = frame.f_back
    return False
