"""One recording session: the clock, the stacks, how deep to look, and what went wrong with us."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from whygrad.flow.events import Declared
from whygrad.flow.recording import Recording
from whygrad.trace.declared import Windows
from whygrad.trace.user_line import SKIP, StackTable, classify

DEPTH = 4
"""Updates of each optimizer that are traced deeply: enough for heads that alternate and actors that wait."""


ALL_DEEP = 64
"""`--updates N` traces every one of them when N is at most this."""


RING = 200
"""Updates for which numbers are looked at after that, where looking is cheap."""

_PATIENCE = 25
"""How many times `DEPTH` to wait for an optimizer that was made and does not step."""

_LATECOMERS = 16


class Recorder(Protocol):
    """What every framework's recorder can do."""

    def finish(self) -> Recording:
        """Detach and return what was seen."""

    def detach(self) -> None:
        """Take every wrapper away."""

    def forget_in_child(self) -> None:
        """A forked process is not followed."""

    def variable_number(self, thing: Any, adopt: bool) -> int | None:
        """The number of one of the framework's variables; `adopt` gives it one where it has none yet."""


class Session:
    """Shared by the recorders of one run."""

    def __init__(
        self, depth: int = DEPTH, stop_after: int | None = None, whole_script: bool = False, ring: int = RING
    ) -> None:
        self.depth = depth
        self.ring = ring
        self.stop_after = stop_after
        self.whole_script = whole_script
        self.stacks = StackTable()
        self.notes: list[str] = []
        self.recorders: dict[str, Recorder] = {}
        self.updates = 0
        self._deepened = 0
        self.stopped_early = False
        self.failed = False
        """The program has ended with an error."""
        self.when_enough: Callable[[], None] = lambda: None
        self.let_go_after: int | None = None
        """The update after which tracing ended, unless it began again; None where it went on to the end."""
        self._clock = 0
        self._waiting: dict[str, list[Callable[[Any], None]]] = {}
        self.make_way: Callable[[], Callable[[], Any]] | None = None
        """Ends this recording for another one; what it returns begins it again. None: it does not make way."""
        self.recordings: list[Recording] = []
        """What was seen, as far as it is finished."""
        self.when_made: list[Callable[[Any], None]] = []
        """Told of every optimizer that a program makes, where that is how one gets hold of it (TensorFlow)."""
        self.contracts = Windows()
        """Contracts that are checked while this session records."""

    def tick(self) -> int:
        """The next moment."""
        self._clock += 1
        return self._clock

    def now(self) -> int:
        """The moment that comes next."""
        return self._clock + 1

    def trouble(self, where: str, error: BaseException) -> None:
        """Something failed inside whygrad: one line in the report, once, and the program goes on."""
        frame = error.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        place = f" ({os.path.basename(frame.tb_frame.f_code.co_filename)}:{frame.tb_lineno})" if frame else ""
        line = f"whygrad could not follow part of the {where} program: {type(error).__name__}: {error}{place}"
        if line not in self.notes and len(self.notes) < 20:
            self.notes.append(line)

    def is_user(self, frame: FrameType | None) -> bool:
        """Whether a frame is code of the user or of a library, rather than of a framework."""
        return frame is not None and classify(frame.f_code.co_filename) != SKIP

    def deep_enough(self, steps_of: dict[int, int], waiting: int = 0) -> bool:
        """Every optimizer that steps has been seen often enough (or one of them steps far too rarely).

        `waiting` optimizers were made and have not stepped yet: a value network may be trained after the policy.
        """
        if self.stop_after is not None and self.updates + 1 < self.stop_after <= ALL_DEEP:
            return False
        counts = [count for count in steps_of.values() if count]
        most = max(counts, default=0)
        if waiting and most < _PATIENCE * self.depth:
            return False
        enough = bool(counts) and (min(counts) >= self.depth or most >= (_PATIENCE + 8) * self.depth)
        if enough:
            self.let_go_after = self.updates + 1
        return enough

    def may_deepen(self) -> bool:
        """Whether an optimizer that appears late is worth a look; a program may make one per task, for ever."""
        self._deepened += 1
        return self._deepened <= _LATECOMERS

    def updated(self, framework: str) -> None:
        """An optimizer update went by."""
        self.updates += 1
        if self.stop_after is not None and self.updates >= self.stop_after:
            self.updates = self.stop_after
            self.stopped_early = True
            self.when_enough()
            raise EnoughUpdates

    def when_imported(self, module: str, then: Callable[[Any], None]) -> None:
        """Call `then(module)` once the module is imported, now or later."""
        if module in sys.modules and getattr(sys.modules[module], "__spec__", None) is not None:
            loaded = sys.modules[module]
            if not getattr(loaded.__spec__, "_initializing", False):
                self._safely(then, loaded)
                return
        self._waiting.setdefault(module, []).append(then)

    def imported(self, module: str) -> None:
        """A module has finished importing."""
        for then in self._waiting.pop(module, []):
            self._safely(then, sys.modules[module])

    def waits_for(self, module: str) -> bool:
        """Whether somebody asked to be told of this import."""
        return module in self._waiting

    def _safely(self, then: Callable[[Any], None], module: Any) -> None:
        try:
            then(module)
        except Exception as error:
            self.trouble(module.__name__, error)

    @property
    def backwards(self) -> int:
        """How many times gradients were asked for so far."""
        recordings = [getattr(recorder, "recording", None) for recorder in self.recorders.values()]
        return sum(len(recording.backwards) for recording in recordings if recording is not None)

    def forget_in_child(self) -> None:
        """A forked worker (a data loader's, a vectorised environment's) runs without us."""
        self.stop_after = None
        for recorder in self.recorders.values():
            recorder.forget_in_child()

    def ended_by(self, error: BaseException) -> None:
        """The program ends with an error: what does it tell?"""
        for name, recorder in self.recorders.items():
            tell = getattr(recorder, "failed", None)
            try:
                if tell is not None:
                    tell(error)
            except Exception as trouble:
                self.trouble(name, trouble)

    def finish(self) -> list[Recording]:
        """Stop every recorder and collect what they saw."""
        if any(_sees_all(recorder) for recorder in self.recorders.values()):
            self.let_go_after = None
        for name, recorder in self.recorders.items():
            self._finish(name, recorder)
        return self.recordings

    def begin_anew(self, name: str, before: Recorder, recorder: Recorder) -> None:
        """Another recorder takes over half-way; what the one before saw is a recording of its own."""
        self.recorders[name] = recorder
        self._finish(name, before)

    def _finish(self, name: str, recorder: Recorder) -> None:
        try:
            self._adopt_declared(name, recorder)
            first = recorder.finish()
            for recording in (first, *first.then):
                recording.contracts = self._declared(name, recorder, recording)
                recording.cut_short = self.stopped_early
                recording.all_updates = max(self.updates, recording.updates)
                recording.used = bool(recording.ops)
                self.recordings.append(recording)
        except Exception as error:
            self.trouble(name, error)
            recorder.detach()

    def _adopt_declared(self, name: str, recorder: Recorder) -> None:
        try:
            self.contracts.adopt(recorder)
        except Exception as error:
            self.trouble(name, error)

    def _declared(self, name: str, recorder: Recorder, recording: Recording) -> list[Declared]:
        try:
            return self.contracts.declared(recorder, recording)
        except Exception as error:
            self.trouble(name, error)
            return []


def _sees_all(recorder: Recorder) -> bool:
    """Whether a recorder still writes everything down; one that only looks on for numbers does not."""
    ring = getattr(recorder, "ring", None)
    return bool(getattr(recorder, "deep", False)) and not getattr(ring, "running", False)


class EnoughUpdates(SystemExit):
    """The number of updates that was asked for has been seen; unwinds the script as `sys.exit(0)` would."""

    def __init__(self) -> None:
        super().__init__(0)
