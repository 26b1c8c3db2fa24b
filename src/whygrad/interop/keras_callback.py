"""A Keras callback: `model.fit(…, callbacks=[WhyGrad()])` explains the first updates.

For Keras 3 on TensorFlow, PyTorch and JAX, and for tf_keras (Keras 2).
"""

from __future__ import annotations

import sys
from typing import Any

from whygrad.background import FirstUpdates, OnFinding
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

    def __init__(self, updates: int = DEPTH, on_finding: OnFinding = "print") -> None:
        super().__init__()
        self._first = FirstUpdates(updates, on_finding)

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    def on_train_begin(self, logs: Any = None) -> None:
        """Training starts."""
        self._first.begin(model=getattr(self, "model", None))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """An update went by."""
        self._first.look()

    def on_train_end(self, logs: Any = None) -> None:
        """Training ends, perhaps after very few updates."""
        self._first.tell()


def WhyGrad(updates: int = DEPTH, on_finding: OnFinding = "print") -> Any:
    """A callback that records the first `updates` of each optimizer and tells what it found.

    ```python
    model.fit(x, y, callbacks=[WhyGrad()])
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report.
    """
    kind = type("WhyGrad", (_Hooks, *_bases()), {"__doc__": WhyGrad.__doc__})
    return kind(updates, on_finding)
