"""Watching the training of a library, from its callback: what the callbacks share.

Whatever happens to us, the training goes on: what cannot be watched is said in one line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from whygrad.live.event import Event
from whygrad.live.watching import Watch, watch

WatchOption = bool | str | os.PathLike[str] | Mapping[str, Any]
"""False, True for a new folder in `runs`, the folder of the run, or a dict of options of `whygrad.watch`."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One optimizer, by a name, with the model that names its variables, and target networks that should follow."""

    name: str | None
    model: Any
    optimizer: Any
    targets: Mapping[str, Any] = field(default_factory=dict)


class CallbackWatch:
    """A watch over all optimizers of one training; none where it was not asked for. `tell` says what is noticed."""

    def __init__(self, option: WatchOption, tell: bool = True, axis: str = "update") -> None:
        if not isinstance(option, bool | str | os.PathLike | Mapping):
            raise ValueError(
                f"watch is True, False, the folder of a run, or a dict of options of whygrad.watch, got {option!r}"
            )
        self.watching: Watch | None = None
        """What `whygrad.watch` returned, also after the end: its `path` and `events`."""
        self._wanted = option is not False
        self._options: dict[str, Any] = {}
        if isinstance(option, Mapping):
            self._options = dict(option)
        elif not isinstance(option, bool):
            self._options = {"run": option}
        self._tell, self._axis = tell, axis
        self._open: list[Watch] = []

    @property
    def live(self) -> bool:
        """Whether it watches now."""
        return bool(self._open)

    def begin(self, find: Callable[[], Iterable[Watched]]) -> None:
        """Training starts: watch what is found."""
        if not self._wanted:
            return
        self.end()  # of a training that failed
        try:
            for one in find():
                options = {"name": one.name, "targets": dict(one.targets) or None, "on_event": self._noticed}
                self._open.append(watch(one.model, one.optimizer, **{**options, **self._options}))
        except Exception as error:
            _say(f"gradients are not watched: {_sentence(error)}")
            self.end()
            return
        if self._open:
            self.watching = self._open[0]
            self.watching._run.store.about(axis=self._axis)  # what the numbers that are logged here are over
            _say(f"watching gradients in {self.watching.path} (whygrad view shows them)")

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        """Numbers that the library knows; what is no number is passed over."""
        if not self._open:
            return
        known = {name: number for name, value in values.items() if (number := _number(value)) is not None}
        if known:
            self._guarded(lambda: self._open[0].log(step, **known))

    def end(self) -> None:
        """Training is over, however it ended."""
        held, self._open = self._open, []
        if not held:
            return
        # All of them lie in one run, which the first one to be closed closes.
        self._guarded(held[0].flush)
        for one in held:
            self._guarded(one.close)

    def _noticed(self, event: Event) -> None:
        if self._tell:
            _say(f"{event.code} {event.text}")

    def _guarded(self, what: Callable[[], Any]) -> None:
        try:
            what()
        except Exception as error:
            _say(_sentence(error))


def named_apart(model: Any, optimizers: Iterable[Any]) -> list[Watched]:
    """PyTorch optimizers, each called by the network that it trains alone, else by its class."""
    owners = {id(parameter): path.split(".")[0] for path, parameter in model.named_parameters() if "." in path}
    given = list(optimizers)
    trained = [{owners.get(id(p), "") for held in one.param_groups for p in held["params"]} for one in given]
    names: list[str] = []
    for at, (one, networks) in enumerate(zip(given, trained, strict=True)):
        others = set().union(*(some for place, some in enumerate(trained) if place != at))
        own = next(iter(networks)) if len(networks) == 1 and len(given) > 1 and not networks & others else ""
        name = own or type(one).__name__
        names.append(name if name not in names else f"{name} {at + 1}")
    return [Watched(name, model, one) for name, one in zip(names, given, strict=True)]


def _number(value: Any) -> float | None:
    if isinstance(value, str | bytes):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, TypeError | OSError) and text else f"{type(error).__name__}: {text}"


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        try:
            print(f"whygrad: {sentence}", file=sys.stderr, flush=True)
        except (OSError, ValueError):
            pass  # closed: nobody listens
