"""What TensorFlow's tensors contain: a cheap look at each result, a dearer one where something is not finite or flat.

An eager tensor on the CPU shows its memory to NumPy without an operation, so nothing here is seen by the callbacks,
by a tape or by the program.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy
from tensorflow.python.eager import context, record
from tensorflow.python.framework import ops

from whygrad.flow.events import Reading, Step
from whygrad.flow.operations import Numbers, Op, Units
from whygrad.trace.updates import Updates

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor

SAME_CONTENT = frozenset(
    {"Reshape", "Identity", "Squeeze", "ExpandDims", "StopGradient", "Transpose", "PreventGradient"}
)
"""Operations whose result contains what their first input contains, where the sizes agree."""

SINGULAR = frozenset({
    "Sqrt", "Rsqrt", "Log", "RealDiv", "Div", "Reciprocal", "Inv", "Pow", "Acos", "Asin", "Atan2", "Xlogy", "Xdivy",
})  # fmt: skip
"""Operations whose derivative is infinite somewhere; whether their inputs contain a zero is counted."""

_COMPARES = frozenset({"Sub", "SquaredDifference"})
_GARBAGE = frozenset({"Empty"})
_FLOATS = frozenset({1, 2, 14, 19})
_SOFTMAX = frozenset({"Softmax", "LogSoftmax"})
_PICKS = frozenset({"Minimum", "Maximum"})
_WHOLE = 1 << 24
_FLAT = 1e-6
_SLIGHT = 1e-3
_EXACT_LOOKS = 200
_EVERY = 16
_READINGS = 512


class NumbersSeen:
    """Looks at results, gradients and weights while the recorder traces, and lightly after it has let go."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self._exact = 0
        self._light = 0
        self._broken = False
        self._bounds: dict[int, float] = {}

    # --- results ------------------------------------------------------------------------------------------------

    def of_call(self, op: Op, op_type: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """The content of an operation's results; of its inputs too, where it made something that is not finite."""
        if op_type in _GARBAGE:
            return
        values = self.recorder.recording.values
        finite = True
        for number, tensor in zip(op.outputs, outputs, strict=False):
            value = values[number]
            if not value.floating:
                continue
            known = values[op.inputs[0]].numbers if op_type in SAME_CONTENT and op.inputs else None
            if known is not None and values[op.inputs[0]].variable is None and known.size == _size(value.shape):
                value.numbers = known
            else:
                value.numbers = look(tensor)
            if value.numbers is not None and not value.numbers.finite:
                finite = False
        if (op_type in SINGULAR or not finite) and self._exact < _EXACT_LOOKS:
            self._look_at_inputs(inputs, every=not finite)
        made = values[op.outputs[0]].numbers if op.outputs else None
        if op_type in _COMPARES or (op_type == "Mul" and made is not None and made.all_zero):
            self._look_at_data(inputs)
        if op_type == "Pow":
            op.detail = op.detail or _exponent(inputs)
        if op.carries and outputs:
            self._look_for_flat(op, op_type, inputs, outputs[0], values[op.outputs[0]].numbers)

    def _look_at_data(self, inputs: Sequence[Any]) -> None:
        """What came from outside and is no operation's result: a weight of zeros, a target."""
        values = self.recorder.recording.values
        for tensor in inputs:
            number = self.recorder.values.known(tensor) if isinstance(tensor, EagerTensor) else None
            value = values.get(number) if number is not None else None
            if value is not None and value.floating and value.numbers is None and value.variable is None:
                value.numbers = look(tensor)

    def _look_at_inputs(self, inputs: Sequence[Any], every: bool) -> None:
        values = self.recorder.recording.values
        self._exact += every
        for tensor in inputs:
            number = self.recorder.values.known(tensor) if isinstance(tensor, EagerTensor) else None
            if number is None or number not in values:
                continue
            known = values[number].numbers
            if known is None or every:
                known = values[number].numbers = look(tensor)
            if known is not None and not known.zeros and known.low <= 0 <= known.high:
                content = _content(tensor)
                zeros = known.size - int(numpy.count_nonzero(content)) if content is not None else 0
                values[number].numbers = replace(known, zeros=zeros)

    # --- gradients and weights ----------------------------------------------------------------------------------

    def of_gradients(self, pairs: Iterable[tuple[int, Any]]) -> dict[int, Numbers]:
        """By variable: its gradient, or its weights."""
        found: dict[int, Numbers] = {}
        for number, gradient in pairs:
            tensor = gradient if isinstance(gradient, EagerTensor) else getattr(gradient, "values", None)
            content = _content(tensor) if isinstance(tensor, EagerTensor) else None
            if content is not None and content.size:
                found[number] = _measured(content)
        return found

    def of_variable(self, number: int, variable: Any) -> dict[int, Numbers]:
        """What a variable contains at this moment."""
        with self.recorder.quiet(), record.stop_recording():
            return self.of_gradients([(number, _read(variable))])

    def of_step(self, step: Step, optimizer: Any, pairs: Sequence[tuple[int, Any, Any]]) -> None:
        """What the optimizer is about to apply, and to what."""
        with self.recorder.quiet(), record.stop_recording():
            given = [(n, _read(g) if hasattr(g, "read_value") else g) for n, _, g in pairs if n in step.applied]
        step.gradients = self.of_gradients(given)
        with self.recorder.quiet(), record.stop_recording():
            step.weights = self.of_gradients((n, _read(v)) for n, v, _ in pairs if n in step.applied)
            step.rate = _rate(optimizer)

    # --- after letting go ---------------------------------------------------------------------------------------

    def glance(self, updates: Updates, optimizer: Any, gradients: Sequence[Any], frame: FrameType) -> None:
        """Now and then, one number for all gradients of an optimizer: NaN that comes once stays."""
        self._light += 1
        if self._light % _EVERY or not context.executing_eagerly():
            return
        readings = self.recorder.recording.readings
        if self._broken or len(readings) > _READINGS:
            return
        found = self.of_gradients(enumerate(gradients)).values()
        if not found:
            return
        self._broken = not all(n.finite for n in found)
        norm = math.nan if self._broken else math.sqrt(sum(n.norm**2 for n in found))
        session = self.recorder.session
        stack = session.stacks.capture(frame)
        readings.append(Reading(session.updates + 1, updates.number(optimizer), stack, norm, not self._broken))

    def last_glance(self) -> None:
        """At the end: whether the weights are still numbers (a compiled training step shows nothing on its way)."""
        recorder = self.recorder
        if self._broken or recorder.deep or not recorder.recording.steps or not context.executing_eagerly():
            return
        last = recorder.recording.steps[-1]
        with recorder.quiet(), record.stop_recording():
            stores = [recorder.variables.numbered.get(number) for number in last.applied]
            tensors = [s.reference() for s in stores if s is not None and s.reference is not None]
            found = self.of_gradients((i, _read(v)) for i, v in enumerate(tensors) if v is not None)
        if not all(n.finite for n in found.values()):
            recorder.recording.readings.append(
                Reading(recorder.session.updates, last.optimizer, last.stack, math.nan, False, at_end=True)
            )

    # --- functions with flat parts ------------------------------------------------------------------------------

    def _look_for_flat(self, op: Op, op_type: str, inputs: Sequence[Any], result: Any, numbers: Numbers | None) -> None:
        """How many units do nothing, and to which inputs no gradient passes because of the numbers."""
        if numbers is None or not numbers.finite or not op.inputs:
            return
        if op_type in ("Relu", "Relu6") and numbers.low == 0:
            alive = _by_unit(_content(result)).max(axis=0)
            op.units = Units(alive.size, dead=int((alive <= 0).sum()))
            op.flat = op.inputs[:1] if numbers.high <= 0 else ()
        elif op_type == "Tanh" and max(-numbers.low, numbers.high) > 1 - _FLAT:
            size = numpy.abs(_by_unit(_content(result)))
            flattest = size.min(axis=0)
            share = float((size > 1 - _SLIGHT / 2).mean())
            op.units = Units(flattest.size, saturated=int((flattest > 1 - _FLAT / 2).sum()), flat=share)
            op.flat = op.inputs[:1] if bool((flattest == 1).all()) else ()
        elif op_type == "Sigmoid" and (numbers.low < _FLAT or numbers.high > 1 - _FLAT):
            content = _by_unit(_content(result))
            slope = content * (1 - content)
            steepest = slope.max(axis=0)
            share = float((slope < _SLIGHT / 4).mean())
            op.units = Units(steepest.size, saturated=int((steepest < _FLAT).sum()), flat=share)
            op.flat = op.inputs[:1] if bool((steepest == 0).all()) else ()
        elif op_type in _SOFTMAX:
            content = _content(result)
            top = (numpy.exp(content) if op_type == "LogSoftmax" else content).max(axis=-1)
            sure = int((top >= 1).sum())
            op.units = Units(top.size, saturated=sure) if sure else None
            single = content.shape[-1] == 1
            op.flat = op.inputs[:1] if single or (sure == top.size and op_type == "Softmax") else ()
        elif op_type == "SoftmaxCrossEntropyWithLogits":
            op.flat = op.inputs[:1] if inputs[0].shape[-1] == 1 else ()
        elif op_type in _PICKS and len(inputs) == 2:
            self._look_at_pick(op, inputs, result)
        elif op_type in ("SelectV2", "Select") and len(op.inputs) == 3:
            condition = inputs[0]._numpy_internal()
            op.flat = op.inputs[2:] if condition.all() else () if condition.any() else op.inputs[1:2]

    def _look_at_pick(self, op: Op, inputs: Sequence[Any], result: Any) -> None:
        """`tf.clip_by_value` is a minimum and a maximum: what the first one cut does not pass the second either."""
        taken, sides = _content(result), [_content(tensor) for tensor in inputs]
        if taken is None or any(side is None for side in sides):
            return
        never = []
        for number, side in zip(op.inputs, sides, strict=True):
            passes = taken == side
            if number in self._bounds:
                passes = passes & (side != self._bounds[number])
            never.append(not passes.any())
        op.flat = tuple(number for number, unused in zip(op.inputs, never, strict=True) if unused)
        scalars = [float(side.item()) for side in sides if side.size == 1]
        if len(scalars) == 1:
            if len(self._bounds) > 1000:
                self._bounds.clear()
            self._bounds[op.outputs[0]] = scalars[0]


def look(tensor: Any) -> Numbers | None:
    """What a tensor contains; None where it holds no plain floats."""
    content = _content(tensor)
    return _look_at(content) if content is not None else None


def look_at_batch(content: Any) -> Numbers | None:
    """What a batch that the program brings contains, told well enough to know the same rows in another order."""
    numbers = (
        _look_at(content.astype(numpy.float32, copy=False)) if content.ndim and content.dtype.kind == "f" else None
    )
    if numbers is None or not numbers.finite or numbers.size > _WHOLE:
        return numbers
    with numpy.errstate(all="ignore"):
        norm = float(numpy.linalg.norm(content.astype(numpy.float64)))
    return replace(numbers, norm=float(f"{norm:.6g}"))


def _look_at(content: Any) -> Numbers | None:
    if not content.size:
        return None
    size = content.size
    if size > _WHOLE:
        content = content.reshape(-1)[:: size // (_WHOLE // 4)]
    low, high = float(numpy.minimum.reduce(content, axis=None)), float(numpy.maximum.reduce(content, axis=None))
    if math.isfinite(low) and math.isfinite(high):
        return Numbers(size, low, high, size if low == high == 0.0 else 0)
    return _counted(content, size)


def _counted(content: Any, size: int) -> Numbers:
    nans, infs = int(numpy.isnan(content).sum()), int(numpy.isinf(content).sum())
    rest = content[numpy.isfinite(content)]
    if not rest.size:
        return Numbers(size, 0.0, 0.0, 0, nans, infs)
    return Numbers(size, float(rest.min()), float(rest.max()), int((rest == 0).sum()), nans, infs)


def _measured(content: Any) -> Numbers:
    flat = content.reshape(-1)
    with numpy.errstate(all="ignore"):
        norm = math.sqrt(float(numpy.dot(flat, flat)))
    if math.isfinite(norm) and norm > 0:
        return Numbers(flat.size, -norm, norm, 0, norm=norm)
    low, high = float(flat.min()), float(flat.max())
    if math.isfinite(low) and math.isfinite(high):
        largest = max(abs(low), abs(high))
        return Numbers(flat.size, low, high, flat.size if not largest else 0, norm=largest * math.sqrt(flat.size))
    exact = _counted(flat, flat.size)
    return replace(exact, norm=max(abs(exact.low), abs(exact.high)))


def _content(tensor: Any) -> Any:
    """The numbers of an eager tensor, in NumPy's terms; half precisions are widened."""
    if not isinstance(tensor, EagerTensor) or tensor._datatype_enum() not in _FLOATS:
        return None
    content = tensor._numpy_internal()
    return content if content.dtype.itemsize >= 4 else content.astype(numpy.float32)


def _by_unit(content: Any) -> Any:
    """Rows of units: the last dimension is kept."""
    return content.reshape(-1, content.shape[-1]) if content.ndim > 1 else content.reshape(1, -1)


def _read(variable: Any) -> Any:
    plain = getattr(variable, "_value", None) if not hasattr(variable, "read_value") else variable
    return plain.read_value() if plain is not None and plain.dtype.is_floating else None


def _rate(optimizer: Any) -> float | None:
    for name in ("learning_rate", "_learning_rate", "_lr"):
        try:
            return float(getattr(optimizer, name))
        except (AttributeError, TypeError, ValueError):
            continue
    return None


def _exponent(inputs: Sequence[Any]) -> str:
    content = _content(inputs[1]) if len(inputs) > 1 else None
    return f"exponent {float(content.item()):g}" if content is not None and content.size == 1 else ""


def _size(shape: tuple[int | None, ...]) -> int:
    size = 1
    for length in shape:
        size *= length or 0
    return size
