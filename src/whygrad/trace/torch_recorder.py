"""Records a PyTorch program: every public call, with the line that made it.

A `TorchFunctionMode` sees each call before autograd does, differentiable or not, and whether its result requires a
gradient. Optimizers, modules and `autograd.Function` are watched by small wrappers. The recorder computes nothing
with the program's tensors, keeps none of them alive, and draws no random number.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad.flow.recording import (
    Backward,
    Clear,
    Failure,
    Kind,
    Op,
    Optimizer,
    Recording,
    Step,
    Switch,
    Value,
    Variable,
    Write,
)
from whygrad.trace import names
from whygrad.trace import torch_vocabulary as words
from whygrad.trace.handover import Exits
from whygrad.trace.patches import Patches
from whygrad.trace.session import Session
from whygrad.trace.upkeep import prune

Tensor = torch.Tensor
_LEAVES_KEPT = 60_000
_GRAD_ERRORS = ("grad", "inplace operation", "in-place", "backward", "leaf Variable", "differentiat")


def start(session: Session) -> TorchRecorder:
    """Begin to record; the recorder lives until `finish`."""
    recorder = TorchRecorder(session)
    recorder.attach()
    return recorder


class _Mode(TorchFunctionMode):
    """Hands every call to the recorder. While a call runs the mode is off, so nested calls are not seen twice."""

    def __init__(self, recorder: TorchRecorder) -> None:
        super().__init__()
        self.recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        recorder = self.recorder
        if recorder.paused:
            return func(*args, **(kwargs or {}))
        name = recorder.name_of(func)
        if name is None:
            return func(*args, **(kwargs or {}))
        return recorder.call(name, func, args, kwargs or {}, sys._getframe(1))


class TorchRecorder:
    """The state of one recording."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.recording = Recording("torch", torch.__version__)
        self.paused = False
        self._mode = _Mode(self)
        self._deep = False
        self._lock = threading.RLock()
        self._names: dict[Any, str | None] = {}
        self._known: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._variables: dict[int, tuple[weakref.ref[Tensor], int]] = {}
        self._tensors: dict[int, weakref.ref[Tensor]] = {}
        self._aliases: dict[int, int] = {}
        self._created: dict[int, tuple[weakref.ref[Any], int, int]] = {}
        self._copied: dict[int, weakref.ref[Any]] = {}
        self._frozen_at: dict[int, int] = {}
        self._optimizers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._steps_of: dict[int, int] = {}
        self._fresh: dict[int, bool] = {}
        self._switches: list[int] = []
        self._next_value = 0
        self._exits = Exits()
        self._patches = Patches()
        self._hooks: list[Any] = []
        self._ranks: dict[int, tuple[int, ...]] = {}
        self._suspects: dict[int, weakref.ref[Tensor]] = {}
        self._closures: set[int] = set()
        self._next_prune = _LEAVES_KEPT
        self._stance_set = False

    # --- attaching and letting go -------------------------------------------------------------------------------

    def attach(self) -> None:
        """Put the wrappers in place and begin deep tracing."""
        replace = self._patches.replace
        optimizer = torch.optim.Optimizer
        replace(optimizer, "__init__", self._wrap_optimizer_init)
        replace(optimizer, "zero_grad", self._wrap_zero_grad)
        replace(torch.nn.Module, "zero_grad", self._wrap_zero_grad)
        replace(torch.nn.Module, "register_parameter", self._wrap_register_parameter)
        replace(torch.nn.Parameter, "__deepcopy__", self._wrap_deepcopy)
        replace(torch.autograd.Function, "apply", self._wrap_function_apply)
        replace(torch, "compile", self._wrap_compile)
        replace(torch, "inference_mode", self._wrap_inference_mode)
        for name in [n for n in vars(torch.nn.init) if n.endswith("_") and not n.startswith("_")]:
            replace(torch.nn.init, name, self._wrap_initialiser)
        replace(threading.Thread, "_bootstrap_inner", self._wrap_thread)
        from torch.optim import optimizer as hooks

        self._hooks.append(hooks.register_optimizer_step_pre_hook(self._before_step))
        self._hooks.append(hooks.register_optimizer_step_post_hook(self._after_step))
        self.session.when_imported("keras", self._attach_keras)
        self.deepen()

    def deepen(self) -> None:
        """Begin (or begin again) to see every call."""
        if not self._deep:
            self._deep = True
            self.paused = False
            self._mode.__enter__()

    def release(self) -> None:
        """Let go: from here on the program runs at its own speed. Only optimizer steps are still looked at."""
        if not self._deep:
            return
        stack = torch.overrides._get_current_function_mode_stack()
        if not stack or stack[-1] is not self._mode:
            self.paused = True  # another mode lies on top of ours: stay, but do nothing
            return
        self._mode.__exit__(None, None, None)
        self._deep = False
        self.paused = True
        self._set_stance("default")
        self._suspects = self._without_gradient()

    def detach(self) -> None:
        """Take every wrapper away."""
        if self._deep:
            stack = torch.overrides._get_current_function_mode_stack()
            if stack and stack[-1] is self._mode:
                self._mode.__exit__(None, None, None)
            self._deep = False
        self.paused = True
        self._set_stance("default")
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        self._patches.undo()

    def finish(self) -> Recording:
        """Detach and return what was seen."""
        self.look_for_names(sys._getframe())
        self.detach()
        recording = self.recording
        recording.stacks = self.session.stacks.resolve()
        self._exits.link(recording)
        self._name_variables()
        return recording

    def forget_in_child(self) -> None:
        """A forked process is not followed."""
        self.paused = True

    # --- one call -----------------------------------------------------------------------------------------------

    def name_of(self, func: Any) -> str | None:
        """The function's short name, or None where it computes nothing from a tensor's content."""
        try:
            return self._names[func]
        except KeyError:
            pass
        name = getattr(func, "__name__", "") or ""
        if name in ("__get__", "__set__", "__delete__"):
            name = f"{getattr(func.__self__, '__name__', '?')}.{name}"
            keep = name in words.VIEW_GETTERS or name in (
                "data.__get__", "data.__set__", "grad.__get__", "requires_grad.__set__",
            )  # fmt: skip
            known = name if keep else None
        else:
            initialises = getattr(func, "__module__", "") == "torch.nn.init"
            known = None if initialises or (name in words.NOT_DATA and name != "backward") else name
        self._names[func] = known
        return known

    def call(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """Run one call for the program and write down what it did."""
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, name, func, args, kwargs, frame)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            self._note_failure(name, error, frame)
            raise
        try:
            with self._lock:
                self._note(name, args, kwargs, result, frame)
        except Exception as trouble:  # the program goes on whatever happens to us
            self.session.trouble("torch", trouble)
        return result

    def _note(self, name: str, args: Any, kwargs: Any, result: Any, frame: FrameType) -> None:
        in_place = (name[-1] == "_" and name[-2:] != "__") or name in words.IN_PLACE
        if in_place and args and isinstance(args[0], Tensor):
            self._note_write(name, args, kwargs, frame)
            return
        if name in words.LEAVE:
            self._note_leave(name, args, result, frame)
            return
        outputs = list(_tensors(result))
        if not outputs:
            return
        out = kwargs.get("out") if kwargs else None
        inputs = [] if name in words.SHAPE_ONLY else self._inputs(args, kwargs, name)
        if out is None and len(outputs) == 1 and any(outputs[0] is tensor for tensor in _tensors(args)):
            return  # .to(), .float(), .contiguous() that had nothing to do
        stack = self.session.stacks.capture(frame)
        numbers = tuple(self._new_value(tensor) for tensor in outputs)
        if name in words.PAIRWISE and len(inputs) == len(numbers):
            for source, target in zip(inputs, numbers, strict=True):
                at = self.session.tick()
                live = self.recording.values[target].live
                self.recording.ops[at] = Op(at, name, "compute", (source,), (target,), stack, carries=live)
            return
        values = self.recording.values
        live_in = any(values[i].live for i in inputs)
        live_out = any(values[o].live for o in numbers)
        leaf = live_out and not live_in and not inputs
        if leaf:
            for tensor in outputs:
                if tensor.requires_grad and tensor.is_leaf:
                    self._created[id(tensor)] = (weakref.ref(tensor), stack, self.session.tick())
                    self._adopt_variable(tensor)
        kind = self._kind(name, args, kwargs, inputs, numbers)
        op = Op(
            at=self.session.tick(),
            name=name,
            kind=kind,
            inputs=tuple(inputs),
            outputs=numbers,
            stack=stack,
            carries=live_out,
            switch=self._switch_for(outputs),
            detail=self._detail(name, args, kwargs, outputs),
        )
        self.recording.ops[op.at] = op
        if kind == "enter" and not inputs:
            self._exits.entered(op.at, args[0] if args else kwargs.get("data"))
        else:
            self._note_numbers(op.at, args)
        if len(args) and name in (
            "data.__get__",
            "detach",
            "view_as",
            "view",
            "t",
            "transpose",
            "reshape",
            "__getitem__",
        ):
            source = inputs[0] if inputs else None
            variable = values[source].variable if source is not None else None
            alias = variable if variable is not None else self._aliases.get(source) if source is not None else None
            if alias is not None:
                for number in numbers:
                    self._aliases[number] = alias
        if len(self.recording.ops) > self._next_prune:
            self._prune()

    def _note_numbers(self, at: int, args: Any) -> None:
        """A Python float among the arguments may be a value that left the framework a moment ago."""
        for argument in args[1:]:
            if type(argument) is float:
                self._exits.entered(at, argument, weak=True)

    def _kind(self, name: str, args: Any, kwargs: Any, inputs: list[int], outputs: tuple[int, ...]) -> Kind:
        if name in words.STOP:
            return "stop"
        if name in words.ENTER:
            return "enter"
        if name in words.SAMPLE:
            return "discrete"
        values = self.recording.values
        if any(values[i].floating for i in inputs) and not any(values[o].floating for o in outputs):
            return "discrete"
        return "compute"

    def _detail(self, name: str, args: Any, kwargs: Any, outputs: list[Tensor]) -> str:
        if outputs and not outputs[0].is_floating_point():
            return str(outputs[0].dtype).removeprefix("torch.")
        return ""

    def _switch_for(self, outputs: list[Tensor]) -> int | None:
        if not torch.is_grad_enabled():
            return self._switches[-1] if self._switches else self._unseen_switch("no_grad")
        return None

    def _unseen_switch(self, name: str) -> int:
        """Recording was off before we looked (or was turned off where we cannot see)."""
        number = -1
        if number not in self.recording.switches:
            self.recording.switches[number] = Switch(number, 0, name, self.session.stacks.capture(None))
        return number

    def _note_leave(self, name: str, args: Any, result: Any, frame: FrameType) -> None:
        inputs = self._inputs(args[:1], {}, name)
        if not inputs:
            return
        stack = self.session.stacks.capture(frame)
        op = Op(self.session.tick(), name, "leave", tuple(inputs), (), stack, carries=False)
        self.recording.ops[op.at] = op
        self._exits.left(op.at, result)

    def _note_write(self, name: str, args: Any, kwargs: Any, frame: FrameType) -> None:
        target: Tensor = args[0]
        if name == "data.__set__" and _initialises(frame):
            return  # .to(device), .double(): the same variable in another place
        stack = self.session.stacks.capture(frame)
        old = self.value_of(target)
        values = self.recording.values
        sources = self._inputs(args[1:], kwargs, name)
        inputs = sources if name in words.OVERWRITES else [old, *sources]
        alias = values[old].variable if values[old].variable is not None else self._aliases.get(old)
        new = self._new_value(target)
        values[new].variable = values[old].variable
        if old in self._aliases:
            self._aliases[new] = self._aliases[old]
        outputs = [new]
        base = target._base
        if base is not None:
            old_base = self.value_of(base)
            inputs = [*inputs, old_base]
            new_base = self._new_value(base)
            values[new_base].variable = values[old_base].variable
            if alias is None:
                alias = values[old_base].variable
            outputs.append(new_base)
        if alias is not None and values[new].variable is None:
            tensor = self._tensor(alias)
            if tensor is not None:
                version = self._new_value(tensor)
                values[version].variable = alias
                outputs.append(version)
        at = self.session.tick()
        carries = _has_history(target)
        op = Op(at, name, "compute" if alias is None else "write", tuple(inputs), tuple(outputs), stack,
                carries=carries and alias is None, switch=self._switch_for([target]))  # fmt: skip
        self.recording.ops[at] = op
        self._note_numbers(at, args)
        self.recording.writes.append(Write(at, old, new, name, stack, alias))
        if alias is not None and not _initialises(frame):
            tensor = self._tensor(alias)
            if sources and name in ("copy_", "data.__set__", "lerp_", "mul_", "add_", "set_") and tensor is not None:
                self._copied[id(tensor)] = weakref.ref(tensor)
            self.recording.hand_updated.add(alias)

    def _note_failure(self, name: str, error: BaseException, frame: FrameType) -> None:
        message = str(error)
        if any(word in message for word in _GRAD_ERRORS):
            stack = self.session.stacks.capture(frame)
            self.recording.failures.append(Failure(self.session.tick(), name, message, stack))
            self.look_for_names(frame)

    # --- values and variables -----------------------------------------------------------------------------------

    def value_of(self, tensor: Tensor) -> int:
        """The number of a tensor at its present version."""
        entry = self._known.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            return entry[1]
        return self._adopt(tensor)

    def _new_value(self, tensor: Tensor) -> int:
        number = self._next_value
        self._next_value = number + 1
        self._known[id(tensor)] = (weakref.ref(tensor), number)
        dtype = tensor.dtype
        self.recording.values[number] = Value(
            number, tuple(tensor.shape), dtype.is_floating_point or dtype.is_complex, _requires_grad(tensor)
        )
        return number

    def _inputs(self, args: Any, kwargs: Any, name: str) -> list[int]:
        if name in words.LIKE_SECOND:
            args, kwargs = args[:1], {}
        numbers = [self.value_of(tensor) for tensor in _tensors(args)]
        if kwargs:
            numbers.extend(self.value_of(t) for key, arg in kwargs.items() if key != "out" for t in _tensors(arg))
        return numbers

    def _adopt(self, tensor: Tensor) -> int:
        """Number a tensor that came from where we did not look: a leaf, NumPy data, or unseen operations."""
        history = _has_history(tensor)
        if not history and (_requires_grad(tensor) or isinstance(tensor, torch.nn.Parameter)):
            self._adopt_variable(tensor)
            return self._known[id(tensor)][1]
        number = self._new_value(tensor)
        stack = self.session.stacks.capture(sys._getframe(1))
        at = self.session.tick()
        if history:
            sources = tuple(self.value_of(leaf) for leaf in _leaves_of(tensor))
            self.recording.ops[at] = Op(at, "unseen", "compute", sources, (number,), stack, carries=True)
        else:
            self.recording.ops[at] = Op(at, "tensor data", "enter", (), (number,), stack, carries=False)
            self._exits.entered(at, tensor)
        return number

    def _adopt_variable(self, tensor: Tensor) -> int:
        entry = self._variables.get(id(tensor))
        if entry is not None and entry[0]() is tensor:
            return entry[1]
        recording = self.recording
        number = len(recording.variables)
        known = self._known.get(id(tensor))
        value = known[1] if known is not None and known[0]() is tensor else self._new_value(tensor)
        recording.values[value].variable = number
        self._variables[id(tensor)] = (weakref.ref(tensor), number)
        self._tensors[number] = weakref.ref(tensor)
        created = self._created.get(id(tensor))
        recording.variables[number] = Variable(
            id=number,
            name="",
            network="",
            shape=tuple(tensor.shape),
            trainable=tensor.requires_grad,
            created=created[1] if created is not None and created[0]() is tensor else None,
            born=created[2] if created is not None and created[0]() is tensor else 0,
            parameter=isinstance(tensor, torch.nn.Parameter),
        )
        return number

    def variable_of(self, tensor: Tensor) -> int | None:
        """The number of a variable we know, else None."""
        entry = self._variables.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def _tensor(self, variable: int) -> Tensor | None:
        reference = self._tensors.get(variable)
        return reference() if reference is not None else None

    # --- gradients and steps ------------------------------------------------------------------------------------

    def _grads(self) -> dict[int, tuple[int, int] | None]:
        state: dict[int, tuple[int, int] | None] = {}
        for number, reference in self._tensors.items():
            tensor = reference()
            if tensor is not None and tensor.is_leaf:
                grad = tensor.grad
                state[number] = None if grad is None else (id(grad), grad._version)
        return state

    def backward(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`loss.backward()` and `torch.autograd.backward(losses)`."""
        with self._lock:
            try:
                losses = list(_tensors(args[:1] or kwargs.get("tensors", ())))
                loss = self._joined(losses, frame)
                stack = self.session.stacks.capture(frame)
                grads = self._grads()
            except Exception as trouble:
                self.session.trouble("torch", trouble)
                return func(*args, **kwargs)
        event = Backward(self.session.tick(), "backward", loss, stack)
        try:
            return func(*args, **kwargs)
        except RuntimeError as error:
            event.error = str(error)
            raise
        finally:
            try:
                if event.error is None:
                    after = self._grads()
                    got = {n for n, state in after.items() if state is not None and state != grads.get(n)}
                    event.got = frozenset(got)
                    for number in got:
                        self._fresh[number] = True
                else:
                    self.look_for_names(frame)
                self.recording.backwards.append(event)
            except Exception as trouble:
                self.session.trouble("torch", trouble)

    def autograd_grad(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`torch.autograd.grad(outputs, inputs)`."""
        if "autograd" not in getattr(func, "__module__", ""):
            return func(*args, **kwargs)
        outputs = args[0] if args else kwargs.get("outputs", ())
        sources = args[1] if len(args) > 1 else kwargs.get("inputs", ())
        with self._lock:
            loss = self._joined(list(_tensors(outputs)), frame)
            stack = self.session.stacks.capture(frame)
            numbers = [self.value_of(tensor) for tensor in _tensors(sources)]
            variables = [self.recording.values[n].variable for n in numbers]
        event = Backward(
            self.session.tick(), "autograd.grad", loss, stack,
            wanted=tuple(v for v in variables if v is not None),
            asked_values=tuple(n for n, v in zip(numbers, variables, strict=True) if v is None),
            implicit=bool(kwargs.get("create_graph")) or (len(args) > 4 and bool(args[4])),
        )  # fmt: skip
        self.recording.backwards.append(event)
        try:
            result = func(*args, **kwargs)
        except RuntimeError as error:
            event.error = str(error)
            self.look_for_names(frame)
            raise
        parts = list(result) if isinstance(result, tuple | list) else [result]
        event.got = frozenset(v for v, g in zip(variables, parts, strict=False) if v is not None and g is not None)
        found = [g for g in parts if isinstance(g, Tensor)]
        if found and loss is not None:
            with self._lock:
                made = tuple(self._new_value(g) for g in found)
                at = self.session.tick()
                live = any(g.requires_grad for g in found)
                self.recording.ops[at] = Op(at, "autograd.grad", "compute", (loss, *numbers), made, stack, carries=live)
        return result

    def _joined(self, losses: list[Tensor], frame: FrameType) -> int | None:
        if not losses:
            return None
        numbers = tuple(self.value_of(loss) for loss in losses)
        if len(numbers) == 1:
            return numbers[0]
        number = self._next_value
        self._next_value += 1
        live = any(loss.requires_grad for loss in losses)
        self.recording.values[number] = Value(number, (), True, live)
        at = self.session.tick()
        stack = self.session.stacks.capture(frame)
        self.recording.ops[at] = Op(at, "losses", "compute", numbers, (number,), stack, carries=live)
        return number

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        try:
            if self._deep and not self.paused:
                self.paused = True
                closure = kwargs.get("closure") or next((a for a in args[1:] if callable(a)), None)
                if closure is None:
                    self._note_step(optimizer, sys._getframe(1))
                else:
                    self._closures.add(id(optimizer))
                    watched = self._watched_closure(closure)
                    return tuple(watched if a is closure else a for a in args), {
                        key: watched if value is closure else value for key, value in kwargs.items()
                    }
            elif self._suspects:
                self._look_again(optimizer)
        except Exception as trouble:
            self.session.trouble("torch", trouble)
        return None

    def _watched_closure(self, closure: Callable[..., Any]) -> Callable[..., Any]:
        """The closure is the user's training step; what the optimizer computes around it is its own affair."""

        def watched(*args: Any, **kwargs: Any) -> Any:
            was, self.paused = self.paused, False
            try:
                return closure(*args, **kwargs)
            finally:
                self.paused = was

        return watched

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        try:
            if self._deep:
                if id(optimizer) in self._closures:
                    self._closures.discard(id(optimizer))
                    self._note_step(optimizer, sys._getframe(1))
                self.paused = False
                self._perhaps_release()
            elif self._steps_of.get(self._optimizer(optimizer), 0) == 0:
                self._steps_of[self._optimizer(optimizer)] = 0
                if self.session.may_deepen():
                    self.deepen()
            self.session.updated("torch")
        except Exception as trouble:
            self.session.trouble("torch", trouble)

    def _note_step(self, optimizer: Any, frame: FrameType) -> None:
        pairs = [(p, p.grad) for group in optimizer.param_groups for p in group["params"]]
        self.note_step(optimizer, pairs, frame)

    def note_step(self, optimizer: Any, pairs: Iterable[tuple[Tensor, Any]], frame: FrameType) -> None:
        """An optimizer is about to apply these gradients to these parameters."""
        applied, without = set(), set()
        for parameter, grad in pairs:
            variable = self._adopt_variable(parameter)
            fresh = self._fresh.get(variable, True)
            (applied if grad is not None and fresh else without).add(variable)
        number = self._optimizer(optimizer)
        self.recording.optimizers[number].holds |= applied | without
        stack = self.session.stacks.capture(frame)
        self.recording.steps.append(Step(self.session.tick(), number, stack, frozenset(applied), frozenset(without)))
        self.recording.updates += 1
        self._steps_of[number] = self._steps_of.get(number, 0) + 1
        self.look_for_names(frame)

    def _perhaps_release(self) -> None:
        if self.session.deep_enough(self._steps_of):
            self.release()

    def _optimizer(self, optimizer: Any, stack: int | None = None) -> int:
        entry = self._optimizers.get(id(optimizer))
        if entry is not None and entry[0]() is optimizer:
            return entry[1]
        number = len(self.recording.optimizers)
        self._optimizers[id(optimizer)] = (weakref.ref(optimizer), number)
        self.recording.optimizers[number] = Optimizer(number, type(optimizer).__name__, stack, self.session.tick())
        return number

    def _without_gradient(self) -> dict[int, weakref.ref[Tensor]]:
        held = {v for o in self.recording.optimizers.values() for v in o.holds}
        applied = {v for s in self.recording.steps for v in s.applied}
        return {v: self._tensors[v] for v in held - applied if v in self._tensors}

    def _look_again(self, optimizer: Any) -> None:
        """After letting go: has a variable without a gradient received one, now that its own optimizer steps?"""
        given = {id(p) for group in optimizer.param_groups for p in group["params"]}
        for number, reference in list(self._suspects.items()):
            tensor = reference()
            if tensor is None:
                del self._suspects[number]
            elif id(tensor) in given and tensor.grad is not None and bool(tensor.grad.ne(0).any()):
                self.recording.later_gradients.add(number)
                del self._suspects[number]

    # --- names --------------------------------------------------------------------------------------------------

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        was, self.paused = self.paused, True
        try:
            for named in names.find(_ADAPTER, frame).values():
                number = self.variable_of(named.target)
                if number is None:
                    continue
                known = self._ranks.get(number)
                if known is None or named.rank < known:
                    self._ranks[number] = named.rank
                    variable = self.recording.variables[number]
                    variable.name, variable.network = named.name, named.network
                    variable.owner, variable.registered = named.owner, named.registered
                    variable.keeper, variable.model = named.keeper, named.model
            self._refresh_flags()
        except Exception as trouble:
            self.session.trouble("torch", trouble)
        finally:
            self.paused = was

    def _refresh_flags(self) -> None:
        """What is known of a variable only while its tensor lives."""
        for number, variable in self.recording.variables.items():
            tensor = self._tensor(number)
            if tensor is not None:
                variable.trainable = tensor.requires_grad
                copied = self._copied.get(id(tensor))
                variable.copied = copied is not None and copied() is tensor
                variable.frozen = self._frozen_at.get(number)

    def _name_variables(self) -> None:
        self._refresh_flags()
        for variable in self.recording.variables.values():
            if not variable.name:
                size = "x".join(map(str, variable.shape)) or "scalar"
                variable.name = f"parameter {variable.id} ({size})" if variable.parameter else f"tensor ({size})"
                variable.network = "unnamed parameters"

    # --- wrappers -----------------------------------------------------------------------------------------------

    def _wrap_optimizer_init(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            was, self.paused = self.paused, True
            try:
                original(optimizer, *args, **kwargs)
            except (TypeError, ValueError) as error:
                self.paused = was
                self._note_failure("optimizer", error, sys._getframe(1))
                raise
            finally:
                self.paused = was
            try:
                number = self._optimizer(optimizer, self.session.stacks.capture(sys._getframe(1)))
                given = self.recording.optimizers[number]
                for group in optimizer.param_groups:
                    members = frozenset(self._adopt_variable(p) for p in group["params"] if p.is_leaf)
                    given.groups.append(members)
                    given.holds |= members
                if not self._deep and self.session.may_deepen():
                    self.deepen()
            except Exception as trouble:
                self.session.trouble("torch", trouble)

        return __init__

    def _wrap_zero_grad(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def zero_grad(thing: Any, *args: Any, **kwargs: Any) -> Any:
            was, self.paused = self.paused, True
            try:
                return original(thing, *args, **kwargs)
            finally:
                self.paused = was
                if self._deep and not was:
                    try:
                        self._note_clear(thing, sys._getframe(1))
                    except Exception as trouble:
                        self.session.trouble("torch", trouble)

        return zero_grad

    def _note_clear(self, thing: Any, frame: FrameType) -> None:
        optimizer = None
        if isinstance(thing, torch.optim.Optimizer):
            optimizer = self._optimizer(thing)
            tensors = [p for group in thing.param_groups for p in group["params"]]
        else:
            tensors = list(thing.parameters())
        cleared = {self._adopt_variable(t) for t in tensors if t.is_leaf}
        for variable in cleared:
            self._fresh[variable] = False
        stack = self.session.stacks.capture(frame)
        self.recording.clears.append(Clear(self.session.tick(), frozenset(cleared), stack, optimizer))

    def _wrap_initialiser(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """First values are no data flow: nothing is learned through them."""

        def initialise(*args: Any, **kwargs: Any) -> Any:
            was, self.paused = self.paused, True
            try:
                return original(*args, **kwargs)
            finally:
                self.paused = was

        return initialise

    def _wrap_register_parameter(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def register_parameter(module: Any, name: str, param: Any) -> None:
            original(module, name, param)
            known = self._created.get(id(param))
            if param is not None and (known is None or known[0]() is not param):
                stack = self.session.stacks.capture(sys._getframe(1))
                self._created[id(param)] = (weakref.ref(param), stack, self.session.tick())

        return register_parameter

    def _wrap_deepcopy(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def __deepcopy__(parameter: Any, memo: Any) -> Any:
            was, self.paused = self.paused, True
            try:
                result = original(parameter, memo)
            finally:
                self.paused = was
            source = self.variable_of(parameter)
            if source is not None and source in self._frozen_at:  # a copy of something frozen is frozen too
                self._frozen_at[self._adopt_variable(result)] = self._frozen_at[source]
            else:
                self._copied[id(result)] = weakref.ref(result)
            stack = self.session.stacks.capture(sys._getframe(1))
            self._created[id(result)] = (weakref.ref(result), stack, self.session.tick())
            return result

        return __deepcopy__

    def _wrap_function_apply(self, original: Any) -> Any:
        """A custom `autograd.Function` is one operation; what its forward does inside is its own affair."""
        plain = original.__func__

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if self.paused or not self._deep:
                return plain(cls, *args, **kwargs)
            first = self.session.now()
            self.paused = cls.__name__ != "CheckpointFunction"
            try:
                result = plain(cls, *args, **kwargs)
            finally:
                self.paused = False
            try:
                with self._lock:
                    self._note_function(cls.__name__, args, result, first, sys._getframe(1))
            except Exception as trouble:
                self.session.trouble("torch", trouble)
            return result

        return classmethod(apply)

    def _note_function(self, name: str, args: Any, result: Any, first: int, frame: FrameType) -> None:
        inside = [op for at, op in self.recording.ops.items() if at >= first]
        read = {i for op in inside for i in op.inputs if self.recording.values[i].variable is not None}
        inputs = tuple(dict.fromkeys([*self._inputs(args, {}, name), *read]))
        outputs = [t for t in _tensors(result)]
        if not outputs:
            return
        numbers = tuple(self._new_value(t) for t in outputs)
        live = any(t.requires_grad for t in outputs)
        at = self.session.tick()
        kind: Kind = "compute" if live or not torch.is_grad_enabled() else "opaque"
        self.recording.ops[at] = Op(at, name, kind, inputs, numbers, self.session.stacks.capture(frame), carries=live,
                                    switch=self._switch_for(outputs))  # fmt: skip

    def _wrap_compile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def compile(*args: Any, **kwargs: Any) -> Any:
            if self._deep:
                self._set_stance("force_eager")
            return original(*args, **kwargs)

        return compile

    def _set_stance(self, stance: str) -> None:
        """Compiled functions run eagerly while they are looked at."""
        if stance == "default" and not self._stance_set:
            return
        try:
            torch.compiler.set_stance(stance)
            self._stance_set = stance != "default"
        except Exception as trouble:  # PyTorch before 2.6 has no stance
            self.session.trouble("torch.compile", trouble)

    def _wrap_inference_mode(self, original: Any) -> Any:
        recorder = self

        class inference_mode(original):  # type: ignore[misc,valid-type]
            def __enter__(self) -> Any:
                recorder.push_switch("inference_mode", sys._getframe(1), bool(self.mode))
                return super().__enter__()

            def __exit__(self, *exc: Any) -> Any:
                recorder.pop_switch(bool(self.mode))
                return super().__exit__(*exc)

        inference_mode.__name__ = inference_mode.__qualname__ = "inference_mode"
        return inference_mode

    def _wrap_thread(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def _bootstrap_inner(thread: Any) -> Any:
            if not self._deep:
                return original(thread)
            with _Mode(self):
                return original(thread)

        return _bootstrap_inner

    def set_grad_enabled(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`no_grad`, `enable_grad` and `set_grad_enabled` all end here."""
        was = torch.is_grad_enabled()
        result = func(*args, **kwargs)
        now = torch.is_grad_enabled()
        if was and not now:
            self.push_switch("no_grad", frame, True)
        elif now and not was:
            self.pop_switch(True)
        return result

    def push_switch(self, name: str, frame: FrameType | None, off: bool) -> None:
        """Recording was turned off at this frame."""
        if not off:
            return
        try:
            number = len(self.recording.switches) + 1
            inside, decorator = _who_switched(frame)
            stack = self.session.stacks.capture(frame)
            self.recording.switches[number] = Switch(
                number, self.session.tick(), name, stack, decorator=decorator, inside=inside
            )
            self._switches.append(number)
        except Exception as trouble:
            self.session.trouble("torch", trouble)

    def pop_switch(self, off: bool) -> None:
        """Recording is on again."""
        if off and self._switches:
            self._switches.pop()

    def requires_grad_set(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`requires_grad_()` and `x.requires_grad = …`: who froze what, and what became a variable."""
        tensor = args[0]
        result = func(*args, **kwargs)
        try:
            stack = self.session.stacks.capture(frame)
            if tensor.is_leaf and (tensor.requires_grad or isinstance(tensor, torch.nn.Parameter)):
                if id(tensor) not in self._created:
                    self._created[id(tensor)] = (weakref.ref(tensor), stack, self.session.tick())
                number = self._adopt_variable(tensor)
                if tensor.requires_grad:
                    self._frozen_at.pop(number, None)
                else:
                    self._frozen_at[number] = stack
                for value in self.recording.values.values():
                    if value.variable == number:
                        value.live = tensor.requires_grad
        except Exception as trouble:
            self.session.trouble("torch", trouble)
        return result

    def grad_read(self, name: str, func: Any, args: Any, kwargs: Any, frame: FrameType) -> Any:
        """`x.grad`, read by the program itself."""
        result = func(*args, **kwargs)
        try:
            tensor = args[0]
            variable = self.variable_of(tensor)
            if isinstance(result, Tensor):
                if variable is not None and self.session.is_user(frame):
                    self.recording.hand_updated.add(variable)
            elif result is None and not tensor.is_leaf and tensor.requires_grad and self.session.is_user(frame):
                stack = self.session.stacks.capture(frame)
                at = self.session.tick()
                self.recording.backwards.append(
                    Backward(at, ".grad", None, stack, asked_values=(self.value_of(tensor),), error="not a leaf")
                )
                self.look_for_names(frame)
        except Exception as trouble:
            self.session.trouble("torch", trouble)
        return result

    # --- Keras on the torch backend -----------------------------------------------------------------------------

    def _attach_keras(self, keras: Any) -> None:
        if keras.config.backend() != "torch":
            return
        base = keras.src.optimizers.base_optimizer.BaseOptimizer
        self._patches.replace(base, "apply", self._wrap_keras_apply)

    def _wrap_keras_apply(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            deep = self._deep and not self.paused
            try:
                grads = list(grads)
                variables = list(
                    trainable_variables if trainable_variables is not None else optimizer._trainable_variables
                )
                if deep:
                    pairs = [(v.value, g) for v, g in zip(variables, grads, strict=False)]
                    self.note_step(optimizer, pairs, sys._getframe(1))
                    self.paused = True
            except Exception as trouble:
                self.session.trouble("keras", trouble)
            try:
                return original(optimizer, grads, trainable_variables)
            finally:
                if deep:
                    self.paused = False
                    self._perhaps_release()
                self.session.updated("torch")

        return apply

    # --- upkeep -------------------------------------------------------------------------------------------------

    def _prune(self) -> None:
        self._known = {k: entry for k, entry in self._known.items() if entry[0]() is not None}
        self._created = {k: entry for k, entry in self._created.items() if entry[0]() is not None}
        alive = {number for _, number in self._known.values()}
        prune(self.recording, alive, keep_recent=_LEAVES_KEPT // 3)
        self._next_prune = max(_LEAVES_KEPT, 2 * len(self.recording.ops))


_SPECIAL: dict[str, Callable[..., Any]] = {
    "backward": TorchRecorder.backward,
    "grad": TorchRecorder.autograd_grad,
    "_set_grad_enabled": TorchRecorder.set_grad_enabled,
    "requires_grad_": TorchRecorder.requires_grad_set,
    "requires_grad.__set__": TorchRecorder.requires_grad_set,
    "grad.__get__": TorchRecorder.grad_read,
}


def _tensors(thing: Any) -> Iterator[Tensor]:
    """Tensors in nested arguments."""
    if isinstance(thing, Tensor):
        yield thing
    elif isinstance(thing, list | tuple):
        for item in thing:
            if isinstance(item, Tensor):
                yield item
            elif isinstance(item, list | tuple | dict):
                yield from _tensors(item)
    elif isinstance(thing, dict):
        for item in thing.values():
            yield from _tensors(item)


def _requires_grad(tensor: Tensor) -> bool:
    try:
        return tensor.requires_grad
    except RuntimeError:  # a view made under no_grad whose base was written since: autograd refuses to say
        return False


def _has_history(tensor: Tensor) -> bool:
    try:
        return tensor.grad_fn is not None
    except RuntimeError:
        return False


def _leaves_of(tensor: Tensor) -> list[Tensor]:
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


def _initialises(frame: FrameType | None) -> bool:
    """Whether a write gives a variable its first values or moves it (`.to(device)`), rather than new content."""
    for _ in range(4):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith("init.py") or frame.f_code.co_name in ("reset_parameters", "_apply"):
            return True
        frame = frame.f_back
    return False


def _who_switched(frame: FrameType | None) -> tuple[str, bool]:
    """The library function that turned recording off (empty for the user's code), and whether by decorator."""
    decorator = False
    while frame is not None:
        file = frame.f_code.co_filename
        if file.endswith(("grad_mode.py", "torch_recorder.py")):
            frame = frame.f_back
        elif file.endswith("_contextlib.py"):
            decorator = True
            frame = frame.f_back
        elif f"{_TORCH_HOME}" in file and not decorator:
            return frame.f_code.co_qualname, False
        else:
            return "", decorator
    return "", decorator


_TORCH_HOME = torch.__path__[0]


def _entries(module: torch.nn.Module) -> Iterator[tuple[str, str, Any, str]]:
    registered = set()
    for path, parameter in module.named_parameters(remove_duplicate=False):
        registered.add(id(parameter))
        yield path, path.rpartition(".")[0], parameter, ""
    for prefix, part in module.named_modules():
        for attribute, thing in vars(part).items():
            if attribute.startswith("_") and attribute in _MODULE_INTERNALS:
                continue
            start = f"{prefix}.{attribute}" if prefix else attribute
            for path, parameter in _hidden(start, thing, 0):
                if id(parameter) not in registered:
                    yield path, path.rpartition(".")[0] or start, parameter, type(part).__qualname__


_MODULE_INTERNALS = frozenset(vars(torch.nn.Module())) - {"training"}


def _hidden(name: str, thing: Any, depth: int) -> Iterator[tuple[str, Tensor]]:
    """Parameters inside containers that `nn.Module` does not look into."""
    if depth > 3:
        return
    if isinstance(thing, torch.nn.Module):
        for path, parameter in thing.named_parameters():
            yield f"{name}.{path}", parameter
    elif isinstance(thing, torch.nn.Parameter):
        yield name, thing
    elif isinstance(thing, Tensor):
        if thing.requires_grad and thing.is_leaf:
            yield name, thing
    elif isinstance(thing, list | tuple):
        for index, item in enumerate(thing[:64]):
            yield from _hidden(f"{name}[{index}]", item, depth + 1)
    elif isinstance(thing, dict):
        for key, item in list(thing.items())[:64]:
            yield from _hidden(f"{name}[{key!r}]", item, depth + 1)


_ADAPTER = names.Adapter(
    is_model=lambda thing: isinstance(thing, torch.nn.Module),
    is_variable=lambda thing: isinstance(thing, Tensor) and thing.is_leaf and thing.requires_grad,
    entries=_entries,
    key=id,
)
