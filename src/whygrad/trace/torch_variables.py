"""The tensors of a PyTorch program by number: each version of one is a value, each leaf to train a variable."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from whygrad.flow.operations import Value
from whygrad.flow.variables import Variable
from whygrad.trace import torch_vocabulary as words
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.torch_recorder import TorchRecorder

_Call = Callable[..., Any]


class Variables:
    """Every tensor that was seen, by its identity. Nothing here keeps one alive."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder
        self.tensors: dict[int, weakref.ref[Tensor]] = {}
        self.frozen_at: dict[int, int] = {}
        self.frozen_times: dict[int, int] = {}
        """How often each was switched off since it was last switched on."""
        self._next = 0
        self._known: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._numbers: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._aliases: dict[int, int] = {}
        self._created: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}
        self._loose: dict[int, tuple[weakref.ref[Tensor], int, int]] = {}
        self._filled: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._copied: dict[int, weakref.ref[Tensor]] = {}

    def attach(self, patches: Patches) -> None:
        """Watch parameters being made, copied and given their first values."""
        patches.replace(torch.nn.Module, "register_parameter", self._wrap_register_parameter)
        patches.replace(torch.nn.Parameter, "__deepcopy__", self._wrap_deepcopy)
        patches.add(type(torch.autograd.Variable), "__call__", self._variable_called())
        patches.add(type(torch.nn.Parameter), "__call__", self._parameter_called())
        for name in [n for n in vars(torch.nn.init) if n.endswith("_") and not n.startswith("_")]:
            patches.replace(torch.nn.init, name, self._wrap_initialiser)

    # --- values -------------------------------------------------------------------------------------------------

    def value_of(self, tensor: Tensor) -> int:
        """The number of a tensor at its present version."""
        entry = self._known.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            return entry[1]
        return self._adopt_value(tensor)

    def is_known(self, tensor: Tensor) -> bool:
        """Whether a tensor has a number."""
        entry = self._known.get(id(tensor))
        return entry is not None and entry[0]() is tensor

    def new_value(self, tensor: Tensor) -> int:
        """A number for a tensor that was just made or written into."""
        dtype = tensor.dtype
        floating = dtype.is_floating_point or dtype.is_complex
        number = self.fresh_value(tuple(tensor.shape), floating, _requires_grad(tensor))
        self._known[id(tensor)] = (weakref.ref(tensor), number)
        return number

    def fresh_value(self, shape: tuple[int, ...], floating: bool, live: bool) -> int:
        """A number for what is no tensor of the program's: several losses together."""
        number = self._next
        self._next = number + 1
        self.recorder.recording.values[number] = Value(number, shape, floating, live)
        return number

    def new_version(self, tensor: Tensor, old: int) -> int:
        """A tensor was written into: it is another value now, of the same variable."""
        new = self.new_value(tensor)
        values = self.recorder.recording.values
        values[new].variable = values[old].variable
        if old in self._aliases:
            self._aliases[new] = self._aliases[old]
        return new

    def inputs(self, name: str, args: Any, kwargs: Any) -> list[int]:
        """Numbers of the tensors that a function computes from."""
        if name in words.LIKE_SECOND:
            args, kwargs = args[:1], {}
        numbers = [self.value_of(tensor) for tensor in tensors_in(args)]
        if kwargs:
            numbers.extend(self.value_of(t) for key, arg in kwargs.items() if key != "out" for t in tensors_in(arg))
        return numbers

    def _adopt_value(self, tensor: Tensor) -> int:
        """Number a tensor that came from where we did not look: a leaf, NumPy data, or unseen operations."""
        history = has_history(tensor)
        if not history and (_requires_grad(tensor) or isinstance(tensor, torch.nn.Parameter)):
            self.adopt(tensor)
            return self._known[id(tensor)][1]
        number = self.new_value(tensor)
        stack = self.recorder.session.stacks.capture(sys._getframe(1))
        if history:
            sources = [self.value_of(leaf) for leaf in leaves_of(tensor)]
            self.recorder.add("unseen", "compute", sources, (number,), stack, True)
        else:
            at = self.recorder.add("tensor data", "enter", (), (number,), stack, False)
            self.recorder.numbers.of_call(self.recorder.recording.ops[at], (), {}, [tensor])
            self.recorder.exits.entered(at, tensor)
        return number

    def alive(self) -> set[int]:
        """Values whose tensors the program still holds; the others are forgotten here."""
        self._known = {k: entry for k, entry in self._known.items() if entry[0]() is not None}
        self._created = {k: entry for k, entry in self._created.items() if entry[0]() is not None}
        self._loose = {k: entry for k, entry in self._loose.items() if entry[0]() is not None}
        return {number for _, number in self._known.values()}

    # --- variables ----------------------------------------------------------------------------------------------

    def adopt(self, tensor: Tensor) -> int:
        """The number of a variable, given on first interest."""
        number = self.number_of(tensor)
        if number is not None:
            return number
        recording = self.recorder.recording
        number = len(recording.variables)
        known = self._known.get(id(tensor))
        value = known[1] if known is not None and known[0]() is tensor else self.new_value(tensor)
        recording.values[value].variable = number
        self._numbers[id(tensor)] = (weakref.ref(tensor), number)
        self.tensors[number] = weakref.ref(tensor)
        loose = self._loose.get(id(tensor))
        if loose is not None and loose[0]() is tensor and not self.seen_made(tensor):
            self._created[id(tensor)] = loose
        seen = self.seen_made(tensor)
        _, created, born = self._created[id(tensor)] if seen else (None, None, 0)
        filled = self._filled.get(id(tensor))
        recording.variables[number] = Variable(
            id=number, name="", network="", shape=tuple(tensor.shape), trainable=tensor.requires_grad,
            created=created, born=born, parameter=isinstance(tensor, torch.nn.Parameter),
            filled=filled[1] if filled is not None and filled[0]() is tensor else None,
        )  # fmt: skip
        self.recorder.copies.first(number)
        return number

    def number_of(self, tensor: Tensor) -> int | None:
        """The number of a variable we know, else None."""
        entry = self._numbers.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def tensor(self, number: int) -> Tensor | None:
        """The tensor of a variable, while it lives."""
        reference = self.tensors.get(number)
        return reference() if reference is not None else None

    def behind(self, value: int) -> int | None:
        """The variable whose memory a value lies in: it is the variable, or was made by `.data` or a view of it."""
        variable = self.recorder.recording.values[value].variable
        return variable if variable is not None else self._aliases.get(value)

    def owner_of(self, tensor: Tensor) -> int | None:
        """The variable whose memory a tensor is, before the tensor is numbered anew."""
        place = tensor.data_ptr()
        for number, reference in self.tensors.items():
            owner = reference()
            if owner is not None and owner.data_ptr() == place and owner.shape == tensor.shape:
                return number
        return None

    def alias(self, value: int, variable: int) -> None:
        """A value lies in the memory of a variable."""
        self._aliases[value] = variable

    # --- where a variable and its content come from -------------------------------------------------------------

    def made(self, tensor: Tensor, stack: int) -> None:
        """A tensor that can be trained was made here."""
        self._created[id(tensor)] = (weakref.ref(tensor), stack, self.recorder.session.tick())

    def seen_made(self, tensor: Tensor) -> bool:
        """Whether we know where a tensor was made."""
        entry = self._created.get(id(tensor))
        return entry is not None and entry[0]() is tensor

    def copied(self, tensor: Tensor) -> None:
        """A variable's content was set from elsewhere."""
        self._copied[id(tensor)] = weakref.ref(tensor)

    def is_copied(self, tensor: Tensor) -> bool:
        """Whether a variable's content was set from elsewhere."""
        copied = self._copied.get(id(tensor))
        return copied is not None and copied() is tensor

    def _wrap_register_parameter(self, original: _Call) -> _Call:
        def register_parameter(module: Any, name: str, param: Any) -> None:
            original(module, name, param)
            with self.recorder.guarded:
                if param is not None and not self.seen_made(param):
                    self.made(param, self.recorder.session.stacks.capture(sys._getframe(1)))

        return register_parameter

    def _variable_called(self) -> _Call:
        def __call__(kind: Any, *args: Any, **kwargs: Any) -> Any:
            result = type.__call__(kind, *args, **kwargs)
            if self.recorder.active():
                with self.recorder.guarded, self.recorder.lock:
                    self.recorder.calls.note_variable(args, kwargs, result, sys._getframe(1))
            return result

        return __call__

    def _parameter_called(self) -> _Call:
        """`nn.Parameter(…)`: where it was made, should no module register it (one in a plain list or dict).

        A model that is unpickled registers nothing: its parameters are made where it is loaded.
        """
        unpickled = torch._utils._rebuild_parameter.__code__

        def __call__(kind: Any, *args: Any, **kwargs: Any) -> Any:
            result = type.__call__(kind, *args, **kwargs)
            frame = sys._getframe(1)
            if self.recorder.active() and frame.f_code is unpickled:
                with self.recorder.guarded:
                    self.made(result, self.recorder.session.stacks.capture(frame))
            elif self.recorder.active() and self.recorder.session.is_user(frame):
                with self.recorder.guarded:
                    stack = self.recorder.session.stacks.capture(frame)
                    self._loose[id(result)] = (weakref.ref(result), stack, self.recorder.session.tick())
            return result

        return __call__

    def _wrap_deepcopy(self, original: _Call) -> _Call:
        def __deepcopy__(parameter: Any, memo: Any) -> Any:
            with self.recorder.quiet():
                result = original(parameter, memo)
            with self.recorder.guarded:
                source = self.number_of(parameter)
                if source is not None and source in self.frozen_at:  # a copy of something frozen is frozen too
                    self.frozen_at[self.adopt(result)] = self.frozen_at[source]
                else:
                    self.copied(result)
                stack = self.recorder.session.stacks.capture(sys._getframe(1))
                self.made(result, stack)
                self.recorder.copies.deep_copied(parameter, result, stack)
            return result

        return __deepcopy__

    def _wrap_initialiser(self, original: _Call) -> _Call:
        """First values are no data flow: nothing is learned through them."""

        def initialise(*args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            if self.recorder.active() and self.recorder.session.is_user(frame):
                with self.recorder.guarded:
                    for tensor in tensors_in([*args[:1], *kwargs.values()][:1]):
                        stack = self.recorder.session.stacks.capture(frame)
                        self._filled[id(tensor)] = (weakref.ref(tensor), stack)
                        number = self.number_of(tensor)
                        if number is not None:
                            self.recorder.recording.variables[number].filled = stack
            with self.recorder.quiet():
                return original(*args, **kwargs)

        return initialise


def tensors_in(thing: Any) -> Iterator[Tensor]:
    """Tensors in nested arguments."""
    if isinstance(thing, Tensor):
        yield thing
    elif isinstance(thing, list | tuple):
        for item in thing:
            if isinstance(item, Tensor):
                yield item
            elif isinstance(item, list | tuple | dict):
                yield from tensors_in(item)
    elif isinstance(thing, dict):
        for item in thing.values():
            yield from tensors_in(item)


def has_history(tensor: Tensor) -> bool:
    """Whether autograd knows what a tensor was computed from."""
    try:
        return tensor.grad_fn is not None
    except RuntimeError:  # a view made under no_grad whose base was written since: autograd refuses to say
        return False


def _requires_grad(tensor: Tensor) -> bool:
    try:
        return tensor.requires_grad
    except RuntimeError:  # as above
        return False


def leaves_of(tensor: Tensor) -> list[Tensor]:
    """The variables that autograd's own graph reaches from a tensor made where we did not look."""
    seen: set[Any] = set()
    leaves: list[Tensor] = []
    todo = [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if isinstance(variable, Tensor):
            leaves.append(variable)
        todo.extend(following for following, _ in node.next_functions)
    return leaves
