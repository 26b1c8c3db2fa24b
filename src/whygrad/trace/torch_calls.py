"""One call of a PyTorch function: what kind of operation it is, from which values to which."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

from torch import Tensor

from whygrad.flow.events import Failure, Write
from whygrad.flow.operations import Kind
from whygrad.trace import torch_vocabulary as words
from whygrad.trace.torch_variables import has_history, tensors_in

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_GRAD_ERRORS = ("grad", "inplace operation", "in-place", "backward", "leaf Variable", "non-leaf", "differentiat")
_BETWEEN = "between 0 and 1"
_PROPERTIES = words.VIEW_GETTERS | {
    "data.__get__", "data.__set__", "grad.__get__", "grad.__set__", "grad.__delete__", "requires_grad.__set__",
    "requires_grad.__get__",
}  # fmt: skip
_SHARE_MEMORY = frozenset({"data.__get__", "detach", "view_as", "view", "t", "transpose", "reshape", "__getitem__"})
_COPIES = frozenset({"copy_", "data.__set__", "lerp_", "mul_", "add_", "set_"})


class Calls:
    """Runs each call for the program and writes down what it did."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self._names: dict[Any, str | None] = {}
        self._special: dict[str, Callable[..., Any]] = {
            "backward": recorder.gradients.backward,
            "grad": recorder.gradients.autograd_grad,
            "grad.__get__": recorder.gradients.grad_read,
            "grad.__set__": recorder.edits.assigned,
            "grad.__delete__": recorder.edits.assigned,
            "_set_grad_enabled": recorder.switches.set_grad_enabled,
            "requires_grad_": recorder.switches.requires_grad_set,
            "requires_grad.__set__": recorder.switches.requires_grad_set,
            "requires_grad.__get__": recorder.switches.requires_grad_read,
        }

    def name_of(self, func: Any) -> str | None:
        """The function's short name, or None where it computes nothing from a tensor's content."""
        try:
            return self._names[func]
        except KeyError:
            pass
        name = getattr(func, "__name__", "") or ""
        if name in ("__get__", "__set__", "__delete__"):
            name = f"{getattr(func.__self__, '__name__', '?')}.{name}"
            known = name if name in _PROPERTIES else None
        else:
            initialises = getattr(func, "__module__", "") == "torch.nn.init"
            known = None if initialises or (name in words.NOT_DATA and name != "backward") else name
        self._names[func] = known
        return known

    def call(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """Run one call for the program and write down what it did."""
        special = self._special.get(name)
        if special is not None:
            return special(func, args, kwargs, frame)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            self.note_failure(name, error, frame)
            if _BETWEEN in str(error):
                self.note_refused(name, error, [*args, *kwargs.values()], frame)
            raise
        try:
            with self.recorder.lock:
                self._note(name, args, kwargs, result, frame)
        except Exception as trouble:  # the program goes on whatever happens to us
            self.recorder.trouble(trouble)
        return result

    def note_failure(self, name: str, error: BaseException, frame: FrameType, always: bool = False) -> None:
        """The program saw an exception; those about gradients are kept."""
        message = str(error)
        if always or any(word in message for word in _GRAD_ERRORS):
            session = self.recorder.session
            stack = session.stacks.capture(frame)
            self.recorder.recording.failures.append(Failure(session.tick(), name, message, stack))
            self.recorder.look_for_names(frame)

    def note_refused(self, name: str, error: BaseException, given: Any, frame: FrameType) -> None:
        """A call refused what it was given: NaN, where it asks for a number."""
        recorder = self.recorder
        with recorder.guarded, recorder.lock:
            inputs = tuple(recorder.variables.value_of(tensor) for tensor in tensors_in(list(given)))
            stack = recorder.session.stacks.capture(frame)
            failure = Failure(recorder.session.tick(), name, str(error).split("tensor(")[0], stack, inputs=inputs)
            recorder.recording.failures.append(failure)
            recorder.look_for_names(frame)

    def _note(self, name: str, args: Any, kwargs: Any, result: Any, frame: FrameType) -> None:
        if kwargs.get("inplace") is True and kwargs.get("training", True) and args and result is args[0]:
            name = f"{name}_"  # nn.ReLU(inplace=True) calls F.relu; a dropout that is off changes nothing
        in_place = (name[-1] == "_" and name[-2:] != "__") or name in words.IN_PLACE
        if in_place and args and isinstance(args[0], Tensor):
            self._note_write(name, args, kwargs, frame)
        elif in_place and name.startswith("_foreach_") and args and isinstance(args[0], list | tuple):
            self._note_writes(name.removeprefix("_foreach_"), args, frame)
        elif name in words.LEAVE:
            self._note_leave(name, args, result, frame)
        else:
            self._note_result(name, args, kwargs, list(tensors_in(result)), frame)

    def note_variable(self, args: Any, kwargs: Any, result: Tensor, frame: FrameType) -> None:
        """`Variable(tensor)`, from before tensors had gradients of their own: a new leaf, cut off from the old one."""
        given = [*args, *kwargs.values()][:1]
        self._note_result("Variable", given, {}, [result], frame)
        if result.requires_grad:
            self.recorder.variables.made(result, self.recorder.session.stacks.capture(frame))
            self.recorder.variables.adopt(result)

    # --- a call that gives new tensors --------------------------------------------------------------------------

    def _note_result(self, name: str, args: Any, kwargs: Any, results: list[Tensor], frame: FrameType) -> None:
        if not results:
            return
        recorder, variables = self.recorder, self.recorder.variables
        inputs = [] if name in words.SHAPE_ONLY else variables.inputs(name, args, kwargs)
        into = kwargs.get("out") if kwargs else None
        if into is None and len(results) == 1 and any(results[0] is tensor for tensor in tensors_in(args)):
            return  # .to(), .float(), .contiguous() that had nothing to do
        stack = recorder.session.stacks.capture(frame)
        outputs = tuple([variables.new_value(tensor) for tensor in results])
        values = recorder.recording.values
        if name in words.PAIRWISE and len(inputs) == len(outputs):
            for source, target in zip(inputs, outputs, strict=True):
                live, switch = values[target].live, recorder.switches.present()
                recorder.add(name, "compute", (source,), (target,), stack, live, switch)
                values[target].numbers = values[source].numbers
            return
        anew = name in words.ENTER and all(tensor.is_leaf for tensor in results)  # as_tensor() may hand on what it has
        live = name != "Variable" and any(values[o].live for o in outputs)
        if live and (anew or not inputs):
            for tensor in results:
                if tensor.requires_grad and tensor.is_leaf:
                    variables.made(tensor, stack)
                    variables.adopt(tensor)
        live = live and not (anew and inputs)  # torch.tensor([loss, other], requires_grad=True) knows of neither
        kind = self._kind(name, inputs, outputs)
        detail = "" if results[0].is_floating_point() else str(results[0].dtype).removeprefix("torch.")
        at = recorder.add(name, kind, inputs, outputs, stack, live, recorder.switches.present(), detail)
        recorder.numbers.of_call(recorder.recording.ops[at], args, kwargs, results)
        if kind == "enter" and not inputs:
            recorder.exits.entered(at, args[0] if args else kwargs.get("data"))
        else:
            self._note_numbers(at, args, frame)
        if isinstance(into, Tensor):
            self._note_into(at, into, inputs, stack)
        if inputs and name in _SHARE_MEMORY:
            variable = variables.behind(inputs[0])
            if variable is not None:
                for number in outputs:
                    variables.alias(number, variable)
        recorder.keep_small()

    def _kind(self, name: str, inputs: list[int], outputs: tuple[int, ...]) -> Kind:
        values = self.recorder.recording.values
        if name in words.STOP:  # Variable(data) stops nothing: there was no gradient to begin with
            return "compute" if name == "Variable" and not any(values[i].live for i in inputs) else "stop"
        if name in words.ENTER:
            return "enter"
        if name in words.SAMPLE:
            return "discrete"
        if any(values[i].floating for i in inputs) and not any(values[o].floating for o in outputs):
            return "discrete"
        return "compute"

    def _note_numbers(self, at: int, args: Any, frame: FrameType) -> None:
        """A Python float among the arguments may be a value that left the framework a moment ago.

        What PyTorch's own code is written with (the `log(sqrt(2 pi))` of a Gaussian) was in no line of the program.
        """
        written = not self.recorder.session.stacks.in_framework(frame)
        for argument in args[1:]:
            if type(argument) is float:
                self.recorder.exits.entered(at, argument, weak=True, follow=written)

    # --- a call that gives Python or NumPy data -----------------------------------------------------------------

    def _note_leave(self, name: str, args: Any, result: Any, frame: FrameType) -> None:
        inputs = self.recorder.variables.inputs(name, args[:1], {})
        if inputs:
            stack = self.recorder.session.stacks.capture(frame)
            at = self.recorder.add(name, "leave", inputs, (), stack, False)
            if name != "__reduce_ex__":  # saved, or sent to another process: it does not come back from there
                self.recorder.exits.left(at, result)

    def _note_into(self, at: int, into: Tensor, sources: list[int], stack: int) -> None:
        """`torch.add(target.data, source.data, out=target.data)`: a write into a variable's memory."""
        variables = self.recorder.variables
        base = variables.owner_of(into)
        if base is not None:
            self.recorder.copies.wrote(at, base, stack, sources)
            self.recorder.recording.hand_updated.add(base)

    # --- a call that writes into a tensor -----------------------------------------------------------------------

    def _note_writes(self, name: str, args: Any, frame: FrameType) -> None:
        """`torch._foreach_lerp_(targets, sources, tau)`: one write into each of a list."""
        for index, target in enumerate(args[0]):
            others = [a[index] for a in args[1:] if isinstance(a, list | tuple) and index < len(a)]
            self._note_write(name, (target, *[o for o in others if isinstance(o, Tensor)]), {}, frame)

    def _note_write(self, name: str, args: Any, kwargs: Any, frame: FrameType) -> None:
        if name == "data.__set__" and _initialises(frame):
            return  # .to(device), .double(): the same variable in another place
        recorder, variables = self.recorder, self.recorder.variables
        target: Tensor = args[0]
        recorder.edits.written(name, args, frame)
        stack = recorder.session.stacks.capture(frame)
        old = variables.value_of(target)
        sources = variables.inputs(name, args[1:], kwargs)
        whole = name in words.OVERWRITES or (name == "__setitem__" and _everywhere(args[1], target.shape))
        inputs = sources if whole else [old, *sources]
        variable = variables.behind(old)
        new = variables.new_version(target, old)
        outputs = [new]
        base = target._base
        if base is not None:
            old_base = variables.value_of(base)
            inputs = [*inputs, old_base]
            outputs.append(variables.new_version(base, old_base))
            if variable is None:
                variable = recorder.recording.values[old_base].variable
        owner = variables.tensor(variable) if variable is not None else None
        if variable is not None and owner is not None and recorder.recording.values[new].variable is None:
            version = variables.new_value(owner)
            recorder.recording.values[version].variable = variable
            outputs.append(version)
        kind: Kind = "compute" if variable is None else "write"
        carries = variable is None and has_history(target)
        at = recorder.add(name, kind, inputs, outputs, stack, carries, recorder.switches.present())
        recorder.numbers.of_call(recorder.recording.ops[at], args, kwargs, [target])
        self._note_numbers(at, args, frame)
        recorder.recording.writes.append(Write(at, old, new, name, stack, variable))
        if variable is not None and not _initialises(frame):
            if recorder.by_hand.wrote(name, variable, sources, stack, frame):
                return
            if recorder.by_hand.holds(variable) and name == "data.__set__" and variables.behind(sources[0]) == variable:
                return  # `p.data -= …` puts back what it has just written to
            if name == "data.__set__" and sources:
                recorder.copies.given_memory(at, variable, stack, variables.behind(sources[0]))
            recorder.copies.wrote(at, variable, stack, sources)
            if sources and name in _COPIES and owner is not None:
                variables.copied(owner)
            recorder.recording.hand_updated.add(variable)


def _initialises(frame: FrameType | None) -> bool:
    """Whether a write gives a variable its first values or moves it (`.to(device)`), rather than new content."""
    for _ in range(4):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith("init.py") or frame.f_code.co_name in ("reset_parameters", "_apply"):
            return True
        frame = frame.f_back
    return False


def _plain_bounds(part: slice) -> bool:
    """Whether a slice is written with numbers: a tensor among its bounds would have to be read."""
    return all(bound is None or type(bound) is int for bound in (part.start, part.stop, part.step)) and part.step != 0


def _everywhere(index: Any, shape: tuple[int, ...]) -> bool:
    """Whether an assignment to `x[index]` reaches every entry: `x[:]`, `x[...]`, `x[:, 0:n]`."""
    parts = index if isinstance(index, tuple) else (index,)
    places = [number for number, part in enumerate(parts) if part is Ellipsis]
    if not all(part is Ellipsis or (isinstance(part, slice) and _plain_bounds(part)) for part in parts):
        return False
    if places:
        at = places[0]
        parts = (*parts[:at], *[slice(None)] * (len(shape) - len(parts) + 1), *parts[at + 1 :])
    return all(part.indices(length) == (0, length, 1) for part, length in zip(parts, shape, strict=False))
