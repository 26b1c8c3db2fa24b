"""One run that is being watched: where looks become events and are stored. Shared by all watches of a process."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from whygrad.live import buckets
from whygrad.live.detecting import Detector, StandingTarget
from whygrad.live.event import Event
from whygrad.live.looks import Looks
from whygrad.live.run_folder import RunFolder
from whygrad.live.spreads import Spread
from whygrad.live.store import Store, Variable
from whygrad.live.tensorboard_sink import TensorBoardSink


@dataclass(slots=True)
class Group:
    """Variables of one optimizer under watch."""

    id: int
    name: str
    variables: tuple[Variable, ...]
    detector: Detector
    targets: dict[str, StandingTarget] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


class WatchedRun:
    """The folder of a run with its store. `on_event` is called with each event, from the store's thread."""

    def __init__(self, folder: Path, on_event: Callable[[Event], Any] | None = None, tensorboard: bool = False) -> None:
        self.path = folder
        self.store = Store(folder)
        self.board = TensorBoardSink(folder) if tensorboard else None
        self._on_event = on_event
        self.watches = 0
        """How many watches store here."""
        self._closed = False
        self._groups: list[Group] = []
        self._endings: list[Callable[[], None]] = []

    def group(self, name: str, variables: Sequence[Variable], frozen: Sequence[bool] | None = None) -> Group:
        """Begin to watch these variables."""
        detector = Detector([variable.name for variable in variables], frozen)
        group = Group(self.store.group(name, variables), name, tuple(variables), detector)
        self._groups.append(group)
        return group

    def take(
        self,
        group: Group,
        looks: Sequence[Looks],
        spread: Spread | None,
        whose: Callable[[Event], str] | None = None,
    ) -> None:
        """What a watch saw, in order; called in the store's thread. `whose` names the worker that an event is about."""
        events = list(group.detector.take(looks))
        if whose is not None:
            events = [replace(event, worker=whose(event)) for event in events]
        self.tell(group, events)
        self.store.looks(group.id, looks)
        if spread is not None:
            # Nothing below zero is nothing, too.
            spread.counts[:, buckets.SMALLEST] += spread.counts[:, buckets.NEGATIVE + buckets.SMALLEST]
            spread.counts[:, buckets.NEGATIVE + buckets.SMALLEST] = 0
            self.store.spread(group.id, spread)
        if self.board is not None:
            self.board.take(group, looks, spread, events)

    def tell(self, group: Group, events: Iterable[Event]) -> None:
        """Store events, and hand them to whoever asked for them."""
        for event in events:
            group.events.append(event)
            self.store.event(group.id, event)
            if self._on_event is not None:
                self._on_event(event)

    @property
    def events(self) -> list[Event]:
        """Everything told so far."""
        return [event for group in self._groups for event in group.events]

    def at_end(self, what: Callable[[], None]) -> None:
        """Something to do before the store closes."""
        self._endings.append(what)

    def join(self) -> None:
        """One watch more."""
        self.watches += 1

    def leave(self) -> None:
        """One watch less; the run ends with the last one."""
        self.watches -= 1
        if self.watches <= 0:
            self.close()

    def close(self) -> None:
        """Tell what is left, commit, end. More than once is no error."""
        if self._closed:
            return
        self._closed = True
        atexit.unregister(self.close)
        self.store.flush()
        for group in self._groups:
            self.tell(group, group.detector.end())
        for what in self._endings:
            what()
        self._endings.clear()
        self.store.close()
        if self.board is not None:
            self.board.close()
        _open.pop(str(self.path.absolute()), None)


_open: dict[str, WatchedRun] = {}
_lock = threading.Lock()


def watched_run(
    run: str | os.PathLike[str] | None, name: str | None = None, on_event: Callable[[Event], Any] | None = None
) -> WatchedRun:
    """The run of this process: the one at a folder, or without a folder the one that is open, or a new one."""
    with _lock:
        if run is None and _open:
            return next(iter(_open.values()))
        folder = Path(run) if run is not None else RunFolder.create(name or _script_name(), checkpoints=False).path
        key = str(folder.absolute())
        if key not in _open:
            found = _open[key] = WatchedRun(folder, on_event, tensorboard=True)
            atexit.register(found.close)
            found.store.about(began=time.time(), script=sys.argv[0] if sys.argv else "", pid=os.getpid())
        return _open[key]


def _script_name() -> str:
    stem = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else ""
    return stem if stem not in ("", "-c", "__main__", "ipykernel_launcher") else "watch"
