"""Watching a script that knows nothing of it: every optimizer is taken under watch when the program first uses it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

from whygrad.live.budget import Budget
from whygrad.live.watched_run import WatchedRun, watched_run
from whygrad.live.watching import keras_backend
from whygrad.trace import names
from whygrad.trace.patches import Patches
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
        self._afterwards: list[Callable[[], None]] = []
        self.said = False
        """Whether the report has a line on what could not be watched."""
        self._closed = False
        session.when_imported("torch", self._follow_torch)
        session.when_imported("keras", self._follow_keras)
        session.when_imported("optax", self._follow_optax)
        session.when_made.append(self._keras_made)

    def close(self) -> None:
        """Take everything back and store what is left."""
        self._closed = True
        for end in [*self._endings, *(watch.close for watch in self._watches)]:
            end()
        self._endings.clear()
        self._watches.clear()
        if self.run is not None:
            self.run.close()
        for say in self._afterwards:
            say()

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
        name = self._name_of(optimizer, held)
        watch = TorchWatch(self._open(), name, known, optimizer, Budget(every=self._every))
        watch.skip()
        self._watches.append(watch)

    def _keras_made(self, optimizer: Any) -> None:
        """A Keras optimizer on TensorFlow is taken when it is made: in a compiled function there is no other time."""
        if keras_backend(optimizer) != "tensorflow":
            return
        if self._is_new(optimizer) and any(c.__name__ == "BaseOptimizer" for c in type(optimizer).__mro__):
            self._guarded("TensorFlow", lambda: self._take_keras(optimizer))

    def _take_keras(self, optimizer: Any) -> None:
        from whygrad.live.tensorflow_watch import TensorFlowWatch

        name = self._free_name(type(optimizer).__name__)
        watch = TensorFlowWatch(self._open(), name, _LaterNames(), optimizer, Budget(every=self._every), self._every)
        self._watches.append(watch)

    def _follow_keras(self, keras: Any) -> None:
        backend = str(keras.config.backend()) if hasattr(keras, "config") else "tensorflow"
        patches = Patches()
        if backend == "torch":
            import keras.src.optimizers as optimizers

            for owner in (optimizers.base_optimizer.BaseOptimizer, optimizers.loss_scale_optimizer.LossScaleOptimizer):
                patches.replace(owner, "apply", self._wrap_keras_apply)
        elif backend == "jax":
            optimizers = keras.src.optimizers
            patches.replace(optimizers.base_optimizer.BaseOptimizer, "__init__", self._wrap_keras_init)
            patches.replace(optimizers.loss_scale_optimizer.LossScaleOptimizer, "__init__", self._wrap_scaling_init)
        self._endings.append(patches.undo)

    def _wrap_keras_apply(self, original: Any) -> Any:
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            if self._closed or not self._is_new(optimizer):
                return original(optimizer, grads, trainable_variables)
            grads, before, frame = list(grads), len(self._watches), sys._getframe(1)
            self._guarded("Keras", lambda: self._take_keras_on_torch(optimizer, trainable_variables, frame))
            if len(self._watches) == before or hasattr(optimizer, "inner_optimizer"):
                return original(optimizer, grads, trainable_variables)
            return self._watches[-1].step(grads, trainable_variables, lambda g, v: original(optimizer, g, v))

        return apply

    def _take_keras_on_torch(self, optimizer: Any, variables: Any, frame: FrameType) -> None:
        from whygrad.live.keras_parts import innermost
        from whygrad.live.keras_torch_watch import KerasTorchWatch
        from whygrad.trace.torch_naming import ADAPTER

        inside = innermost(optimizer)
        if inside is not optimizer and not self._is_new(inside):
            return
        found = names.find(ADAPTER, frame)
        known = {key: (named.name, named.network) for key, named in found.items()}
        held = inside._trainable_variables if variables is None else list(variables)
        name = self._name_of(inside, [known[id(v.value)][1] for v in held if id(v.value) in known])
        self._watches.append(KerasTorchWatch(self._open(), name, lambda: known, optimizer, Budget(every=self._every)))

    def _wrap_keras_init(self, original: Any) -> Any:
        """On JAX an optimizer is taken when it is made: its state goes into compiled steps from the first one on."""

        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, *args, **kwargs)
            scales = type(optimizer).__name__ == "LossScaleOptimizer"  # the one in it makes the steps
            if not self._closed and not scales and self._is_new(optimizer):
                self._guarded("Keras", lambda: self._take_keras_on_jax(optimizer))

        return __init__

    def _wrap_scaling_init(self, original: Any) -> Any:
        def __init__(optimizer: Any, inner_optimizer: Any, *args: Any, **kwargs: Any) -> None:
            original(optimizer, inner_optimizer, *args, **kwargs)
            for watch in self._watches:
                if getattr(watch, "inside", None) is inner_optimizer:
                    watch.enclosed(optimizer)

        return __init__

    def _take_keras_on_jax(self, optimizer: Any) -> None:
        from whygrad.live.keras_jax_watch import KerasJaxWatch

        def trouble(error: Exception) -> None:
            self._session.trouble("Keras", error)

        name, every = self._free_name(type(optimizer).__name__), self._every
        how = (lambda: Budget(every=every)), every, None, trouble
        self._watches.append(KerasJaxWatch(self._open, name, dict, optimizer, *how))

    def _follow_optax(self, optax: Any) -> None:
        from whygrad.live.script_optax import ScriptOptax

        follows = ScriptOptax(optax, self._open, self._free_name, self._every, MOST, self._session.trouble, self._say)
        self._watches.append(follows)
        self._afterwards.append(follows.say_what_was_not_seen)
        for writer in ("equinox", "orbax.checkpoint"):
            self._session.when_imported(writer, self._follow_files)

    def _follow_files(self, writer: Any) -> None:
        """Where a program keeps its state."""
        from whygrad.live.jax_files import attach_equinox, attach_orbax

        patches = Patches()
        self._endings.append(patches.undo)
        if writer.__name__ == "equinox":
            attach_equinox(writer, patches)
        else:
            attach_orbax(patches)

    # --- all of them --------------------------------------------------------------------------------------------

    def _is_new(self, optimizer: Any) -> bool:
        if any(optimizer is known for known in self._known) or len(self._known) >= MOST:
            return False
        self._known.append(optimizer)
        return True

    def _open(self) -> WatchedRun:
        if self.run is None:
            self.run = watched_run(None, self._name)  # the program may watch by itself, too: into the same run
        return self.run

    def _name_of(self, optimizer: Any, networks: list[str]) -> str:
        held = ", ".join(dict.fromkeys(networks))
        return self._free_name(f"{type(optimizer).__name__} of {held}" if held else "optimizer")

    def _say(self, line: str) -> None:
        self.said = True
        if line not in self._session.notes:
            self._session.notes.append(line)

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
