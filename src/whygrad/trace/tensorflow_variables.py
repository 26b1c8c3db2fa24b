"""The `tf.Variable`s of a program: which handle is which, what each holds at present, and who writes into it."""

from __future__ import annotations

import sys
import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops
from tensorflow.python.ops import resource_variable_ops

from whygrad.flow.events import Write
from whygrad.flow.operations import Value
from whygrad.flow.variables import Variable
from whygrad.trace import keras_names
from whygrad.trace import tensorflow_vocabulary as words
from whygrad.trace.copies import PASSED_ON

if TYPE_CHECKING:
    from whygrad.trace.tensorflow_recorder import TensorFlowRecorder

EagerTensor = ops.EagerTensor
ResourceVariable = resource_variable_ops.BaseResourceVariable
_INITIALISING = frozenset({"_init_from_args", "_initialize"})


@dataclass(slots=True)
class Store:
    """A `tf.Variable` as the recorder knows it: its handle, its present content, and its number once it matters."""

    handle: int
    reference: weakref.ref[Any] | None = None
    content: int | None = None
    number: int | None = None
    created: int | None = None
    born: int = 0
    layer_made: bool = False
    copied: bool = False
    derived: dict[int, int] = field(default_factory=dict)
    """Variables that its content was computed from, by more than being handed on, with the stack of the write."""


class Variables:
    """Every variable by the number of its handle."""

    def __init__(self, recorder: TensorFlowRecorder) -> None:
        self.recorder = recorder
        self.stores: dict[int, Store] = {}
        self.numbered: dict[int, Store] = {}

    def at_handle(self, handle: Any, frame: FrameType | None) -> Store:
        """The store of a resource handle; its variable is looked for among the callers at `frame`."""
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
        store = self.at_handle(handle, None)
        if store.reference is None:
            store.reference = weakref.ref(variable)
        return store

    def content(self, store: Store) -> int:
        """The number of what a variable holds at present."""
        if store.content is None:
            store.content = self.recorder.values.fresh()
            variable = store.reference() if store.reference is not None else None
            shape = tuple(variable.shape.as_list()) if variable is not None and variable.shape.rank is not None else ()
            floating = variable is None or variable.dtype.as_datatype_enum in words.FLOATING
            self.recorder.recording.values[store.content] = Value(
                store.content, shape, floating, floating, store.number
            )
        return store.content

    def read(self, store: Store) -> int:
        """The value of a variable's content; being read is what makes a variable worth a number."""
        self.number_of(store)
        return self.content(store)

    def number_of(self, store: Store) -> int:
        """The variable's number, given on first interest."""
        if store.number is None:
            content = self.content(store)
            store.number = self.recorder.values.fresh()
            value = self.recorder.recording.values[content]
            value.variable = store.number
            self.numbered[store.number] = store
            variable = store.reference() if store.reference is not None else None
            self.recorder.recording.variables[store.number] = Variable(
                id=store.number, name="", network="", shape=value.shape,
                trainable=value.floating and bool(variable is None or variable.trainable), created=store.created,
                born=store.born, derived_from=store.derived,
            )  # fmt: skip
            self.recorder.copies.first(store.number)
        return store.number

    def wrap_init(self, original: Any) -> Any:
        """See variables being made."""

        def __init__(variable: Any, *args: Any, **kwargs: Any) -> None:
            original(variable, *args, **kwargs)
            if not self.recorder.local.busy and isinstance(getattr(variable, "_handle", None), EagerTensor):
                try:
                    store = self.at_handle(variable._handle, None)
                    if type(variable).__name__ != "_UnreadVariable":  # what assign() returns, of the same handle
                        store.reference = weakref.ref(variable)
                    store.born = store.born or self.recorder.session.now()
                    if store.created is None:
                        store.created = self.recorder.session.stacks.capture(sys._getframe(1))
                except Exception as trouble:
                    self.recorder.trouble(trouble)

        return __init__

    def note_write(self, op_type: str, inputs: Any, frame: FrameType) -> None:
        """A variable's content is replaced or changed."""
        store = self.at_handle(inputs[0], frame)
        stack = self.recorder.session.stacks.capture(frame)
        sources = self.recorder.values.inputs(inputs[-1:], stack, frame)
        if store.reference is None and _initialising(frame):
            self.recorder.add("Variable", "enter", sources, (self._new_content(store, inputs[-1]),), stack, False)
            return
        by, before = words.WRITES[op_type], self.content(store)
        if op_type not in words.OVERWRITES:
            sources = [before, *sources]
        copies = op_type in words.OVERWRITES and self._copies(store, sources, stack)
        after = self._new_content(store, inputs[-1] if op_type in words.OVERWRITES else None)
        # Where it is written to may have been computed.
        places = self.recorder.values.inputs(inputs[1:-1], stack, frame)
        given = () if self._is_sync(store) else (*sources, *places)
        op = self.recorder.add(by, "write", given, (after,), stack, False)
        store.copied = store.copied or copies
        variable = store.reference() if store.reference is not None else None
        weights = variable is not None and variable.trainable and bool(len(variable.shape))
        if store.number is None and (weights or self.recorder.by_hand.marked(sources)):
            self.number_of(store)  # a network's, or one that sums up gradients
        by_hand = self.recorder.by_hand.wrote(store, sources, after, stack, frame)
        if store.number is not None:
            if not by_hand:
                self.recorder.copies.wrote(op.at, store.number, stack, sources)
            write = Write(op.at, before, after, by, stack, store.number, () if op.inputs else tuple(sources))
            self.recorder.recording.writes.append(write)
            if not by_hand:
                self.recorder.recording.hand_updated.add(store.number)

    def _new_content(self, store: Store, tensor: Any = None) -> int:
        old = self.recorder.recording.values[store.content] if store.content is not None else None
        number = self.recorder.values.fresh()
        if old is not None and tensor is None:
            value = Value(number, old.shape, old.floating, old.live, store.number)
        else:
            floating = tensor is None or tensor._datatype_enum() in words.FLOATING
            value = Value(number, tensor._shape_tuple() if tensor is not None else (), floating, floating, store.number)
        self.recorder.recording.values[number] = value
        store.content = number
        return number

    def overwritten(self, stores: list[Store], by: str, stack: int) -> None:
        """An optimizer has changed these variables."""
        before = [self.content(store) for store in stores]
        numbers = [store.number for store in stores if store.number is not None]
        self.recorder.copies.stepped(numbers)
        self.recorder.copies.step_done(numbers)
        after = [self._new_content(store) for store in stores]
        op = self.recorder.add(by, "write", (), tuple(after), stack, False)
        for store, old, new in zip(stores, before, after, strict=True):
            self.recorder.recording.writes.append(Write(op.at, old, new, by, stack, store.number))

    def _is_sync(self, store: Store) -> bool:
        """Weights set while no tape records: a target network, a checkpoint, a step by hand. Nothing flows through."""
        variable = store.reference() if store.reference is not None else None
        weights = store.layer_made or variable is None or variable.trainable
        return bool(weights and not self.recorder.local.tapes)

    def _copies(self, store: Store, sources: list[int], stack: int) -> bool:
        """Whether an assigned value comes from elsewhere, rather than from the variable itself and its gradient.

        What was made of other variables on the way (`alpha.assign(tf.exp(log_alpha))`) is written down.
        """
        made = {value: op for op in list(self.recorder.recording.ops.values())[-400:] for value in op.outputs}
        todo, seen, own, other = [(value, False) for value in sources], set(sources), False, False
        while todo and len(seen) < 200:
            value, computed = todo.pop()
            if value == store.content:
                own = True
                continue
            variable = self.recorder.recording.values[value].variable
            if variable is not None:
                other = True
                store.derived.update({variable: stack} if computed else {})
                continue
            op = made.get(value)
            for source in op.inputs if op is not None and op.name not in ("gradient", "jacobian") else ():
                if source not in seen and op is not None:
                    seen.add(source)
                    todo.append((source, computed or op.name not in PASSED_ON))
        return other or not own


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
