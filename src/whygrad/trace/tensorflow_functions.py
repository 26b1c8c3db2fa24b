"""Functions that TensorFlow treats as one thing: `tf.function`, `tf.custom_gradient`, `tf.py_function`, threads."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import numpy
import tensorflow
from tensorflow.python.eager import context
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import ops, tensor_conversion
from tensorflow.python.framework import tensor as tensor_module
from tensorflow.python.ops import custom_gradient, script_ops
from tensorflow.python.util import nest, tf_decorator

from whygrad.flow.operations import Value
from whygrad.trace.patches import Patches
from whygrad.trace.tensorflow_values import tensors_in
from whygrad.trace.user_line import SKIP, classify

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor
_Call = Callable[..., Any]
_RESOURCE = 20
_TENSORFLOW = os.path.dirname(os.path.abspath(tensorflow.__file__)) + os.sep
_ONLY_COMPILED = tuple(
    os.sep + os.path.join(*parts)
    for parts in (("keras", "src", "backend", "tensorflow", "nn.py"), ("layers", "convolutional", "base_conv.py"))
)
"""Where Keras compiles what TensorFlow cannot do on a CPU otherwise: convolutions in groups."""


class Functions:
    """Makes their bodies visible, or writes them down as one operation."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._framework_made: dict[int, bool] = {}
        self._given: list[list[int]] = []
        self._made: list[int] | None = None
        self.read_inside: dict[int, None] | None = None
        """In a `numpy_function`: the contents of variables that its body has read so far."""
        self._inside = False
        self.runs_compiled = False
        """Whether the program has compiled functions, which run eagerly for as long as we look."""
        self.new_tape = False
        """Whether a function that we never looked into was compiled after we had let go, with a tape in it."""
        self._looked_into: set[CodeType | None] = set()
        self._unknown = False
        """Whether the call that is under way is of a function that we never looked into."""

    def attach(self, patches: Patches) -> None:
        """Stays after the recorder has let go: a training step that is compiled later is worth a look."""
        patches.replace(polymorphic_function.Function, "__call__", self._wrap_late_call)

    def attach_deep(self, patches: Patches) -> None:
        """Wrap what would hide a function's body."""
        patches.replace(polymorphic_function.Function, "__call__", self._wrap_function)
        patches.replace(custom_gradient, "_eager_mode_decorator", self._wrap_custom_gradient)
        patches.replace(script_ops, "py_func_common", self._wrap_numpy_function)
        patches.replace(script_ops, "_internal_py_func", self._wrap_internal_py_func)
        patches.replace(script_ops.EagerFunc, "__call__", self._wrap_eager_func)
        patches.replace(threading.Thread, "_bootstrap_inner", self._wrap_thread)

    # --- tf.function --------------------------------------------------------------------------------------------

    def _wrap_late_call(self, original: _Call) -> _Call:
        """Tracing showed the tape: from the next call on the first updates are looked at."""

        def __call__(function: Any, *args: Any, **kwargs: Any) -> Any:
            if self.recorder.deep:
                return original(function, *args, **kwargs)
            if self.new_tape and self._begins_again():
                return function(*args, **kwargs)  # by the wrapper that has just been put in place
            was = self._unknown
            self._unknown = was or _code_of(function._python_function) not in self._looked_into
            try:
                return original(function, *args, **kwargs)
            finally:
                self._unknown = was

        return __call__

    def compiled_a_tape(self) -> None:
        """A tape is opened in what is being compiled. Its lines are not the program's: AutoGraph has rewritten them."""
        self.new_tape = self.new_tape or (self._unknown and not self.recorder.deep)

    def _begins_again(self) -> bool:
        recorder = self.recorder
        try:
            if recorder.deep or not context.executing_eagerly() or recorder.local.busy:
                return False
            self.new_tape = False
            if not recorder.session.may_deepen():
                return False
            recorder.deepen()
            return recorder.deep
        except Exception as trouble:
            recorder.trouble(trouble)
            return False

    def _wrap_function(self, original: _Call) -> _Call:
        """Run the body eagerly. The program's own `run_functions_eagerly` stays as it is: Keras would notice."""

        def __call__(function: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.recorder.active() or self._is_framework_made(function._python_function):
                return original(function, *args, **kwargs)
            self.runs_compiled = True
            if not self.recorder.ring.running:
                self._looked_into.add(_code_of(function._python_function))
            else:  # the first one: it is compiled as it would be without us
                self.recorder.let_go()
                return function(*args, **kwargs)
            outermost, self._inside = not self._inside, True
            try:
                if outermost and _is_own(function._python_function):
                    stack = self.recorder.session.stacks.capture(sys._getframe(1))
                    self.recorder.retraces.ran_eagerly(function, args, kwargs, stack)
                args, kwargs = _as_traced(function, args, kwargs)
            except Exception as trouble:
                self.recorder.trouble(trouble)
            try:
                return function._python_function(*args, **kwargs)
            except Exception as refusal:
                if not _refuses_eager(refusal):
                    raise
                self._leave_compiled(function._python_function, refusal)
            finally:
                self._inside = not outermost
            return original(function, *args, **kwargs)

        return __call__

    def _leave_compiled(self, python_function: Any, refusal: Exception) -> None:
        """From here on a function runs as it would without us, as one operation: `tf.gradients` wants a graph."""
        code = _code_of(python_function)
        if code is not None:
            self._framework_made[id(code)] = True
        self.recorder.session.notes.append(
            f"whygrad cannot look into {getattr(code, 'co_name', 'a function')}(), which only works compiled: {refusal}"
        )

    def _is_framework_made(self, python_function: Any) -> bool:
        """TensorFlow's own graph functions (vectorized_map, jacobian) cannot run eagerly, nor can Keras's of one op."""
        code = _code_of(python_function)
        if code is None:
            return False
        known = self._framework_made.get(id(code))
        if known is None:
            file = os.path.abspath(code.co_filename)
            known = self._framework_made[id(code)] = file.startswith(_TENSORFLOW) or file.endswith(_ONLY_COMPILED)
        return known

    # --- tf.custom_gradient, tf.recompute_grad ------------------------------------------------------------------

    def _wrap_custom_gradient(self, original: _Call) -> _Call:
        def _eager_mode_decorator(f: Any, args: Any, kwargs: Any) -> Any:
            recorder = self.recorder
            if not recorder.active():
                return original(f, args, kwargs)
            first = recorder.session.now()
            result = original(f, args, kwargs)
            try:
                with recorder.lock:
                    self._note_custom(f, args, kwargs, result, first, sys._getframe(1))
            except Exception as trouble:
                recorder.trouble(trouble)
            return result

        return _eager_mode_decorator

    def _note_custom(self, f: Any, args: Any, kwargs: Any, result: Any, first: int, frame: FrameType) -> None:
        """One differentiable operation over its arguments and the variables it reads.

        Tensors it captures from around it take part in the result, but its gradient function cannot name them.
        """
        recorder = self.recorder
        outputs = [t for t in nest.flatten(result) if isinstance(t, EagerTensor)]
        if not outputs:
            return
        stack = recorder.session.stacks.capture(frame)
        values, ops_seen = recorder.recording.values, recorder.recording.ops
        inside = []
        for at in reversed(ops_seen):
            if at < first:
                break
            inside.append(ops_seen[at])
        made = {value for op in inside for value in op.outputs}
        taken = dict.fromkeys(i for op in reversed(inside) for i in op.inputs if i not in made)
        given = [recorder.values.of(t, stack) for t in tensors_in([args, kwargs])]
        read = [v for v in taken if values[v].variable is not None]
        carrying = dict.fromkeys([*given, *read])
        captured = [v for v in taken if v not in carrying and values[v].floating]
        inputs = list(carrying)
        if captured:
            hidden = recorder.values.fresh()
            values[hidden] = Value(hidden, (), True, True)
            recorder.add("captured by custom_gradient", "opaque", captured, (hidden,), stack, False)
            inputs.append(hidden)
        numbers = tuple(recorder.values.new(t) for t in outputs)
        name = getattr(f, "__name__", "custom_gradient")
        recorder.add(name, "compute", inputs, numbers, stack, True, "custom_gradient")

    # --- tf.numpy_function, tf.py_function ----------------------------------------------------------------------

    def _wrap_numpy_function(self, original: _Call) -> _Call:
        def py_func_common(func: Any, inp: Any, *args: Any, **kwargs: Any) -> Any:
            recorder = self.recorder
            if not recorder.active():
                return original(func, inp, *args, **kwargs)
            outer, self.read_inside = self.read_inside, {}
            try:
                with recorder.quiet():
                    result = original(func, inp, *args, **kwargs)
            finally:
                read, self.read_inside = self.read_inside, outer
            try:
                with recorder.lock:
                    stack = recorder.session.stacks.capture(sys._getframe(1))
                    given = list(dict.fromkeys([*self._numbers(inp, stack), *(read or ())]))
                    made = tuple(recorder.values.new(t) for t in tensors_in(result))
                    recorder.add("numpy_function", "enter", given, made, stack, False, getattr(func, "__name__", ""))
            except Exception as trouble:
                recorder.trouble(trouble)
            return result

        return py_func_common

    def peek(self, inputs: Any, frame: FrameType) -> None:
        """An operation inside a `numpy_function`: which variables does it read?"""
        if self.read_inside is None:
            return
        for tensor in inputs:
            if isinstance(tensor, EagerTensor) and tensor._datatype_enum() == _RESOURCE:
                store = self.recorder.variables.at_handle(tensor, frame)
                if store.reference is not None:
                    self.read_inside[self.recorder.variables.read(store)] = None

    def _numbers(self, things: Any, stack: int) -> list[int]:
        recorder = self.recorder
        numbers = []
        for thing in things if isinstance(things, list | tuple) else [things]:
            store = recorder.variables.store_of(thing)
            if store is not None:
                numbers.append(recorder.variables.read(store))
            elif isinstance(thing, EagerTensor):
                numbers.append(recorder.values.of(thing, stack))
        return numbers

    def _wrap_internal_py_func(self, original: _Call) -> _Call:
        """`tf.py_function`: what is given outside is what arrives inside, as another tensor object."""

        def _internal_py_func(func: Any, inp: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.recorder.active():
                return original(func, inp, *args, **kwargs)
            pushed = False
            try:
                stack = self.recorder.session.stacks.capture(sys._getframe(1))
                self._given.append(self._numbers(inp, stack))
                pushed = True
            except Exception as trouble:
                self.recorder.trouble(trouble)
            try:
                return original(func, inp, *args, **kwargs)
            finally:
                if pushed:
                    self._given.pop()

        return _internal_py_func

    def _wrap_eager_func(self, original: _Call) -> _Call:
        def __call__(function: Any, device: Any, token: Any, args: Any) -> Any:
            recorder = self.recorder
            watching = recorder.active() and bool(self._given)
            if watching:
                for tensor, number in zip(args, self._given[-1], strict=False):
                    if isinstance(tensor, EagerTensor):
                        recorder.values.alias(tensor, number)
            since = recorder.session.now()
            result = original(function, device, token, args)
            if watching:
                try:
                    stack = recorder.session.stacks.capture(sys._getframe(1))
                    self._made = [recorder.values.of(t, stack) for t in tensors_in(result)]
                    self._came_back(since)
                except Exception as trouble:
                    recorder.trouble(trouble)
            return result

        return __call__

    def _came_back(self, since: int) -> None:
        """Results that are data of Python or NumPy became tensors when the body was over."""
        recorder, made = self.recorder, set(self._made or ())
        for at in reversed(recorder.recording.ops):
            if at < since:
                break
            op = recorder.recording.ops[at]
            if op.kind == "enter" and made.intersection(op.outputs):
                recorder.exits.came_back(since, at)

    def returned(self, outputs: Any) -> bool:
        """The outputs of a `py_function` are what its body made."""
        made, self._made = self._made, None
        if made is None or len(made) != len(outputs):
            return False
        for tensor, number in zip(outputs, made, strict=True):
            self.recorder.values.alias(tensor, number)
        return True

    # --- threads ------------------------------------------------------------------------------------------------

    def _wrap_thread(self, original: _Call) -> _Call:
        """Callbacks belong to the thread that added them: a thread that starts while we look gets its own."""

        def _bootstrap_inner(thread: Any) -> Any:
            if self.recorder.deep:
                context.context().add_op_callback(self.recorder._callback)
            return original(thread)

        return _bootstrap_inner


def _code_of(python_function: Any) -> CodeType | None:
    """The code of what the program has written, inside of what it was wrapped in."""
    inner = python_function
    for _ in range(8):
        wrapped = getattr(inner, "__wrapped__", None) or tf_decorator.unwrap(inner)[1]
        wrapped = getattr(wrapped, "func", wrapped)  # functools.partial
        wrapped = getattr(wrapped, "__func__", wrapped)
        if wrapped is inner:
            break
        inner = wrapped
    return getattr(inner, "__code__", None)


def _refuses_eager(error: Exception) -> bool:
    """Whether TensorFlow says that something is for graphs alone: such a function must stay compiled."""
    return "eager execution" in str(error) or "eager mode" in str(error)


def _is_own(python_function: Any) -> bool:
    """A function of the program or of a library: Keras gives its own a new iterator each time, and traces once."""
    _, inner = tf_decorator.unwrap(python_function)
    inner = getattr(getattr(inner, "__wrapped__", inner), "__func__", inner)
    code = getattr(inner, "__code__", None)
    return code is not None and classify(code.co_filename) != SKIP


def _as_traced(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """NumPy arguments become tensors, as they would if the function were compiled."""
    signature = getattr(function, "input_signature", None) or getattr(function, "_input_signature", None)
    if signature:
        args = tuple(
            _converted(arg, signature[index].dtype)
            if index < len(signature) and isinstance(signature[index], tensor_module.TensorSpec)
            else arg
            for index, arg in enumerate(args)
        )
    if any(isinstance(leaf, numpy.ndarray | numpy.generic) for leaf in nest.flatten([args, kwargs])):
        args, kwargs = nest.map_structure(_converted, (args, kwargs))
    return args, kwargs


def _converted(thing: Any, dtype: Any = None) -> Any:
    if isinstance(thing, numpy.ndarray | numpy.generic) or (
        dtype is not None and isinstance(thing, int | float | list)
    ):
        return tensor_conversion.convert_to_tensor_v2_with_dispatch(thing, dtype_hint=dtype, dtype=dtype)
    return thing
