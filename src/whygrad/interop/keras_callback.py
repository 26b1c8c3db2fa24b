"""A Keras callback: `model.fit(…, callbacks=[WhyGrad()])` explains the first updates.

For Keras 3 on TensorFlow, PyTorch and JAX, and for tf_keras (Keras 2). With `watch=True` it watches all updates.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from whygrad.background import FirstUpdates, OnFinding
from whygrad.interop.callback_watch import CallbackWatch, Watched, WatchOption
from whygrad.trace.session import DEPTH


def _bases() -> tuple[Any, ...]:
    """The callback classes of the Keras packages that the program uses; Keras 3 where it uses none yet."""
    loaded = [sys.modules.get(name) for name in ("keras", "tf_keras")]
    packages = [package for package in loaded if package is not None and hasattr(package, "callbacks")]
    if not packages:
        import keras

        packages = [keras]
    return tuple(dict.fromkeys(package.callbacks.Callback for package in packages))


class _Hooks:
    """What both Kerases call."""

    def __init__(self, updates: int = DEPTH, on_finding: OnFinding = "print", watch: WatchOption = False) -> None:
        super().__init__()
        self._first = FirstUpdates(updates, on_finding)
        self._watch = CallbackWatch(watch, tell=on_finding == "print")
        self._batches = 0

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    @property
    def watching(self) -> Any:
        """The watch, with its `path` and `events`; None without `watch=`."""
        return self._watch.watching

    def on_train_begin(self, logs: Any = None) -> None:
        """Training starts."""
        self._batches = 0
        model = getattr(self, "model", None)
        self._first.begin(model=model)  # first: it looks at the optimizer's class, the watch at the one object
        self._watch.begin(lambda: _watched(model))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """An update went by."""
        self._first.look()
        self._batches += 1

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """The numbers of an epoch, those of the validation too, have been fetched from the device."""
        self._watch.log(self._batches, logs or {})

    def on_train_end(self, logs: Any = None) -> None:
        """Training ends, perhaps after very few updates."""
        self._watch.end()
        self._first.tell()


def _watched(model: Any) -> Iterator[Watched]:
    optimizer = getattr(model, "optimizer", None)
    if optimizer is None:
        raise TypeError("the model has no optimizer; compile it with one.")
    yield Watched(getattr(optimizer, "name", None), model, optimizer)


def WhyGrad(updates: int = DEPTH, on_finding: OnFinding = "print", *, watch: WatchOption = False) -> Any:
    """A callback that records the first `updates` of each optimizer and tells what it found.

    ```python
    model.fit(x, y, callbacks=[WhyGrad(watch=True)])
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report. `watch`
    looks at the gradients of the whole training, as `whygrad.watch` does: True, or the folder of the run.
    """
    kind = type("WhyGrad", (_Hooks, *_bases()), {"__doc__": WhyGrad.__doc__})
    return kind(updates, on_finding, watch)
