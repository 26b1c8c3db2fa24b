"""Records a TensorFlow program: every eager operation, with the line that made it.

`op_callbacks` (what TensorFlow's own debugger uses) shows each operation with its inputs and outputs; the bodies of
`tf.function` run eagerly while the recorder looks. Tapes, optimizers, Keras layers and the ways out to NumPy are
watched by small wrappers, each kind in a file of its own. The recorder reads of the program's tensors only what they
contain, keeps none of them alive, and draws no random number.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tensorflow.python.eager import context
from tensorflow.python.framework import op_callbacks, ops, versions
from tensorflow.python.pywrap_tfe import TFE_Py_TapeSetIsStopped

from whygrad.flow.operations import ITS_OWN, Kind, Op
from whygrad.flow.recording import Recording
from whygrad.trace import tensorflow_generated
from whygrad.trace import tensorflow_vocabulary as words
from whygrad.trace.handover import Exits
from whygrad.trace.keras_layers import Layers
from whygrad.trace.patches import Patches
from whygrad.trace.ring import Ring
from whygrad.trace.session import Session
from whygrad.trace.tensorflow_by_hand import ByHand
from whygrad.trace.tensorflow_copies import TensorFlowCopies
from whygrad.trace.tensorflow_datasets import Datasets
from whygrad.trace.tensorflow_edits import Edits
from whygrad.trace.tensorflow_exits import Doors
from whygrad.trace.tensorflow_functions import Functions
from whygrad.trace.tensorflow_naming import Naming
from whygrad.trace.tensorflow_numbers import SINGULAR, NumbersSeen, look_at_batch
from whygrad.trace.tensorflow_optimizers import Optimizers
from whygrad.trace.tensorflow_retraces import Retraces
from whygrad.trace.tensorflow_tapes import Tapes
from whygrad.trace.tensorflow_values import LOOKED_AT, Values, asks_to_stop, in_stop
from whygrad.trace.tensorflow_variables import ResourceVariable, Variables
from whygrad.trace.upkeep import prune

EagerTensor = ops.EagerTensor

_KEPT = 60_000
_BATCH = 1 << 20
"""Numbers that are read of a batch from a pipeline: they tell whether it has been here."""


def start(session: Session) -> TensorFlowRecorder:
    """Begin to record; the recorder lives until `finish`."""
    recorder = TensorFlowRecorder(session)
    tensorflow_generated.attach()
    recorder.attach()
    return recorder


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
        self.values = Values(self)
        self.deep = False
        self.light = Patches()
        self.tapes = Tapes(self)
        self.functions = Functions(self)
        self.optimizers = Optimizers(self)
        self.edits = Edits(self)
        self.by_hand = ByHand(self)
        self.doors = Doors(self)
        self.datasets = Datasets(self)
        self.layers = Layers(self)
        self.naming = Naming(self)
        self.numbers = NumbersSeen(self)
        self.variables = Variables(self)
        self.copies = TensorFlowCopies(self)
        self.retraces = Retraces(self)
        self.ring = Ring(session, self.recording, self.values.alive)
        self._deep_patches = Patches()
        self._gradients: dict[str, bool] = {}
        self._next_prune = _KEPT
        self._forgotten = False

    # --- attaching and letting go -------------------------------------------------------------------------------

    def attach(self) -> None:
        """Put the wrappers in place and begin deep tracing."""
        self.optimizers.attach(self.light)
        self.retraces.attach(self.light)
        self.edits.attach(self.light)
        self.tapes.attach(self.light)
        self.functions.attach(self.light)
        self.light.replace(ResourceVariable, "__init__", self.variables.wrap_init)
        self.deepen()
        for package in ("keras", "tf_keras"):
            self.session.when_imported(package, self._attach_keras)

    def _attach_keras(self, package: Any) -> None:
        if getattr(getattr(package, "config", None), "backend", lambda: "tensorflow")() != "tensorflow":
            return
        self.optimizers.attach_keras(package, self.light)
        self.edits.attach_keras(package, self.light)
        self.layers.attach(package, self.light)
        self.doors.attach_keras(package, self.light)

    def deepen(self) -> None:
        """Begin (or begin again) to see every operation."""
        if self._forgotten:
            return
        if self.ring.running or not self.deep:
            self.ring.reopen()
            self.optimizers.updates.begin_again()
        if self.deep:
            return
        self.deep = True
        self.local.tapes.clear()
        self.local.switches.clear()
        for part in (self.tapes, self.functions, self.doors, self.datasets):
            part.attach_deep(self._deep_patches)
        op_callbacks.add_op_callback(self._callback)

    def looks_on(self) -> bool:
        """Whether the first updates are over, and what comes is not looked at, or for its numbers alone."""
        return self.ring.running or not self.deep

    def release(self) -> None:
        """The first updates have been seen: look on for the numbers alone where nothing is compiled, else let go."""
        if not self.deep:
            return
        self.optimizers.remember_suspects()
        self.copies.watch()
        if self.functions.runs_compiled or not self.ring.begin():
            self.let_go()

    def let_go(self) -> None:
        """From here on the program runs at its own speed. Only optimizers are still looked at."""
        self.ring.end()
        if not self.deep:
            return
        self.deep = False
        self._deep_patches.undo()
        if self._callback in context.context().op_callbacks:
            op_callbacks.remove_op_callback(self._callback)
        self.copies.attach_late(self.light)

    def detach(self) -> None:
        """Take every wrapper away."""
        self.let_go()
        self.light.undo()

    def finish(self) -> Recording:
        """Detach and return what was seen."""
        self.look_for_names(sys._getframe())
        try:
            self.by_hand.finish()
            self.numbers.last_glance()
        except Exception as trouble:
            self.trouble(trouble)
        self.optimizers.look_at_the_end()
        self.retraces.finish()
        self.detach()
        recording = self.recording
        recording.stacks = self.session.stacks.resolve()
        self.exits.link(recording)
        self.datasets.link(recording)
        self.copies.link()
        self.naming.name_variables(recording.stacks)
        return self.ring.split()

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

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        self.naming.look_for_names(frame)

    def trouble(self, error: BaseException) -> None:
        """Something of ours failed; the program goes on."""
        self.session.trouble("tensorflow", error)

    def variable_number(self, thing: Any, adopt: bool) -> int | None:
        """The number of a variable that the program has declared something about."""
        store = self.variables.store_of(thing)
        if store is None:
            return None
        return self.variables.number_of(store) if adopt else store.number

    # --- one operation ------------------------------------------------------------------------------------------

    def _callback(
        self, op_type: Any, inputs: Any, attrs: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> None:
        if graph is not None or not self.deep:
            return
        try:
            if self.local.busy:
                if self.functions.read_inside is not None:
                    self.functions.peek(inputs, sys._getframe(1))
                return
            with self.lock:
                name = op_type.decode() if isinstance(op_type, bytes) else op_type
                self._note(name, inputs, outputs, sys._getframe(1))
        except Exception as trouble:  # the program goes on whatever happens to us
            self.trouble(trouble)

    def _note(self, op_type: str, inputs: Any, outputs: Any, frame: FrameType) -> None:
        if op_type in words.NOT_DATA:
            return
        if op_type in words.WRITES:
            self.variables.note_write(op_type, inputs, frame)
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
        sources = self.values.inputs(inputs, stack, frame)
        numbers = tuple([self.values.new(tensor) for tensor in outputs])
        kind = self._kind(op_type, sources, numbers)
        if kind != "compute" or op_type in SINGULAR:
            put_in = self.layers.put_in(frame)
            stack = self.session.stacks.inside(stack, put_in) if put_in is not None else stack
        detail = outputs[0].dtype.name if kind == "discrete" else ""
        detail = ITS_OWN if kind == "stop" and not asks_to_stop(frame, self.session.is_user) else detail
        own_pause = kind == "stop" or words.is_function(op_type) or (op_type in words.READS and in_stop(frame))
        carries = self._carries(op_type, kind)
        op = self.add(words.friendly(op_type), kind, sources, numbers, stack, carries, detail, own_pause)
        self.numbers.of_call(op, op_type, inputs, outputs)
        if op_type == "IteratorGetNext":
            self.datasets.entered(op.at)
            for number, tensor in zip(numbers, outputs, strict=True):
                content = self.values.content_of(tensor, _BATCH)
                self.exits.entered(op.at, content, batch=True)
                if content is not None and content.size <= LOOKED_AT:
                    self.recording.values[number].numbers = look_at_batch(content)
        if len(self.recording.ops) > self._next_prune:
            self._prune()

    def add(
        self, name: str, kind: Kind, inputs: Iterable[int], outputs: tuple[int, ...], stack: int, carries: bool,
        detail: str = "", pauses_itself: bool = False,
    ) -> Op:  # fmt: skip
        """Write one operation down, with the tapes that record at this moment.

        `tf.stop_gradient` and compiled functions pause the tapes for themselves; that pause says nothing.
        """
        local = self.local
        tapes = tuple(local.tapes) if pauses_itself or not TFE_Py_TapeSetIsStopped() else ()
        switch = local.switches[-1] if local.switches and not tapes else None
        at = self.session.tick()
        op = Op(at, name, kind, tuple(inputs), outputs, stack, carries, switch, tapes, detail)
        self.recording.ops[at] = op
        self.by_hand.pass_on(op)
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

    # --- upkeep -------------------------------------------------------------------------------------------------

    def _prune(self) -> None:
        prune(self.recording, self.values.alive(), _KEPT // 3, self.ring.stays(), self.exits.returned())
        self._next_prune = max(_KEPT, 2 * len(self.recording.ops))
