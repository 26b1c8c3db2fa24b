"""Requests for gradients: `backward()`, `torch.autograd.grad`, and the program's own look at `.grad`."""

from __future__ import annotations

import dis
from collections.abc import Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

from torch import Tensor

from whygrad.flow.events import Backward
from whygrad.trace.torch_variables import leaves_of, tensors_in

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_State = dict[int, tuple[int, int] | None]


class Gradients:
    """Who asked for gradients, and which variables received one."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self.fresh: dict[int, bool] = {}
        """Variables whose `.grad` came after the last `zero_grad` (true) or has been cleared since (false)."""
        self.left = _State()
        """What the last pass, edit or step left in each `.grad`: what is still there untouched piles up."""
        self._asked_no_leaf = False

    # --- backward() ---------------------------------------------------------------------------------------------

    def backward(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`loss.backward()` and `torch.autograd.backward(losses)`."""
        recorder = self.recorder
        with recorder.guarded:
            recorder.by_hand.close()
        event: Backward | None = None
        before = _State()
        with recorder.guarded, recorder.lock:
            losses = list(tensors_in(args[:1] or kwargs.get("tensors", ())))
            loss = self._joined(losses, frame)
            stack = recorder.session.stacks.capture(frame)
            before = self._state()
            event = Backward(recorder.session.tick(), "backward", loss, stack, retained=_retains(args, kwargs))
        if event is None:
            return func(*args, **kwargs)
        try:
            return func(*args, **kwargs)
        except RuntimeError as error:
            event.error = str(error)
            raise
        finally:
            with recorder.guarded:
                self._note_backward(event, before, frame)

    def asked_only(self, loss: Tensor, frame: FrameType) -> None:
        """A loss whose gradient is in question and is not computed: who would receive one."""
        recorder = self.recorder
        with recorder.quiet(), recorder.guarded, recorder.lock:
            got = {recorder.variables.adopt(leaf) for leaf in leaves_of(loss)}
            stack = recorder.session.stacks.capture(frame)
            number = recorder.variables.value_of(loss)
            event = Backward(recorder.session.tick(), "check", number, stack, got=frozenset(got))
            recorder.recording.backwards.append(event)

    def _note_backward(self, event: Backward, before: _State, frame: FrameType) -> None:
        if event.error is None:
            after = self._state()
            event.got = frozenset(n for n, state in after.items() if state is not None and state != before.get(n))
            left = self.left
            event.piled = frozenset(n for n in event.got if before.get(n) is not None and before[n] == left.get(n))
            for number in event.got:
                self.fresh[number] = True
                self.left[number] = after[number]
            tensors = ((number, self.recorder.variables.tensor(number)) for number in event.got)
            event.gradients = self.recorder.numbers.of_gradients((n, t.grad) for n, t in tensors if t is not None)
        recording = self.recorder.recording
        if event.error is not None or (not recording.steps and len(recording.backwards) < 3):
            self.recorder.look_for_names(frame)  # there may be no step to look from
        recording.backwards.append(event)
        if event.error is not None:
            self.recorder.refused()

    def settled(self, numbers: Iterable[int]) -> None:
        """What lies in these variables' `.grad` now was put there by something we know of."""
        for number in numbers:
            tensor = self.recorder.variables.tensor(number)
            grad = tensor.grad if tensor is not None and tensor.is_leaf else None
            if grad is not None and number in self.left:
                self.left[number] = (id(grad), grad._version)

    def _state(self) -> _State:
        """What lies in each variable's `.grad`: which tensor, at which version."""
        state = _State()
        for number, reference in self.recorder.variables.tensors.items():
            tensor = reference()
            if tensor is not None and tensor.is_leaf:
                grad = tensor.grad
                state[number] = None if grad is None else (id(grad), grad._version)
        return state

    def _joined(self, losses: list[Tensor], frame: FrameType) -> int | None:
        """Several losses count as one value computed from all of them."""
        recorder = self.recorder
        numbers = [recorder.variables.value_of(loss) for loss in losses]
        if len(numbers) < 2:
            return numbers[0] if numbers else None
        live = any(loss.requires_grad for loss in losses)
        number = recorder.variables.fresh_value((), True, live)
        recorder.add("losses", "compute", numbers, (number,), recorder.session.stacks.capture(frame), live)
        return number

    # --- autograd.grad() ----------------------------------------------------------------------------------------

    def autograd_grad(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`torch.autograd.grad(outputs, inputs)`."""
        if "autograd" not in getattr(func, "__module__", ""):
            return func(*args, **kwargs)
        event: Backward | None = None
        asked: list[int] = []
        with self.recorder.guarded, self.recorder.lock:
            event, asked = self._asked(args, kwargs, frame)
            self.recorder.recording.backwards.append(event)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            if event is not None:
                event.error = str(error)
                self.recorder.look_for_names(frame)
                self.recorder.refused()
            raise
        if event is not None:
            with self.recorder.guarded, self.recorder.lock:
                self._note_given(event, asked, result)
        return result

    def _asked(self, args: Any, kwargs: Any, frame: FrameType) -> tuple[Backward, list[int]]:
        recorder = self.recorder
        outputs = args[0] if args else kwargs.get("outputs", ())
        sources = args[1] if len(args) > 1 else kwargs.get("inputs", ())
        loss = self._joined(list(tensors_in(outputs)), frame)
        stack = recorder.session.stacks.capture(frame)
        asked = [recorder.variables.value_of(tensor) for tensor in tensors_in(sources)]
        variables = [recorder.recording.values[n].variable for n in asked]
        event = Backward(
            recorder.session.tick(), "autograd.grad", loss, stack,
            wanted=tuple(v for v in variables if v is not None),
            asked_values=tuple(n for n, v in zip(asked, variables, strict=True) if v is None),
            implicit=bool(kwargs.get("create_graph")) or (len(args) > 4 and bool(args[4])),
        )  # fmt: skip
        return event, asked

    def _note_given(self, event: Backward, asked: list[int], result: Any) -> None:
        """The gradients are values themselves, computed from the loss and from what was asked for."""
        recorder = self.recorder
        parts = list(result) if isinstance(result, tuple | list) else [result]
        variables = [recorder.recording.values[n].variable for n in asked]
        event.got = frozenset(v for v, g in zip(variables, parts, strict=False) if v is not None and g is not None)
        found = [g for g in parts if isinstance(g, Tensor)]
        if found and event.loss is not None:
            made = [recorder.variables.new_value(g) for g in found]
            numbers = iter(made)
            values = [next(numbers) if isinstance(g, Tensor) else None for g in parts]
            event.given = {v: n for v, n in zip(variables, values, strict=False) if v is not None and n is not None}
            recorder.by_hand.given(event.given)
            live = any(g.requires_grad for g in found)
            at = recorder.add("autograd.grad", "compute", (event.loss, *asked), made, event.stack, live)
            recorder.numbers.of_call(recorder.recording.ops[at], (), {}, found)
        pairs = ((v, g) for v, g in zip(variables, parts, strict=False) if v is not None)
        event.gradients = recorder.numbers.of_gradients(pairs)

    # --- .grad --------------------------------------------------------------------------------------------------

    def grad_read(self, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`x.grad`, read by the program itself."""
        result = func(*args, **kwargs)
        with self.recorder.guarded:
            if self.recorder.session.is_user(frame):
                self._note_read(args[0], result, frame)
        return result

    def _note_read(self, tensor: Tensor, grad: Tensor | None, frame: FrameType) -> None:
        recorder = self.recorder
        variable = recorder.variables.number_of(tensor)
        if grad is not None:
            if variable is not None:
                if not recorder.by_hand.holds(variable):
                    recorder.recording.hand_updated.add(variable)
                recorder.edits.read(variable, grad, frame)
                recorder.by_hand.read(variable, tensor, recorder.variables.value_of(grad))
        elif tensor.is_leaf and tensor.requires_grad:
            recorder.by_hand.found_none(tensor, frame)
        elif tensor.requires_grad:
            if not tensor.retains_grad:
                if not self._asked_no_leaf:  # an attack on a network that was trained before: this update counts too
                    recorder.refused()
                self._asked_no_leaf = True
                self._note_no_grad(tensor, frame, "not a leaf")
        elif variable is None and _asks_none_for_more(frame):
            recorder.refused()
            self._note_no_grad(tensor, frame, "requires no gradient")

    def _note_no_grad(self, tensor: Tensor, frame: FrameType, error: str) -> None:
        recorder = self.recorder
        stack = recorder.session.stacks.capture(frame)
        at, value = recorder.session.tick(), recorder.variables.value_of(tensor)
        recorder.recording.backwards.append(Backward(at, ".grad", None, stack, asked_values=(value,), error=error))
        recorder.look_for_names(frame)


def _retains(args: Any, kwargs: Any) -> bool:
    """Whether `backward(gradient, retain_graph)` keeps the graph."""
    return bool(kwargs.get("retain_graph")) or (len(args) > 2 and bool(args[2]))


def _asks_none_for_more(frame: FrameType) -> bool:
    """Whether the program goes on with an attribute that None does not have: `x.grad.sign()`, not `x.grad is None`.

    Then it counts on a gradient, and ends here. A guard or a print of a constant's `.grad` means nothing.
    """
    after = (i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti and i.opname != "CACHE")
    following = next(after, None)
    if following is None or following.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
        return False
    return not hasattr(None, str(following.argval))
