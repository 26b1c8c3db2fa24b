"""Records a TensorFlow program: every eager operation, with the line that made it.

`op_callbacks` (what TensorFlow's own debugger uses) shows each operation with its inputs and outputs; the bodies of
`tf.function` run eagerly while the recorder looks. Tapes, optimizers, Keras layers and the ways out to NumPy are
watched by small wrappers, each kind in a file of its own. The recorder computes nothing with the program's tensors,
keeps none of them alive, and draws no random number.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks, ops, versions
from tensorflow.python.ops import resource_variable_ops
from tensorflow.python.pywrap_tfe import TFE_Py_TapeSetIsStopped

from whygrad.flow.recording import Kind, Op, Recording, Value, Variable, Write
from whygrad.flow.site import Stack
from whygrad.trace import keras_names, names
from whygrad.trace import tensorflow_vocabulary as words
from whygrad.trace.handover import Exits
from whygrad.trace.keras_layers import Layers
from whygrad.trace.patches import Patches
from whygrad.trace.session import Session
from whygrad.trace.tensorflow_exits import Doors
from whygrad.trace.tensorflow_functions import Functions
from whygrad.trace.tensorflow_optimizers import Optimizers
from whygrad.trace.tensorflow_tapes import Tapes
from whygrad.trace.upkeep import prune

EagerTensor = ops.EagerTensor
ResourceVariable = resource_variable_ops.BaseResourceVariable

_KEPT = 60_000
_FLOATING = frozenset({1, 2, 8, 14, 18, 19, 21})
"""DataType numbers: float, double, complex64, bfloat16, complex128, half, and variant (a list of tensors)."""
_RESOURCE = 20
_INITIALISING = frozenset({"_init_from_args", "_initialize"})


def start(session: Session) -> TensorFlowRecorder:
    """Begin to record; the recorder lives until `finish`."""
    recorder = TensorFlowRecorder(session)
    recorder.attach()
    return recorder


@dataclass(slots=True)
class Store:
    """A `tf.Variable` as the recorder knows it: its handle, its present content, and its number once it matters."""

    handle: int
    reference: weakref.ref[Any] | None = None
    content: int | None = None
    number: int | None = None
    created: int | None = None
    layer_made: bool = False
    copied: bool = False


class _Local(threading.local):
    """What is true for one thread: TensorFlow's callbacks and tapes are per thread too."""

    busy = 0

    def __init__(self) -> None:
        self.tapes: list[int] = []
        self.switches: list[int] = []


class TensorFlowRecorder:
    """The state of one recording."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.recording = Recording("tensorflow", versions.__version__)
        self.local = _Local()
        self.lock = threading.RLock()
        self.exits = Exits()
        self.deep = False
        self.light = Patches()
        self.tapes = Tapes(self)
        self.functions = Functions(self)
        self.optimizers = Optimizers(self)
        self.doors = Doors(self)
        self.layers = Layers(self)
        self._deep_patches = Patches()
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self.stores: dict[int, Store] = {}
        self._numbered: dict[int, Store] = {}
        self._next = 0
        self._gradients: dict[str, bool] = {}
        self._named: dict[int, names.Named] = {}
        self._next_prune = _KEPT
        self._forgotten = False

    # --- attaching and letting go -------------------------------------------------------------------------------

    def attach(self) -> None:
        """Put the wrappers in place and begin deep tracing."""
        self.optimizers.attach(self.light)
        self.deepen()
        for package in ("keras", "tf_keras"):
            self.session.when_imported(package, self._attach_keras)

    def _attach_keras(self, package: Any) -> None:
        if getattr(getattr(package, "config", None), "backend", lambda: "tensorflow")() != "tensorflow":
            return
        self.optimizers.attach_keras(package, self.light)
        self.layers.attach(package, self.light)
        self.doors.attach_keras(package, self.light)

    def deepen(self) -> None:
        """Begin (or begin again) to see every operation."""
        if self.deep or self._forgotten:
            return
        self.deep = True
        self.local.tapes.clear()
        self.local.switches.clear()
        for part in (self.tapes, self.functions, self.doors):
            part.attach_deep(self._deep_patches)
        self._deep_patches.replace(ResourceVariable, "__init__", self._wrap_variable_init)
        op_callbacks.add_op_callback(self._callback)

    def release(self) -> None:
        """Let go: from here on the program runs at its own speed. Only optimizers are still looked at."""
        if not self.deep:
            return
        self.deep = False
        self._deep_patches.undo()
        if self._callback in context.context().op_callbacks:
            op_callbacks.remove_op_callback(self._callback)
        self.optimizers.remember_suspects()

    def detach(self) -> None:
        """Take every wrapper away."""
        self.release()
        self.light.undo()

    def finish(self) -> Recording:
        """Detach and return what was seen."""
        self.look_for_names(sys._getframe())
        self.detach()
        recording = self.recording
        recording.stacks = self.session.stacks.resolve()
        self.exits.link(recording)
        self._name_variables(recording.stacks)
        return recording

    def forget_in_child(self) -> None:
        """A forked process is not followed."""
        self._forgotten = True
        self.deep = False

    def active(self) -> bool:
        """Whether this thread's operations are being written down."""
        return self.deep and not self.local.busy and context.executing_eagerly()

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """What happens inside is the framework's own affair: an optimizer's arithmetic, a backward pass."""
        self.local.busy += 1
        try:
            yield
        finally:
            self.local.busy -= 1

    def trouble(self, error: BaseException) -> None:
        """Something of ours failed; the program goes on."""
        self.session.trouble("tensorflow", error)

    # --- one operation ------------------------------------------------------------------------------------------

    def _callback(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> None:
        if graph is not None or not self.deep or self.local.busy:
            return
        try:
            with self.lock:
                name = op_type.decode() if isinstance(op_type, bytes) else op_type
                self._note(name, inputs, outputs, sys._getframe(1))
        except Exception as trouble:  # the program goes on whatever happens to us
            self.trouble(trouble)

    def _note(self, op_type: str, inputs: Any, outputs: Any, frame: FrameType) -> None:
        if op_type in words.NOT_DATA:
            return
        if op_type in words.WRITES:
            self._note_write(op_type, inputs, frame)
            return
        if op_type == "EagerPyFunc" and self.functions.returned(outputs):
            return
        if not outputs or not isinstance(outputs[0], EagerTensor):
            return
        stack = self.session.stacks.capture(frame)
        if op_type in words.FILLS:
            inputs = inputs[1:]
        elif op_type in words.SHAPE_ONLY:
            inputs = ()
        sources = self.inputs(inputs, stack, frame)
        numbers = tuple([self.new_value(tensor) for tensor in outputs])
        kind = self._kind(op_type, sources, numbers)
        detail = outputs[0].dtype.name if kind == "discrete" else ""
        self.add(words.friendly(op_type), kind, sources, numbers, stack, self._carries(op_type, kind), detail)
        if len(self.recording.ops) > self._next_prune:
            self._prune()

    def add(
        self, name: str, kind: Kind, inputs: Iterable[int], outputs: tuple[int, ...], stack: int, carries: bool,
        detail: str = "",
    ) -> Op:  # fmt: skip
        """Write one operation down, with the tapes that record at this moment."""
        local = self.local
        # `tf.stop_gradient` pauses the tapes for itself, but what stops the gradient there is the call, not the pause.
        tapes = () if kind != "stop" and TFE_Py_TapeSetIsStopped() else tuple(local.tapes)
        switch = local.switches[-1] if local.switches and not tapes else None
        at = self.session.tick()
        op = Op(at, name, kind, tuple(inputs), outputs, stack, carries, switch, tapes, detail)
        self.recording.ops[at] = op
        return op

    def _kind(self, op_type: str, inputs: list[int], outputs: tuple[int, ...]) -> Kind:
        if op_type in words.STOP:
            return "stop"
        if op_type in words.DISCRETE:
            return "discrete"
        values = self.recording.values
        if any(values[i].floating for i in inputs):
            if not any(values[o].floating for o in outputs):
                return "discrete"
            if not self.has_gradient(op_type):
                return "opaque"
        return "compute"

    def _carries(self, op_type: str, kind: Kind) -> bool:
        return kind in ("compute", "discrete") and self.has_gradient(op_type)

    def has_gradient(self, op_type: str) -> bool:
        """Whether TensorFlow has a gradient for this type of operation."""
        known = self._gradients.get(op_type)
        if known is None:
            try:
                known = words.is_function(op_type) or ops.gradient_registry.lookup(op_type) is not None
            except LookupError:
                known = False
            known = self._gradients[op_type] = known and op_type not in words.ALWAYS_NONE
        return known

    # --- values -------------------------------------------------------------------------------------------------

    def fresh_number(self) -> int:
        """A number nobody has: values and variables share one count."""
        number = self._next
        self._next = number + 1
        return number

    def new_value(self, tensor: Any) -> int:
        """A number for a tensor that was just made."""
        number = self._next
        self._next = number + 1
        floating = tensor._datatype_enum() in _FLOATING
        self._known[tensor._id] = (weakref.ref(tensor), number)
        self.recording.values[number] = Value(number, tensor._shape_tuple(), floating, floating)
        return number

    def alias(self, tensor: Any, number: int) -> None:
        """Another tensor object with the same content."""
        self._known[tensor._id] = (weakref.ref(tensor), number)

    def known(self, tensor: Any) -> int | None:
        """The number of a tensor that was seen before."""
        entry = self._known.get(tensor._id)
        return entry[1] if entry is not None else None

    def value_of(self, tensor: Any, stack: int) -> int:
        """The number of a tensor; one that was never seen is data that enters here."""
        entry = self._known.get(tensor._id)
        if entry is not None:
            return entry[1]
        number = self.new_value(tensor)
        op = self.add("tensor data", "enter", (), (number,), stack, False)
        self.exits.entered(op.at, self._content_of(tensor))
        return number

    def _content_of(self, tensor: Any) -> Any:
        value = self.recording.values[self._known[tensor._id][1]]
        size = 1
        for length in value.shape:
            size *= length or 0
        return tensor._numpy_internal() if value.floating and size <= 4096 and tensor._datatype_enum() != 21 else None

    def inputs(self, tensors: Iterable[Any], stack: int, frame: FrameType) -> list[int]:
        """Numbers of an operation's inputs; a variable's handle stands for its content."""
        numbers = []
        for tensor in tensors:
            if not isinstance(tensor, EagerTensor):
                continue
            if tensor._datatype_enum() == _RESOURCE:
                store = self._store(tensor, frame)
                if store.reference is not None:
                    numbers.append(self.read(store))
            elif tensor._id in self._known:
                numbers.append(self._known[tensor._id][1])
            else:
                numbers.append(self._read_unseen(tensor, frame, stack) or self.value_of(tensor, stack))
        return numbers

    def _read_unseen(self, tensor: Any, frame: FrameType, stack: int) -> int | None:
        """A `tf.Variable` given straight to an operation is read in C++, unseen: it is among the caller's arguments."""
        code, shape, dtype = frame.f_code, tensor._shape_tuple(), tensor._datatype_enum()
        local = frame.f_locals
        for name in code.co_varnames[: code.co_argcount]:
            given = local.get(name)
            for thing in given if isinstance(given, list | tuple) else (given,):
                if not isinstance(thing, ResourceVariable) or thing.dtype.as_datatype_enum != dtype:
                    continue
                store = self.store_of(thing)
                if store is not None and self.recording.values[self.read(store)].shape == shape:
                    number = self.new_value(tensor)
                    self.add("read_value", "compute", (self.read(store),), (number,), stack, True)
                    return number
        return None

    def tensors_in(self, thing: Any, depth: int = 0) -> Iterator[Any]:
        """Tensors in nested arguments."""
        if isinstance(thing, EagerTensor):
            yield thing
        elif depth < 4:
            if isinstance(thing, list | tuple):
                for item in thing[:1024]:
                    yield from self.tensors_in(item, depth + 1)
            elif isinstance(thing, dict):
                for item in thing.values():
                    yield from self.tensors_in(item, depth + 1)

    # --- variables ----------------------------------------------------------------------------------------------

    def _store(self, handle: Any, frame: FrameType | None) -> Store:
        store = self.stores.get(handle._id)
        if store is None:
            store = self.stores[handle._id] = Store(handle._id)
        if store.reference is None and frame is not None:
            owner = _owner(handle, frame)
            if owner is not None:
                store.reference = weakref.ref(owner)
        return store

    def store_of(self, thing: Any) -> Store | None:
        """The store of a `tf.Variable` or of a Keras variable; None for anything else."""
        variable = keras_names.tf_variable(thing)
        if variable is None:
            return None
        handle = variable._handle
        if not isinstance(handle, EagerTensor):
            return None
        store = self._store(handle, None)
        if store.reference is None:
            store.reference = weakref.ref(variable)
        return store

    def _content(self, store: Store) -> int:
        if store.content is None:
            store.content = self.fresh_number()
            variable = store.reference() if store.reference is not None else None
            shape = tuple(variable.shape.as_list()) if variable is not None and variable.shape.rank is not None else ()
            floating = variable is None or variable.dtype.as_datatype_enum in _FLOATING
            self.recording.values[store.content] = Value(store.content, shape, floating, floating, store.number)
        return store.content

    def read(self, store: Store) -> int:
        """The value of a variable's content; being read is what makes a variable worth a number."""
        self.number_of(store)
        return self._content(store)

    def number_of(self, store: Store) -> int:
        """The variable's number, given on first interest."""
        if store.number is None:
            content = self._content(store)
            store.number = self.fresh_number()
            value = self.recording.values[content]
            value.variable = store.number
            self._numbered[store.number] = store
            variable = store.reference() if store.reference is not None else None
            self.recording.variables[store.number] = Variable(
                id=store.number, name="", network="", shape=value.shape,
                trainable=value.floating and bool(variable is None or variable.trainable), created=store.created,
            )  # fmt: skip
        return store.number

    def _wrap_variable_init(self, original: Any) -> Any:
        def __init__(variable: Any, *args: Any, **kwargs: Any) -> None:
            original(variable, *args, **kwargs)
            if self.deep and not self.local.busy and isinstance(getattr(variable, "_handle", None), EagerTensor):
                try:
                    store = self._store(variable._handle, None)
                    store.reference = weakref.ref(variable)
                    if store.created is None:
                        store.created = self.session.stacks.capture(sys._getframe(1))
                except Exception as trouble:
                    self.trouble(trouble)

        return __init__

    def _note_write(self, op_type: str, inputs: Any, frame: FrameType) -> None:
        store = self._store(inputs[0], frame)
        stack = self.session.stacks.capture(frame)
        sources = self.inputs(inputs[-1:], stack, frame)
        if store.reference is None and _initialising(frame):
            self.add("Variable", "enter", sources, (self._new_content(store, inputs[-1]),), stack, False)
            return
        by, before = words.WRITES[op_type], self._content(store)
        if op_type not in words.OVERWRITES:
            sources = [before, *sources]
        copies = op_type in words.OVERWRITES and self._copies(store, sources)
        after = self._new_content(store, inputs[-1] if op_type in words.OVERWRITES else None)
        op = self.add(by, "write", sources, (after,), stack, False)
        store.copied = store.copied or copies
        if store.number is not None:
            self.recording.writes.append(Write(op.at, before, after, by, stack, store.number))
            self.recording.hand_updated.add(store.number)

    def _new_content(self, store: Store, tensor: Any = None) -> int:
        old = self.recording.values[store.content] if store.content is not None else None
        number = self.fresh_number()
        if old is not None and tensor is None:
            value = Value(number, old.shape, old.floating, old.live, store.number)
        else:
            floating = tensor is None or tensor._datatype_enum() in _FLOATING
            value = Value(number, tensor._shape_tuple() if tensor is not None else (), floating, floating, store.number)
        self.recording.values[number] = value
        store.content = number
        return number

    def overwritten(self, stores: list[Store], by: str, stack: int) -> None:
        """An optimizer has changed these variables."""
        before = [self._content(store) for store in stores]
        after = [self._new_content(store) for store in stores]
        op = self.add(by, "write", (), tuple(after), stack, False)
        for store, old, new in zip(stores, before, after, strict=True):
            self.recording.writes.append(Write(op.at, old, new, by, stack, store.number))

    def _copies(self, store: Store, sources: list[int]) -> bool:
        """Whether an assigned value comes from elsewhere, rather than from the variable itself and its gradient."""
        made = {value: op for op in list(self.recording.ops.values())[-400:] for value in op.outputs}
        todo, seen, own, other = list(sources), set(sources), False, False
        while todo and len(seen) < 200:
            value = todo.pop()
            if value == store.content:
                own = True
                continue
            if self.recording.values[value].variable is not None:
                other = True
                continue
            op = made.get(value)
            for source in op.inputs if op is not None and op.name not in ("gradient", "jacobian") else ():
                if source not in seen:
                    seen.add(source)
                    todo.append(source)
        return other or not own

    # --- names --------------------------------------------------------------------------------------------------

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        with self.quiet():
            try:
                self.layers.catch_up()
                for key, named in names.find(keras_names.ADAPTER, frame).items():
                    known = self._named.get(key)
                    if known is None or named.rank < known.rank:
                        named.target = None
                        self._named[key] = named
            except Exception as trouble:
                self.trouble(trouble)

    def _name_variables(self, stacks: list[Stack]) -> None:
        frozen = self.layers.frozen
        for number, variable in self.recording.variables.items():
            store = self._numbered[number]
            target = store.reference() if store.reference is not None else None
            variable.copied, variable.created = store.copied, store.created
            if target is not None:
                variable.trainable = variable.trainable and bool(target.trainable)
            if store.handle in frozen:
                variable.trainable, variable.frozen = False, frozen[store.handle]
            elif not variable.trainable:
                variable.frozen = store.created
            named = self._named.get(store.handle)
            if named is not None:
                variable.name, variable.network = named.name, named.network
                variable.owner, variable.registered, variable.keeper = named.owner, named.registered, named.keeper
            else:
                self._name_after_layer(variable, store, target, stacks)

    def _name_after_layer(self, variable: Variable, store: Store, target: Any, stacks: list[Stack]) -> None:
        """No name in user code leads to it: use the framework's own."""
        layer = self.layers.layer_name.get(store.handle, "")
        own = self.layers.weight_name.get(store.handle) or _plain(getattr(target, "name", "") or "variable")
        variable.name = f"{layer}.{own}" if layer else own
        variable.network = layer or own
        variable.owner = layer
        made_at = stacks[store.created] if store.created is not None else ()
        called = any(site.function.rpartition(".")[2] in ("call", "__call__") for site in made_at)
        variable.registered = not (store.layer_made and called)

    # --- upkeep -------------------------------------------------------------------------------------------------

    def _prune(self) -> None:
        self._known = {k: entry for k, entry in self._known.items() if entry[0]() is not None}
        alive = {number for _, number in self._known.values()}
        alive.update(store.content for store in self.stores.values() if store.content is not None)
        prune(self.recording, alive, keep_recent=_KEPT // 3)
        self._next_prune = max(_KEPT, 2 * len(self.recording.ops))


def _plain(name: str) -> str:
    return name.partition(":")[0].rpartition("/")[2]


def _owner(handle: Any, frame: FrameType | None) -> Any:
    """The variable whose method reads or writes this handle, found among the callers."""
    for _ in range(8):
        if frame is None:
            return None
        if frame.f_code.co_varnames[:1] == ("self",):
            owner = frame.f_locals.get("self")
            if isinstance(owner, ResourceVariable) and getattr(owner, "_handle", None) is handle:
                return owner
        frame = frame.f_back
    return None


def _initialising(frame: FrameType | None) -> bool:
    for _ in range(6):
        if frame is None:
            return False
        if frame.f_code.co_name in _INITIALISING:
            return True
        frame = frame.f_back
    return False
