"""Records a PyTorch program: every public call, with the line that made it.

A `TorchFunctionMode` sees each call before autograd does, differentiable or not, and whether its result requires a
gradient. Optimizers, modules and `autograd.Function` are watched by small wrappers, each kind in a file of its own.
The recorder reads of the program's tensors only what they contain, keeps none alive, and draws no random number.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from whygrad.flow.operations import Kind, Op
from whygrad.flow.recording import Recording
from whygrad.trace.handover import Exits
from whygrad.trace.patches import Patches
from whygrad.trace.ring import Ring
from whygrad.trace.session import Session
from whygrad.trace.torch_by_hand import ByHand
from whygrad.trace.torch_calls import Calls
from whygrad.trace.torch_copies import TorchCopies
from whygrad.trace.torch_edits import Edits
from whygrad.trace.torch_func import Transforms
from whygrad.trace.torch_functions import Functions
from whygrad.trace.torch_gradients import Gradients
from whygrad.trace.torch_naming import Naming
from whygrad.trace.torch_numbers import NumbersSeen
from whygrad.trace.torch_optimizers import Optimizers
from whygrad.trace.torch_switches import Switches
from whygrad.trace.torch_variables import Variables
from whygrad.trace.upkeep import prune

_KEPT = 60_000


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
        self.calls = recorder.calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.recorder.paused:
            if func is torch._C._set_grad_enabled:  # somebody's own optimizer may leave it off
                return self.recorder.switches.set_grad_enabled(func, args, kwargs or {}, sys._getframe(1))
            return func(*args, **(kwargs or {}))
        name = self.calls.name_of(func)
        if name is None:
            return func(*args, **(kwargs or {}))
        return self.calls.call(name, func, args, kwargs or {}, sys._getframe(1))


class _Guarded:
    """What happens inside is ours: should it fail, that is a note and the program goes on."""

    def __init__(self, recorder: TorchRecorder) -> None:
        self.recorder = recorder

    def __enter__(self) -> None: ...

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        if not isinstance(error, Exception):
            return False  # nothing, or the user's own interrupt
        self.recorder.trouble(error)
        return True


class TorchRecorder:
    """The state of one recording."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.recording = Recording("torch", torch.__version__)
        self.paused = False
        self.deep = False
        self.lock = threading.RLock()
        self.guarded = _Guarded(self)
        self.exits = Exits()
        self.variables = Variables(self)
        self.copies = TorchCopies(self)
        self.numbers = NumbersSeen(self)
        self.switches = Switches(self)
        self.gradients = Gradients(self)
        self.functions = Functions(self)
        self.transforms = Transforms(self)
        self.optimizers = Optimizers(self)
        self.by_hand = ByHand(self)
        self.edits = Edits(self)
        self.naming = Naming(self)
        self.calls = Calls(self)
        self.ring = Ring(session, self.recording, self.variables.alive)
        self._patches = Patches()
        self._mode = _Mode(self)
        self._aside = False
        self._next_prune = _KEPT

    # --- attaching and letting go -------------------------------------------------------------------------------

    def attach(self) -> None:
        """Put the wrappers in place and begin deep tracing."""
        for part in (self.optimizers, self.edits, self.variables, self.functions, self.switches, self.copies):
            part.attach(self._patches)
        self.transforms.attach(self._patches)
        self._patches.replace(threading.Thread, "_bootstrap_inner", self._wrap_thread)
        self.session.when_imported("keras", self._attach_keras)
        self.deepen()

    def _attach_keras(self, keras: Any) -> None:
        if keras.config.backend() == "torch":
            self.optimizers.attach_keras(keras, self._patches)

    def _wrap_thread(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """A thread that starts while we look is looked at too: modes are per thread."""

        def _bootstrap_inner(thread: Any) -> Any:
            if not self.deep:
                return original(thread)
            with _Mode(self):
                return original(thread)

        return _bootstrap_inner

    def deepen(self) -> None:
        """Begin (or begin again) to see every call."""
        if self.ring.running or not self.deep:
            self.ring.reopen()
            self.optimizers.updates.begin_again()
        if not self.deep:
            self.deep = True
            self.paused = False
            self._mode.__enter__()

    def release(self) -> None:
        """The first updates have been seen: look on for the numbers alone where that is cheap, else let go."""
        if not self.deep:
            return
        self.optimizers.remember_suspects()
        self.copies.watch()
        if self.functions.runs_compiled or not self.ring.begin():
            self.let_go()

    def refused(self) -> None:
        """A backward pass failed: where that is long after the first updates, this one and the last count too."""
        if self.ring.running:
            steps, before = self.recording.steps, len(self.recording.optimizers) + 1
            self.ring.reopen(since=steps[-before].at + 1 if len(steps) >= before else None)

    def let_go(self) -> None:
        """From here on the program runs at its own speed. Only optimizer steps are still looked at."""
        self.ring.end()
        if not self._on_top():
            self.paused = True  # another mode lies on top of ours: stay, but do nothing
            return
        self._let_go()

    def detach(self) -> None:
        """Take every wrapper away."""
        self._let_go()
        self.optimizers.detach()
        self._patches.undo()

    def step_aside(self) -> None:
        """An optimizer makes a hundred calls of its own in a step: they need not even be handed to us."""
        if self.deep and self._on_top():
            self._mode.__exit__(None, None, None)
            self._aside = True

    def come_back(self) -> None:
        """The optimizer is done."""
        if self._aside:
            self._aside = False
            self._mode.__enter__()

    def _on_top(self) -> bool:
        stack = torch.overrides._get_current_function_mode_stack()
        return bool(stack) and stack[-1] is self._mode

    def _let_go(self) -> None:
        self.come_back()
        if self.deep and self._on_top():
            self._mode.__exit__(None, None, None)
        self.deep = False
        self.paused = True
        self.functions.set_stance("default")

    def finish(self) -> Recording:
        """Detach and return what was seen."""
        self.look_for_names(sys._getframe())
        with self.guarded:
            self.by_hand.finish()
        with self.guarded:
            self.numbers.last_glance()
            self.copies.look(now=True)
        self.detach()
        recording = self.recording
        recording.stacks = self.session.stacks.resolve()
        self.exits.link(recording)
        with self.guarded:
            self.copies.link()
        self.naming.name_variables()
        return self.ring.split()

    def forget_in_child(self) -> None:
        """A forked process is not followed."""
        self.paused = True

    # --- for the parts ------------------------------------------------------------------------------------------

    def active(self) -> bool:
        """Whether calls are being written down."""
        return self.deep and not self.paused

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """What happens inside is the framework's own affair: an optimizer's arithmetic, first values."""
        was, self.paused = self.paused, True
        try:
            yield
        finally:
            self.paused = was

    def trouble(self, error: BaseException) -> None:
        """Something of ours failed; the program goes on."""
        self.session.trouble("torch", error)

    def look_for_names(self, frame: FrameType) -> None:
        """Find what the user calls the variables, while the user's frames are there to look into."""
        self.naming.look_for_names(frame)

    def variable_number(self, thing: Any, adopt: bool) -> int | None:
        """The number of a parameter or a leaf tensor that the program has declared something about."""
        with self.quiet():
            tensor = thing if isinstance(thing, torch.Tensor) else getattr(thing, "value", None)  # a Keras variable
            if not isinstance(tensor, torch.Tensor) or not tensor.is_leaf:
                return None
            return self.variables.adopt(tensor) if adopt else self.variables.number_of(tensor)

    def add(
        self, name: str, kind: Kind, inputs: Iterable[int], outputs: Iterable[int], stack: int, carries: bool,
        switch: int | None = None, detail: str = "",
    ) -> int:  # fmt: skip
        """Write one operation down; its moment is its number."""
        at = self.session.tick()
        op = Op(at, name, kind, tuple(inputs), tuple(outputs), stack, carries, switch, detail=detail)
        self.recording.ops[at] = op
        self.by_hand.pass_on(op)
        return at

    # --- upkeep -------------------------------------------------------------------------------------------------

    def keep_small(self) -> None:
        """Forget what nothing can depend on any more, once there is much of it."""
        if len(self.recording.ops) > self._next_prune:
            prune(self.recording, self.variables.alive(), _KEPT // 3, self.ring.stays(), self.exits.returned())
            self._next_prune = max(_KEPT, 2 * len(self.recording.ops))
