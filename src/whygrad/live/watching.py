"""`whygrad.watch`: live gradients of a training, from one line in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
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
    kind = _framework(model, optimizer)
    if kind == "torch":
        return _watch_torch(model, optimizer, run, name, Budget(budget, every), targets, activations, on_event)
    if kind == "tensorflow":
        return _watch_tensorflow(model, optimizer, run, name, (budget, every), targets, on_event)
    if kind == "jax":
        return _watch_jax(optimizer, run, name, (budget, every), targets, on_event)
    raise TypeError(_what_to_give(model, optimizer))


def _framework(model: Any, optimizer: Any) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(optimizer, torch.optim.Optimizer):
        return "torch"
    found = getattr(model, "optimizer", None) if optimizer is None else optimizer
    if "tensorflow" in sys.modules and hasattr(found, "apply_gradients") and _keras_backend(found) == "tensorflow":
        return "tensorflow"
    if "jax" in sys.modules and callable(getattr(found, "init", None)) and callable(getattr(found, "update", None)):
        return "jax"
    return "unknown"


def _keras_backend(optimizer: Any) -> str:
    """What an optimizer of Keras computes with: Keras 2 knows TensorFlow only."""
    keras = sys.modules.get("keras")
    if any(base.__module__.startswith("keras.src") for base in type(optimizer).__mro__) and keras is not None:
        return str(keras.config.backend()) if hasattr(keras, "config") else "tensorflow"
    return "tensorflow"


def _what_to_give(model: Any, optimizer: Any) -> str:
    given = "no optimizer" if optimizer is None else f"{type(optimizer).__module__}.{type(optimizer).__qualname__}"
    return (
        f"whygrad.watch got {given} with {type(model).__qualname__}. It watches a torch.optim.Optimizer with its "
        "module, a Keras optimizer on TensorFlow with its model (or a compiled model alone), and an Optax optimizer "
        "(anything with init and update) in whose place it is then used: tx = whygrad.watch(params, optax.adam(1e-3))."
    )


def _watch_tensorflow(
    model: Any,
    optimizer: Any,
    run: Any,
    name: str | None,
    often: tuple[float, int | None],
    targets: Mapping[str, Any] | None,
    on_event: Any,
) -> Watch:
    from whygrad.live.tensorflow_hooks import names
    from whygrad.live.tensorflow_watch import TensorFlowWatch

    found = model.optimizer if optimizer is None else optimizer
    budget, held = Budget(*often), watched_run(run, on_event=on_event)
    called = name or type(found).__name__
    return Watch(held, [TensorFlowWatch(held, called, dict(names(model)), found, budget, often[1], targets)])


def _watch_jax(
    optimizer: Any,
    run: Any,
    name: str | None,
    often: tuple[float, int | None],
    targets: Mapping[str, Any] | None,
    on_event: Any,
) -> Any:
    from whygrad.live.jax_transformation import transformation
    from whygrad.live.jax_watch import JaxWatch

    Budget(*often)  # says what is wrong with them here and not in the store's thread
    held = watched_run(run, on_event=on_event)
    watched = JaxWatch(held, name or "optimizer", optimizer, lambda: Budget(*often), often[1], targets)
    return transformation(watched.init, watched.update, Watch(held, [watched]), watched.keep)


def _watch_torch(
    model: Any,
    optimizer: Any,
    run: Any,
    name: str | None,
    budget: Budget,
    targets: Mapping[str, Any] | None,
    activations: bool,
    on_event: Any,
) -> Watch:
    from whygrad.live.torch_activations import Activations
    from whygrad.live.torch_watch import TorchWatch

    held = watched_run(run, on_event=on_event)
    names = dict(_parameter_names(model))
    units = Activations(model if isinstance(model, Mapping) else {"": model}) if activations else None
    watched = TorchWatch(held, name or type(optimizer).__name__, names, optimizer, budget, targets, units)
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
