"""Watching a script that knows nothing of it: every optimizer is taken under watch when it makes its first step."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from whygrad.live.budget import Budget
from whygrad.live.watched_run import WatchedRun, watched_run
from whygrad.trace import names
from whygrad.trace.session import Session

MOST = 32
"""Optimizers; a program may make a new one for each task, for ever."""


class _LaterNames(Mapping[Any, tuple[str, str]]):
    """What the program calls the variables of Keras models, looked up when the first of them is asked for."""

    def __init__(self) -> None:
        self._found: dict[Any, tuple[str, str]] | None = None

    def __getitem__(self, key: Any) -> tuple[str, str]:
        return self._look()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._look())

    def __len__(self) -> int:
        return len(self._look())

    def _look(self) -> dict[Any, tuple[str, str]]:
        if self._found is None:
            from whygrad.live.tensorflow_hooks import key
            from whygrad.trace.keras_names import ADAPTER

            found = names.find(ADAPTER, sys._getframe(1)).values()
            self._found = {key(named.target): (named.name, named.network) for named in found}
        return self._found


class ScriptWatch:
    """All watches of one script. The run's folder is made with the first of them."""

    def __init__(self, session: Session, name: str, every: int | None = None) -> None:
        self.run: WatchedRun | None = None
        self._session, self._name, self._every = session, name, every
        self._watches: list[Any] = []
        self._known: list[Any] = []  # held, so that no other optimizer gets the same id
        self._endings: list[Callable[[], None]] = []
        self._taken: set[str] = set()
        session.when_imported("torch", self._follow_torch)
        session.when_made.append(self._keras_made)

    def close(self) -> None:
        """Take everything back and store what is left."""
        for end in [*self._endings, *(watch.close for watch in self._watches)]:
            end()
        self._endings.clear()
        self._watches.clear()
        if self.run is not None:
            self.run.close()

    def _follow_torch(self, torch: Any) -> None:
        from torch.optim.optimizer import register_optimizer_step_pre_hook

        handle = register_optimizer_step_pre_hook(self._torch_steps)
        self._endings.append(handle.remove)

    def _torch_steps(self, optimizer: Any, _args: Any, _kwargs: Any) -> None:
        if self._is_new(optimizer):
            self._guarded("PyTorch", lambda: self._take_torch(optimizer))

    def _take_torch(self, optimizer: Any) -> None:
        from whygrad.live.torch_watch import TorchWatch
        from whygrad.trace.torch_naming import ADAPTER

        found = names.find(ADAPTER, sys._getframe(1))
        known = {key: (named.name, named.network) for key, named in found.items()}
        held = [known[id(p)][1] for group in optimizer.param_groups for p in group["params"] if id(p) in known]
        networks = list(dict.fromkeys(held))
        name = self._free_name(f"{type(optimizer).__name__} of {', '.join(networks)}" if networks else "optimizer")
        watch = TorchWatch(self._open(), name, known, optimizer, Budget(every=self._every))
        watch.skip()
        self._watches.append(watch)

    def _keras_made(self, optimizer: Any) -> None:
        """A Keras optimizer is taken when it is made: in a compiled function there is no other time."""
        if self._is_new(optimizer) and any(c.__name__ == "BaseOptimizer" for c in type(optimizer).__mro__):
            self._guarded("TensorFlow", lambda: self._take_keras(optimizer))

    def _take_keras(self, optimizer: Any) -> None:
        from whygrad.live.tensorflow_watch import TensorFlowWatch

        name = self._free_name(type(optimizer).__name__)
        watch = TensorFlowWatch(self._open(), name, _LaterNames(), optimizer, Budget(every=self._every), self._every)
        self._watches.append(watch)

    def _is_new(self, optimizer: Any) -> bool:
        if any(optimizer is known for known in self._known) or len(self._known) >= MOST:
            return False
        self._known.append(optimizer)
        return True

    def _open(self) -> WatchedRun:
        if self.run is None:
            self.run = watched_run(None, self._name)  # the program may watch by itself, too: into the same run
        return self.run

    def _free_name(self, name: str) -> str:
        free = name if name not in self._taken else f"{name} ({len(self._taken) + 1})"
        self._taken.add(free)
        return free

    def _guarded(self, framework: str, what: Callable[[], None]) -> None:
        """Whatever happens to us, the training goes on."""
        try:
            what()
        except Exception as error:
            self._session.trouble(framework, error)
