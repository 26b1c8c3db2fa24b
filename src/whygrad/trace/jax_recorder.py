"""Records a JAX program: every operation that passes `Primitive.bind`, with the line that made it.

A function under `jit` runs in Python only while it is traced. What it did then is written down again each time the
compiled function is called, with the values it was called with (`jax_scopes`). All gradients pass through `jax.vjp`.
The recorder changes no traced function, so what is compiled is the same with and without it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
from jax._src import pjit

from whygrad.flow.operations import Op, Tape
from whygrad.flow.recording import Recording
from whygrad.trace.handover import Exits
from whygrad.trace.jax_begun import Beginnings
from whygrad.trace.jax_calls import Calls
from whygrad.trace.jax_clipping import Clipping
from whygrad.trace.jax_exits import WaysOut
from whygrad.trace.jax_failures import Failures
from whygrad.trace.jax_gradients import Gradients
from whygrad.trace.jax_hidden import HiddenLayers
from whygrad.trace.jax_inner import Inner
from whygrad.trace.jax_naming import Naming
from whygrad.trace.jax_numbers import NumbersSeen
from whygrad.trace.jax_phases import Phases
from whygrad.trace.jax_scopes import Asked, Closed, Item, Opened, Ran, Root, Scope
from whygrad.trace.jax_spare_trees import SpareTrees
from whygrad.trace.jax_targets import Targets
from whygrad.trace.jax_updates import Updates
from whygrad.trace.jax_values import Values
from whygrad.trace.jax_variables import Variables
from whygrad.trace.patches import Patches
from whygrad.trace.ring import Ring
from whygrad.trace.session import Session
from whygrad.trace.upkeep import prune

_KEPT = 60_000
_SECONDS = 8.0
"""How long to look on after the first updates, in time of the processor: a compiled step is slow to look at."""
_LATER = 20.0
"""How long to look at a later phase of a program at most: it may be gradients that nobody applies."""
_USES = frozenset({"", "periodic_update", "incremental_update"})
"""Where an operation uses a network as it is, rather than making something of its arrays: in the program's own code,
and where Optax mixes two networks, or chooses one."""
_NO_USE = frozenset({"read_value", "captured", "gradient", "NumPy copy"})
"""Operations that only hand a content on."""


def start(session: Session) -> JaxRecorder:
    """Begin to record; the recorder lives until `finish`."""
    recorder = JaxRecorder(session)
    recorder.attach()
    return recorder


class _Local(threading.local):
    """What is true for one thread: JAX's traces are per thread too."""

    busy = 0

    def __init__(self) -> None:
        self.tapes: list[tuple[int, Scope]] = []


class JaxRecorder:
    """The state of one recording."""

    def __init__(self, session: Session, phases: Phases | None = None) -> None:
        self.session = session
        self.phases = phases or Phases(session, self)
        self.recording = Recording("jax", jax.__version__)
        self.local = _Local()
        self.lock = threading.RLock()
        self.exits = Exits()
        self.deep = False
        self.values = Values(self)
        self.root = Root(self)
        self.root.values = self.recording.values
        self.numbers = NumbersSeen(self)
        self.inner = Inner(self)
        self.naming = Naming(self)
        self.variables = Variables(self)
        self.targets = Targets(self)
        self.updates = Updates(self)
        self.gradients = Gradients(self)
        self.ways_out = WaysOut(self)
        self.clipping = Clipping(self)
        self.beginnings = Beginnings(self)
        self.hidden = HiddenLayers(self)
        self.spare = SpareTrees(self)
        self.failures = Failures(self)
        self.calls = Calls(self)
        self._deep_patches = Patches()
        self.ring = Ring(session, self.recording, self.values.sweep, endless=True)
        self._until = math.inf
        self._tapes = 0
        self._next_prune = _KEPT
        self._forgotten = False

    # --- attaching and letting go -------------------------------------------------------------------------------

    def attach(self) -> None:
        """Put the wrappers in place and begin deep tracing."""
        self.deepen()

    def deepen(self) -> None:
        """Begin to see every operation."""
        if self.deep or self._forgotten:
            return
        self.deep = True
        for part in (self.calls, self.gradients, self.ways_out, self.clipping, self.failures):
            part.attach_deep(self._deep_patches)
        # What ran before takes a short cut past Python; forget the short cuts (what was compiled stays compiled).
        type(pjit._cpp_pjit_cache_fun_only).clear_all()

    def release(self) -> None:
        """The first updates have been seen: look on for the numbers alone for a while."""
        self._until = time.process_time() + _SECONDS
        if not self.ring.begin():
            self.let_go()

    def begin_again(self) -> None:
        """A gradient is asked for at a line that asked for none in the first updates: what comes now counts, too."""
        self._until = time.process_time() + _LATER
        self.ring.reopen()
        self.updates.begin_again()

    def begin_later(self) -> None:
        """This is a later phase of a program that another recorder has let go."""
        self._until = time.process_time() + _LATER
        self.recording.earlier = self.session.updates

    def let_go(self) -> None:
        """From here on the program runs at its own speed; only lines that ask for gradients anew are noticed."""
        self.ring.end()
        if self.deep:
            self.deep = False
            self._deep_patches.undo()
            # What ran under our eyes was told to stay in Python; it may find its short cut again.
            type(pjit._cpp_pjit_cache_fun_only).clear_all()
            self.phases.look_out(self)

    def detach(self) -> None:
        """Take every wrapper away."""
        self.let_go()
        self.phases.end(self)

    def finish(self) -> Recording:
        """Detach and return what was seen."""
        self.updates.finish()
        self.targets.finish()
        self.detach()
        recording = self.recording
        recording.stacks = self.session.stacks.resolve()
        self.exits.link(recording)
        self.naming.name_variables()
        return self.ring.split(lambda asked: next(((s.file, s.line) for s in recording.stacks[asked.stack]), None))

    def failed(self, error: BaseException) -> None:
        """The program ends with an error: what it tells counts, however late it is."""
        successor = self.phases.successor()
        if successor is not None:
            successor.failed(error)
            return
        if not self.ring.counts_now():
            steps = self.recording.steps
            self.ring.reopen(since=steps[-1].at + 1 if self.ring.running and steps else None)
        self.failures.ended(error)

    def forget_in_child(self) -> None:
        """A forked process is not followed."""
        self._forgotten = True
        self.deep = False
        self.phases.forget()

    def variable_number(self, thing: Any, adopt: bool) -> int | None:
        """The number of the variable whose content an array is."""
        return self.variables.number_of(thing, adopt)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """What happens inside is the framework's own affair."""
        here = [one.local for one in (self, self.phases.on_trial) if one is not None]
        for local in here:
            local.busy += 1
        try:
            yield
        finally:
            for local in here:
                local.busy -= 1

    def trouble(self, error: BaseException) -> None:
        """Something of ours failed; the program goes on."""
        self.session.trouble("jax", error)

    # --- writing down -------------------------------------------------------------------------------------------

    def new_tape(self) -> int:
        """A number for one request of gradients."""
        self._tapes += 1
        return self._tapes

    def commit(self, item: Item) -> None:
        """Write one thing into the recording."""
        recording = self.recording
        if isinstance(item, Ran):
            self.inner.pending.append(item)
            return
        if isinstance(item, Op) and item.inside in _USES and item.name not in _NO_USE:
            item.inputs = tuple([self.variables.captured(number, item) for number in item.inputs])
        at = self.session.tick()
        if isinstance(item, Op):
            item.at = at
            recording.ops[at] = item
            self.updates.saw(item)
        elif isinstance(item, Opened):
            recording.tapes[item.tape] = Tape(item.tape, at, item.stack, persistent=True)
            self.variables.opened(item)
        elif isinstance(item, Closed):
            recording.tapes[item.tape].closed = at
        elif isinstance(item, Asked):
            self.variables.asked(item, at)

    def after_call(self) -> None:
        """Between two calls of the program: let go when enough was seen, keep the recording small."""
        if self.local.busy or not self.phases.settled(self):
            return
        self.updates.count()
        if self.local.tapes:
            return
        if self.ring.running:
            self.updates.look_on()
        if (self.deep and time.process_time() > self._until) or (self.ring.running and self.ring.full()):
            self.let_go()
        elif self.ring.running:
            return
        elif self.deep and len(self.recording.ops) > self._next_prune:
            alive = self.values.sweep()
            prune(self.recording, alive, _KEPT // 3, self.ring.stays(), self.exits.returned())
            self.root.values = self.recording.values
            self._next_prune = max(_KEPT, 2 * len(self.recording.ops))
