"""`whygrad.watch`: live gradients of a training, from one line in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

from whygrad.watch.budget import Budget
from whygrad.watch.detecting import StandingTarget
from whygrad.watch.event import Event
from whygrad.watch.watched_run import WatchedRun, watched_run


class Watch:
    """A training under watch. Ends with `close`, at the end of a `with` block, or with the program."""

    def __init__(self, run: WatchedRun, watches: list[Any]) -> None:
        self._run, self._watches = run, watches
        self._step = 0

    @property
    def path(self) -> str:
        """The folder of the run: `whygrad view` shows it."""
        return str(self._run.path)

    @property
    def events(self) -> list[Event]:
        """What was noticed so far."""
        return self._run.events

    def log(self, step: int | None = None, **values: float) -> None:
        """Numbers of your own beside the gradients: a loss, a return. Without a step they are counted."""
        self._step = self._step + 1 if step is None else int(step)
        for name, value in values.items():
            self._run.store.scalar(name, self._step, float(value))

    def flush(self) -> None:
        """Return when everything seen so far is stored."""
        self._run.store.flush()

    def close(self) -> None:
        """Take the hooks away and store what is left."""
        for watch in self._watches:
            watch.close()
        self._watches.clear()
        self._run.close()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def watch(
    model: Any,
    optimizer: Any = None,
    *,
    run: str | os.PathLike[str] | None = None,
    name: str | None = None,
    every: int | None = None,
    budget: float = 0.02,
    targets: Mapping[str, Any] | None = None,
    on_event: Callable[[Event], Any] | None = None,
) -> Any:
    """Watch the gradients that an optimizer gets for a model, while it trains.

    `model` is a module or a Keras model, or a dict of them by name. Looking takes at most `budget` of the time;
    `every=1` looks at every update. `targets` are target networks by name, which should follow. Everything lies in
    the folder `run` (without it, a new one in `runs/`); `whygrad view` shows it.

    ```python
    watching = whygrad.watch(model, optimizer)
    ...                                 # train as ever
    watching.log(loss=loss.item())      # if you like
    ```
    """
    kind = _framework(model, optimizer)
    if kind == "torch":
        return _watch_torch(model, optimizer, run, name, Budget(budget, every), targets, on_event)
    raise TypeError(f"whygrad.watch does not know {type(optimizer).__name__}")


def _framework(model: Any, optimizer: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(optimizer, torch.optim.Optimizer):
        return "torch"
    return "unknown"


def _watch_torch(
    model: Any,
    optimizer: Any,
    run: Any,
    name: str | None,
    budget: Budget,
    targets: Mapping[str, Any] | None,
    on_event: Any,
) -> Watch:
    from whygrad.watch.torch_watch import TorchWatch

    held = watched_run(run, on_event=on_event)
    names = dict(_parameter_names(model))
    watched = TorchWatch(held, name or type(optimizer).__name__, names, optimizer, budget, targets)
    for target in targets or {}:
        watched.group.targets[target] = StandingTarget(target)
    return Watch(held, [watched])


def _parameter_names(model: Any) -> Iterator[tuple[int, tuple[str, str]]]:
    if isinstance(model, Mapping):
        for name, inner in model.items():
            for key, (path, _) in _parameter_names(inner):
                yield key, (f"{name}.{path}", str(name))
        return
    for path, parameter in model.named_parameters():
        yield id(parameter), (path, path.rpartition(".")[0].split(".")[0])
