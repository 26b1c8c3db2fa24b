"""`whygrad.watch`: live gradients of a training, from one line in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from whygrad.live.budget import Budget
from whygrad.live.detecting import StandingTarget
from whygrad.live.event import Event
from whygrad.live.watched_run import WatchedRun, watched_run


class Watch:
    """A training under watch. Ends with `close`, at the end of a `with` block, or with the program."""

    def __init__(self, run: WatchedRun, watches: list[Any]) -> None:
        self._run, self._watches = run, watches
        self._step = 0
        run.join()

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
        if self._watches:
            self._watches.clear()
            self._run.leave()

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
    activations: bool = False,
    on_event: Callable[[Event], Any] | None = None,
) -> Any:
    """Watch the gradients that an optimizer gets for a model, while it trains.

    `model` is a module or a Keras model, or a dict of them by name. Looking takes at most `budget` of the time;
    `every=1` looks at every update. `targets` are target networks by name, which should follow. `activations` also
    counts dead and saturated units (PyTorch modules). Everything lies in the folder `run` (without it, a new one in
    `runs/`); `whygrad view` shows it.

    ```python
    watching = whygrad.watch(model, optimizer)
    ...                                 # train as ever
    watching.log(loss=loss.item())      # if you like
    ```
    """
    found = getattr(model, "optimizer", None) if optimizer is None else optimizer
    wanted = _Wanted(run, name, budget, every, targets, activations, on_event)
    wanted.budget()  # says what is wrong with it here and not in the store's thread
    begin = _BEGIN.get(_framework(found))
    if begin is None:
        raise TypeError(_what_to_give(model, optimizer))
    return begin(model, found, wanted)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The options of `watch`."""

    folder: str | os.PathLike[str] | None
    name: str | None
    share: float
    every: int | None
    targets: Mapping[str, Any] | None
    activations: bool
    on_event: Callable[[Event], Any] | None

    def budget(self) -> Budget:
        return Budget(self.share, self.every)

    def run(self) -> WatchedRun:
        return watched_run(self.folder, on_event=self.on_event)


def _framework(optimizer: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(optimizer, torch.optim.Optimizer):
        return "torch"
    if hasattr(optimizer, "apply_gradients"):
        backend = keras_backend(optimizer)
        if backend == "tensorflow" and "tensorflow" in sys.modules:
            return "tensorflow"
        return f"keras on {backend}" if backend in ("torch", "jax") else "unknown"
    if (
        "jax" in sys.modules
        and callable(getattr(optimizer, "init", None))
        and callable(getattr(optimizer, "update", None))
    ):
        return "jax"
    return "unknown"


def keras_backend(optimizer: Any) -> str:
    """What an optimizer of Keras computes with: Keras 2 knows TensorFlow only."""
    keras = sys.modules.get("keras")
    if any(base.__module__.startswith("keras.src") for base in type(optimizer).__mro__) and keras is not None:
        return str(keras.config.backend()) if hasattr(keras, "config") else "tensorflow"
    return "tensorflow"


def _what_to_give(model: Any, optimizer: Any) -> str:
    given = "no optimizer" if optimizer is None else f"{type(optimizer).__module__}.{type(optimizer).__qualname__}"
    return (
        f"whygrad.watch got {given} with {type(model).__qualname__}. It watches a torch.optim.Optimizer with its "
        "module, a Keras optimizer with its model (or a compiled model alone), and an Optax "
        "optimizer (anything with init and update) in whose place it is then used: "
        "tx = whygrad.watch(params, optax.adam(1e-3))."
    )


def _watch_tensorflow(model: Any, optimizer: Any, wanted: _Wanted) -> Watch:
    from whygrad.live.tensorflow_hooks import names
    from whygrad.live.tensorflow_watch import TensorFlowWatch

    run, name = wanted.run(), wanted.name or type(optimizer).__name__
    given = names(model), optimizer, wanted.budget(), wanted.every, wanted.targets
    return Watch(run, [TensorFlowWatch(run, name, *given)])


def _watch_keras_on_torch(model: Any, optimizer: Any, wanted: _Wanted) -> Watch:
    from whygrad.live.keras_torch_watch import KerasTorchWatch, names

    run, name = wanted.run(), wanted.name or type(optimizer).__name__
    watched = KerasTorchWatch(run, name, lambda: names(model), optimizer, wanted.budget(), wanted.targets)
    return Watch(run, [watched])


def _watch_keras_on_jax(model: Any, optimizer: Any, wanted: _Wanted) -> Watch:
    from whygrad.live.keras_jax_watch import KerasJaxWatch, names

    run, name = wanted.run(), wanted.name or type(optimizer).__name__
    how = wanted.budget, wanted.every, wanted.targets
    return Watch(run, [KerasJaxWatch(lambda: run, name, lambda: names(model), optimizer, *how)])


def _watch_jax(model: Any, optimizer: Any, wanted: _Wanted) -> Any:
    from whygrad.live.jax_transformation import transformation
    from whygrad.live.jax_watch import JaxWatch, functions

    run = wanted.run()
    watched = JaxWatch(lambda: run, wanted.name or "optimizer", wanted.budget, wanted.every, wanted.targets)
    watched.open()
    return transformation(*functions(watched, optimizer), Watch(run, [watched]), watched.keep)


def _watch_torch(model: Any, optimizer: Any, wanted: _Wanted) -> Watch:
    from whygrad.live.torch_activations import Activations
    from whygrad.live.torch_watch import TorchWatch

    run, name = wanted.run(), wanted.name or type(optimizer).__name__
    units = Activations(model if isinstance(model, Mapping) else {"": model}) if wanted.activations else None
    given = dict(_parameter_names(model)), optimizer, wanted.budget(), wanted.targets, units
    watched = TorchWatch(run, name, *given)
    for target in wanted.targets or {}:
        watched.group.targets[target] = StandingTarget(target)
    return Watch(run, [watched])


_BEGIN: dict[str, Callable[[Any, Any, _Wanted], Any]] = {
    "torch": _watch_torch,
    "tensorflow": _watch_tensorflow,
    "keras on torch": _watch_keras_on_torch,
    "keras on jax": _watch_keras_on_jax,
    "jax": _watch_jax,
}


def _parameter_names(model: Any) -> Iterator[tuple[int, tuple[str, str]]]:
    if isinstance(model, Mapping):
        for name, inner in model.items():
            for key, (path, _) in _parameter_names(inner):
                yield key, (f"{name}.{path}", str(name))
        return
    for path, parameter in model.named_parameters():
        yield id(parameter), (path, path.rpartition(".")[0].split(".")[0])
