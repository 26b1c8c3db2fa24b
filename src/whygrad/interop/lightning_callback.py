"""A Lightning callback: `Trainer(callbacks=[WhyGrad()])` explains the first updates.

For `lightning` and `pytorch_lightning`, 2.x.
"""

from __future__ import annotations

import sys
from typing import Any

from whygrad.background import FirstUpdates, OnFinding
from whygrad.trace.session import DEPTH


def _bases() -> tuple[Any, ...]:
    """The callback classes of the Lightning packages that the program uses; `lightning` where it uses none yet."""
    loaded = [sys.modules.get(name) for name in ("lightning.pytorch", "pytorch_lightning")]
    packages = [package for package in loaded if package is not None and hasattr(package, "Callback")]
    if not packages:
        import lightning.pytorch

        packages = [lightning.pytorch]
    return tuple(dict.fromkeys(package.Callback for package in packages))


class _Hooks:
    """What Lightning calls."""

    def __init__(self, updates: int = DEPTH, on_finding: OnFinding = "print") -> None:
        super().__init__()
        self._first = FirstUpdates(updates, on_finding)

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Training starts; the sanity check of the validation is over."""
        self._first.begin(model=pl_module)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """An update may have gone by."""
        self._first.look()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Training ends, perhaps after very few updates."""
        self._first.tell()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Training fails: what was seen up to here may say why."""
        if self._first.on_finding == "raise":
            self._first.on_finding = "print"  # the failure itself is on its way already
        self._first.tell(exception)


def WhyGrad(updates: int = DEPTH, on_finding: OnFinding = "print") -> Any:
    """A callback that records the first `updates` of each optimizer and tells what it found.

    ```python
    trainer = Trainer(callbacks=[WhyGrad()])
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report.
    """
    kind = type("WhyGrad", (_Hooks, *_bases()), {"__doc__": WhyGrad.__doc__})
    return kind(updates, on_finding)
