"""What PyTorch's tensors contain: a cheap look at each result, a dearer one where something is not finite or flat.

Nothing here is seen by autograd, by the recorder or by other modes, and nothing draws a random number. A look that
a tensor does not allow (a fake one, one inside `vmap`, one on a stream that is being captured) is no look.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.flow.events import Reading, Step
from whygrad.flow.operations import Numbers, Op, Units
from whygrad.trace.torch_variables import tensors_in
from whygrad.trace.updates import Updates

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

SAME_CONTENT = frozenset({
    "view", "reshape", "t", "transpose", "permute", "unsqueeze", "squeeze", "flatten", "contiguous", "detach", "clone",
    "view_as", "reshape_as", "data.__get__", "T.__get__", "mT.__get__", "swapaxes", "movedim", "cpu", "cuda",
    "unflatten",
})  # fmt: skip
"""Functions whose result contains what their argument contains, where the sizes agree."""

SINGULAR = frozenset({
    "sqrt", "rsqrt", "log", "log2", "log10", "div", "true_divide", "__truediv__", "__rtruediv__", "reciprocal", "pow",
    "__pow__", "norm", "acos", "asin", "atan2", "arccos", "arcsin", "std", "var", "log_", "sqrt_", "div_", "xlogy",
})  # fmt: skip
"""Functions whose derivative is infinite somewhere; whether their arguments contain a zero is counted."""

_RELU = frozenset({"relu", "relu_", "relu6", "relu6_", "threshold", "threshold_"})
_CLAMP = frozenset({"clamp", "clip", "clamp_", "hardtanh", "clamp_min", "clamp_max", "relu6"})
_PICKS = {"minimum": 2, "maximum": 2, "min": 2, "max": 2, "fmin": 2, "fmax": 2}
_SOFTMAX = frozenset({"softmax", "log_softmax", "gumbel_softmax"})
_GARBAGE = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "resize_"})
_PLAIN = (Tensor, torch.nn.Parameter)
_WHOLE = 1 << 24
_FLAT = 1e-6
_SLIGHT = 1e-3
_EXACT_LOOKS = 200
_EVERY = 16
_READINGS = 512


class NumbersSeen:
    """Looks at results, gradients and weights while the recorder traces, and lightly after it has let go."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._exact = 0
        self._light = 0
        self._broken = False

    # --- results ------------------------------------------------------------------------------------------------

    def of_call(self, op: Op, args: Any, kwargs: Any, results: Sequence[Tensor]) -> None:
        """The content of an operation's results; of its arguments too, where it made something that is not finite."""
        values = self.recorder.recording.values
        finite = True
        if op.name in _GARBAGE:
            return
        for number, tensor in zip(op.outputs, results, strict=False):
            value = values[number]
            if not value.floating:
                continue
            known = values[op.inputs[0]].numbers if op.name in SAME_CONTENT and op.inputs else None
            if known is not None and known.size == tensor.numel():
                value.numbers = known
            else:
                value.numbers = look(tensor)
            if value.numbers is not None and not value.numbers.finite:
                finite = False
        singular = op.name in SINGULAR
        if (singular or not finite) and self._exact < _EXACT_LOOKS:
            given = [t for key, arg in kwargs.items() if key != "out" for t in tensors_in(arg)]
            self._look_at_inputs(op, [*tensors_in(args), *given], every=not finite)
        if singular and "pow" in op.name:
            op.detail = op.detail or _exponent(args)
        if results and args and isinstance(args[0], Tensor):
            with torch._C.DisableTorchFunction():
                _look_for_flat(op, args, kwargs, results[0], values[op.outputs[0]].numbers)

    def _look_at_inputs(self, op: Op, sources: Sequence[Tensor], every: bool) -> None:
        values = self.recorder.recording.values
        self._exact += every
        written = sources[0] if sources and _in_place(op.name) else None
        for number, tensor in zip(op.inputs, sources, strict=False):
            if tensor is written:
                continue  # it holds the result by now
            known = values[number].numbers
            if known is None or every or values[number].variable is not None:
                known = values[number].numbers = look(tensor)
            if known is not None and not known.zeros and known.low <= 0 <= known.high:
                with torch._C.DisableTorchFunction():
                    zeros = known.size - int(tensor.detach().count_nonzero())
                values[number].numbers = replace(known, zeros=zeros)

    # --- gradients and weights ----------------------------------------------------------------------------------

    def of_gradients(self, pairs: Iterable[tuple[int, Any]]) -> dict[int, Numbers]:
        """By variable: its gradient, or its weights."""
        found = [(number, _dense(tensor)) for number, tensor in pairs if isinstance(tensor, Tensor)]
        return _sizes([(number, tensor) for number, tensor in found if tensor is not None])

    def of_step(self, step: Step, optimizer: Any, pairs: Sequence[tuple[int, Tensor, Any]]) -> None:
        """What the optimizer is about to apply, and to what."""
        applied = [(n, p, g) for n, p, g in pairs if n in step.applied]
        step.gradients = self.of_gradients((n, g) for n, _, g in applied)
        step.weights = self.of_gradients((n, p) for n, p, _ in applied)
        step.rate = _rate(optimizer)
        epsilon = optimizer.param_groups[0].get("eps") if getattr(optimizer, "param_groups", None) else None
        if isinstance(epsilon, float):
            self.recorder.recording.optimizers[step.optimizer].epsilon = epsilon

    # --- after letting go ---------------------------------------------------------------------------------------

    def glance(self, updates: Updates, optimizer: Any, frame: FrameType) -> None:
        """Now and then, one number for all gradients of an optimizer: NaN that comes once stays."""
        self._light += 1
        if self._light % _EVERY:
            return
        readings = self.recorder.recording.readings
        if self._broken or len(readings) > _READINGS:
            return
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        grads = [g for p in parameters if (g := _dense(p.grad)) is not None]
        if not grads:
            return
        norm = _norm_of_all(grads)
        self._broken = not math.isfinite(norm)
        session = self.recorder.session
        stack = session.stacks.capture(frame)
        readings.append(Reading(session.updates + 1, updates.number(optimizer), stack, norm, not self._broken))

    def last_glance(self) -> None:
        """At the end: whether the weights are still numbers."""
        readings, variables = self.recorder.recording.readings, self.recorder.variables
        if self._broken or self.recorder.deep or not self.recorder.recording.steps:
            return
        for number in self.recorder.recording.steps[-1].applied:
            tensor = variables.tensor(number)
            numbers = look(tensor) if tensor is not None else None
            if numbers is not None and not numbers.finite:
                last = self.recorder.recording.steps[-1]
                readings.append(Reading(self.recorder.session.updates, last.optimizer, last.stack, math.nan, False))
                return


def look(tensor: Tensor) -> Numbers | None:
    """What a tensor contains; None where it holds no plain floats that can be looked at."""
    size = tensor.numel()
    if not size or not tensor.dtype.is_floating_point or not _lookable(tensor):
        return None
    try:
        with torch._C.DisableTorchFunction():
            content = tensor.detach()
            if size > _WHOLE and content.is_contiguous():
                content = content.view(-1)[:: size // (_WHOLE // 4)]  # every so many: enough for the extremes
            low_high = torch.aminmax(content)
            low, high = low_high[0].item(), low_high[1].item()
            if math.isfinite(low) and math.isfinite(high):
                return Numbers(size, low, high, size if low == high == 0.0 else 0)
            return _counted(content, size)
    except RuntimeError:  # a dtype without the reduction, a tensor inside a transformation
        return None


def _counted(content: Tensor, size: int) -> Numbers:
    nans, infs = int(content.isnan().sum()), int(content.isinf().sum())
    rest = content[content.isfinite()]
    if not rest.numel():
        return Numbers(size, 0.0, 0.0, 0, nans, infs)
    low_high = torch.aminmax(rest)
    zeros = int((rest == 0).sum())
    return Numbers(size, low_high[0].item(), low_high[1].item(), zeros, nans, infs)


def _lookable(tensor: Tensor) -> bool:
    if type(tensor) not in _PLAIN or tensor.layout is not torch.strided or tensor.is_meta:
        return False
    if torch._C._len_torch_dispatch_stack() or torch._C._are_functorch_transforms_active():
        return False  # somebody counts operations, or the tensor is a stand-in
    return not (tensor.is_cuda and torch.cuda.is_current_stream_capturing())


def _dense(gradient: Any) -> Tensor | None:
    if not isinstance(gradient, Tensor):
        return None
    with torch._C.DisableTorchFunction():
        plain = gradient.detach()
        if plain.layout is torch.sparse_coo:
            plain = plain._values()
    return plain if _lookable(plain) and plain.dtype.is_floating_point and plain.numel() else None


def _sizes(pairs: list[tuple[int, Tensor]]) -> dict[int, Numbers]:
    found: dict[int, Numbers] = {}
    if not pairs:
        return found
    with torch._C.DisableTorchFunction():
        try:
            norms = [float(norm) for norm in torch._foreach_norm([tensor for _, tensor in pairs])]
        except RuntimeError:
            return found
    for (number, tensor), norm in zip(pairs, norms, strict=True):
        if math.isfinite(norm) and norm > 0:
            found[number] = Numbers(tensor.numel(), -norm, norm, 0, norm=norm)
        else:  # zero, NaN, or so small or large that squaring it says nothing
            exact = look(tensor)
            if exact is not None:
                size = max(abs(exact.low), abs(exact.high))
                found[number] = replace(exact, norm=size * math.sqrt(exact.size) if exact.finite else size)
    return found


def _norm_of_all(grads: list[Tensor]) -> float:
    with torch._C.DisableTorchFunction():
        return math.sqrt(sum(float(norm) ** 2 for norm in torch._foreach_norm(grads)))


def _rate(optimizer: Any) -> float | None:
    groups = getattr(optimizer, "param_groups", None)
    try:
        if groups:
            rates = {float(group["lr"]) for group in groups}
            return rates.pop() if len(rates) == 1 else None
        return float(optimizer.learning_rate)
    except (AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        return None


def _in_place(name: str) -> bool:
    return name == "__setitem__" or (name[-1] == "_" and name[-2:] != "__") or name.startswith("__i")


def _exponent(args: Any) -> str:
    exponent = args[1] if len(args) > 1 else None
    return f"exponent {exponent:g}" if isinstance(exponent, int | float) else ""


# --- functions with flat parts ----------------------------------------------------------------------------------


def _look_for_flat(op: Op, args: Any, kwargs: Any, result: Tensor, numbers: Numbers | None) -> None:
    """How many units do nothing, and to which inputs no gradient passes because of the numbers."""
    name = op.name
    if numbers is None or not numbers.finite or not op.carries:
        return
    if name in _RELU and numbers.low == 0:
        alive = _over_batch(result.detach(), "amax")
        op.units = Units(alive.numel(), dead=int((alive <= 0).sum()))
        op.flat = op.inputs[:1] if numbers.high <= 0 else ()
    elif name in ("tanh", "tanh_") and max(-numbers.low, numbers.high) > 1 - _FLAT:
        size = result.detach().abs()
        flattest = _over_batch(size, "amin")
        share = float((size > 1 - _SLIGHT / 2).double().mean())
        op.units = Units(flattest.numel(), saturated=int((flattest > 1 - _FLAT / 2).sum()), flat=share)
        op.flat = op.inputs[:1] if bool((flattest == 1).all()) else ()
    elif name in ("sigmoid", "sigmoid_") and (numbers.low < _FLAT or numbers.high > 1 - _FLAT):
        slope = result.detach() * (1 - result.detach())
        steepest = _over_batch(slope, "amax")
        share = float((slope < _SLIGHT / 4).double().mean())
        op.units = Units(steepest.numel(), saturated=int((steepest < _FLAT).sum()), flat=share)
        op.flat = op.inputs[:1] if bool((steepest == 0).all()) else ()
    elif name == "hardsigmoid":
        slopes = _over_batch(((result > 0) & (result < 1)).detach(), "any")
        op.units = Units(slopes.numel(), saturated=slopes.numel() - int(slopes.sum()))
        op.flat = op.inputs[:1] if not bool(slopes.any()) else ()
    elif name in _SOFTMAX and result.dim():
        _look_at_softmax(op, args, kwargs, result)
    elif name == "cross_entropy" and args[0].dim():
        op.flat = op.inputs[:1] if args[0].shape[min(1, args[0].dim() - 1)] == 1 else ()
    elif name in _CLAMP and args[0].shape == result.shape:
        same = _over_batch((result.detach() == args[0].detach()), "any" if name[-1] != "_" else "all")
        if name[-1] != "_":
            op.units = Units(same.numel(), saturated=same.numel() - int(same.sum()))
            op.flat = op.inputs[:1] if not bool(same.any()) else ()
    elif name in _PICKS and len(args) > 1 and isinstance(args[1], Tensor):
        never = [not bool((result == argument).any()) for argument in args[:2]]
        op.flat = tuple(number for number, unused in zip(op.inputs, never, strict=False) if unused)
    elif name == "where" and len(args) == 3 and args[0].dtype == torch.bool:
        taken = args[0].all(), ~args[0].any()
        sides = [t for t in args[1:] if isinstance(t, Tensor)]
        numbered = dict(zip(map(id, sides), op.inputs[1:], strict=False))
        unused = [args[2]] if bool(taken[0]) else [args[1]] if bool(taken[1]) else []
        op.flat = tuple(numbered[id(t)] for t in unused if id(t) in numbered)


def _look_at_softmax(op: Op, args: Any, kwargs: Any, result: Tensor) -> None:
    dim = kwargs.get("dim", args[1] if len(args) > 1 else -1)
    dim = -1 if not isinstance(dim, int) else dim
    content = result.detach().exp() if op.name == "log_softmax" else result.detach()
    top = content.amax(dim=dim)
    sure = int((top >= 1).sum())
    op.units = Units(top.numel(), saturated=sure) if sure else None
    op.flat = op.inputs[:1] if result.shape[dim] == 1 or (sure == top.numel() and op.name == "softmax") else ()


def _over_batch(content: Tensor, reduction: str) -> Tensor:
    """One number for each unit: the last dimension, or the channels of an image."""
    if content.dim() < 2:
        return content
    keep = 1 if content.dim() == 4 else content.dim() - 1
    if reduction in ("any", "all"):
        content = content.movedim(keep, -1).flatten(0, -2)
        return content.any(dim=0) if reduction == "any" else content.all(dim=0)
    dims = [d for d in range(content.dim()) if d != keep]
    return content.amax(dim=dims) if reduction == "amax" else content.amin(dim=dims)
