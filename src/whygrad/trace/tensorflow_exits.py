"""Where tensors become NumPy or Python data, and where data become tensors.

NumPy reads an eager tensor through the buffer protocol, which no wrapper on the tensor sees. So NumPy's own doors are
watched too, as long as the recorder looks: `__array_function__` for its functions, `__array_wrap__` for its ufuncs, and
`array`, `asarray` and their kin by name. None of them changes a result.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy
from tensorflow.python.framework import constant_op, ops
from tensorflow.python.util import nest

from whygrad.flow.events import Failure
from whygrad.flow.operations import Value
from whygrad.trace.patches import Patches
from whygrad.trace.tensorflow_numbers import look_at_batch
from whygrad.trace.tensorflow_values import tensors_in
from whygrad.trace.user_line import SKIP, classify

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor
_Call = Callable[..., Any]
_classify = functools.lru_cache(maxsize=4096)(classify)
_METHODS = ("numpy", "__array__", "__float__", "__int__", "__index__", "__complex__")
_CONVERTERS = ("array", "asarray", "asanyarray", "ascontiguousarray")
_PREDICT = ("predict", "predict_on_batch")
_MAKERS = frozenset({
    "constant", "convert_to_tensor", "cast", "identity", "array", "stack", "convert_to_tensor_v2_with_dispatch",
    "_as_traced",
})  # fmt: skip
_WRAPPERS = frozenset({"wrapper", "error_handler", "op_dispatch_handler", "tf_wrapper", "convert_to_eager_tensor"})


class Doors:
    """Wraps the ways out and in."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder

    def attach_deep(self, patches: Patches) -> None:
        """Watch the doors while operations are watched."""
        base = ops._EagerTensorBase
        for method in _METHODS:
            patches.replace(base, method, self._way_out(method))
        patches.replace(constant_op, "convert_to_eager_tensor", self._wrap_convert)
        for name in _CONVERTERS:
            patches.replace(numpy, name, self._wrap_converter)
        patches.add(base, "__array_function__", self._array_function())
        patches.add(base, "__array_wrap__", self._array_wrap())

    def attach_keras(self, package: Any, patches: Patches) -> None:
        """`predict` returns NumPy arrays."""
        name = package.__name__
        for module, owner in (("backend.tensorflow.trainer", "TensorFlowTrainer"), ("engine.training", "Model")):
            try:
                model = getattr(importlib.import_module(f"{name}.src.{module}"), owner)
            except ImportError:
                continue
            for method in _PREDICT:
                patches.replace(model, method, self._predicts(method))

    # --- out ----------------------------------------------------------------------------------------------------

    def left(self, name: str, tensors: list[Any], result: Any, frame: FrameType) -> None:
        """Write down that these tensors became Python or NumPy data."""
        recorder = self.recorder
        try:
            with recorder.lock:
                stack = recorder.session.stacks.capture(frame)
                inputs = [recorder.values.of(t, stack) for t in tensors if t._datatype_enum() not in (7, 20, 21)]
                if inputs:
                    op = recorder.add(name, "leave", inputs, (), stack, False)
                    recorder.exits.left(op.at, result, follow=not _lists_weights(frame))
        except Exception as trouble:
            recorder.trouble(trouble)

    def _way_out(self, name: str) -> Callable[[_Call], _Call]:
        def wrap(original: _Call) -> _Call:
            def leave(tensor: Any, *args: Any, **kwargs: Any) -> Any:
                if not self.recorder.active():
                    return original(tensor, *args, **kwargs)
                with self.recorder.quiet():
                    result = original(tensor, *args, **kwargs)
                self.left(name, [tensor], result, sys._getframe(1))
                return result

            return leave

        return wrap

    def _wrap_converter(self, original: _Call) -> _Call:
        def convert(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if args and isinstance(args[0], EagerTensor | list | tuple) and self.recorder.active():
                tensors = [args[0]] if isinstance(args[0], EagerTensor) else _listed(args[0])
                if tensors:
                    self.left("numpy", tensors, result, sys._getframe(1))
            return result

        return convert

    def _array_function(self) -> _Call:
        def __array_function__(tensor: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
            if hasattr(EagerTensor, func.__name__):  # np.shape and its kin ask the tensor itself
                return func._implementation(*args, **kwargs)
            tensors = list(tensors_in([args, kwargs]))
            with self.recorder.quiet():
                args, kwargs = nest.map_structure(_as_array, (args, kwargs))
            result = func._implementation(*args, **kwargs)
            if self.recorder.active():
                self.left(f"np.{func.__name__}", tensors, result, sys._getframe(1))
            return result

        return __array_function__

    def _array_wrap(self) -> _Call:
        def __array_wrap__(tensor: Any, array: Any, context: Any = None, return_scalar: Any = None) -> Any:
            scalar = not array.ndim if return_scalar is None else return_scalar
            result = array[()] if scalar else array
            if self.recorder.active():
                name = f"np.{context[0].__name__}" if context else "numpy"
                given = [t for t in context[1] if isinstance(t, EagerTensor)] if context else [tensor]
                self.left(name, given, result, sys._getframe(1))
            return result

        return __array_wrap__

    # --- in -----------------------------------------------------------------------------------------------------

    def _wrap_convert(self, original: _Call) -> _Call:
        def convert_to_eager_tensor(value: Any, ctx: Any, dtype: Any = None) -> Any:
            recorder = self.recorder
            if not recorder.active() or isinstance(value, EagerTensor):
                return original(value, ctx, dtype)
            with recorder.quiet():
                result = original(value, ctx, dtype)
            try:
                with recorder.lock:
                    frame = sys._getframe(1)
                    stack = recorder.session.stacks.capture(frame)
                    sources = [recorder.values.of(t, stack) for t in tensors_in(value)]
                    number = recorder.values.new(result)
                    maker = _maker(frame)
                    op = recorder.add(maker or "tensor data", "enter", sources, (number,), stack, False)
                    # An axis or an index is no data that came back.
                    if maker or recorder.recording.values[number].floating:
                        if isinstance(value, numpy.ndarray) and value.ndim > 1:
                            recorder.recording.values[number].numbers = look_at_batch(value)
                        recorder.exits.entered(op.at, value, weak=not maker and not result._shape_tuple())
            except Exception as trouble:
                recorder.trouble(trouble)
            return result

        return convert_to_eager_tensor

    # --- Keras --------------------------------------------------------------------------------------------------

    def _predicts(self, name: str) -> Callable[[_Call], _Call]:
        def wrap(original: _Call) -> _Call:
            def predict(model: Any, *args: Any, **kwargs: Any) -> Any:
                if not self.recorder.active():
                    return original(model, *args, **kwargs)
                try:
                    with self.recorder.quiet():
                        result = original(model, *args, **kwargs)
                except Exception as error:
                    self._note_failure(name, error, sys._getframe(1))
                    raise
                try:
                    with self.recorder.lock:
                        self._note_predict(name, model, args, kwargs, result, sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)
                return result

            return predict

        return wrap

    def _note_failure(self, name: str, error: Exception, frame: FrameType) -> None:
        """Keras 2 cannot predict inside a tape: it looks for the gradient of a data iterator."""
        recorder = self.recorder
        if recorder.local.tapes:
            stack = recorder.session.stacks.capture(frame)
            failure = Failure(recorder.session.tick(), name, f"{type(error).__name__}: {error}", stack)
            recorder.recording.failures.append(failure)
            recorder.look_for_names(frame)

    def _note_predict(self, name: str, model: Any, args: Any, kwargs: Any, result: Any, frame: FrameType) -> None:
        """One operation at the user's line: from the model's weights and its input to an array."""
        recorder = self.recorder
        stack = recorder.session.stacks.capture(frame)
        stores = [recorder.variables.store_of(v) for v in model.trainable_variables]
        inputs = [recorder.variables.read(store) for store in stores if store is not None]
        given = nest.flatten(args[0] if args else kwargs.get("x"), expand_composites=False)
        for item in given:
            if isinstance(item, EagerTensor):
                inputs.append(recorder.values.of(item, stack))
            elif isinstance(item, numpy.ndarray):
                number = recorder.values.fresh()
                floating = item.dtype.kind in "fc"
                value = Value(number, item.shape, floating, floating, numbers=look_at_batch(item))
                recorder.recording.values[number] = value
                entry = recorder.add("predict input", "enter", (), (number,), stack, False)
                recorder.exits.entered(entry.at, item)
                inputs.append(number)
        op = recorder.add(name, "leave", inputs, (), stack, False)
        for array in nest.flatten(result):
            recorder.exits.left(op.at, array)


def _lists_weights(frame: FrameType | None) -> bool:
    """`get_weights()`: whoever reads all the weights copies or saves them, and mostly does not compute with them."""
    for _ in range(6):
        if frame is None:
            return False
        if frame.f_code.co_name == "get_weights":
            return True
        frame = frame.f_back
    return False


def _as_array(thing: Any) -> Any:
    return numpy.asarray(thing) if isinstance(thing, EagerTensor) else thing


def _listed(things: Any) -> list[Any]:
    """Tensors in a list, looking no deeper than two levels and no further than it takes to see there are none."""
    found = [t for t in things if isinstance(t, EagerTensor)]
    if not found and things and isinstance(things[0], list | tuple):
        found = [t for part in things if isinstance(part, list | tuple) for t in part if isinstance(t, EagerTensor)]
    return found


def _maker(frame: FrameType | None) -> str:
    """The function that made a tensor from data, if a user called it; empty for a framework's own arguments."""
    name = ""
    while frame is not None and _classify(frame.f_code.co_filename) == SKIP:
        if frame.f_code.co_name not in _WRAPPERS:
            name = frame.f_code.co_name
        frame = frame.f_back
    return name if name in _MAKERS else ""
