"""A Lightning callback: `Trainer(callbacks=[WhyGrad()])` explains the first updates.

For `lightning` and `pytorch_lightning`, 2.x. With `watch=True` it watches all updates.
"""

from __future__ import annotations

import sys
from typing import Any

from whygrad.background import FirstUpdates, OnFinding
from whygrad.interop.callback_watch import CallbackWatch, WatchOption, named_apart
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

    def __init__(self, updates: int = DEPTH, on_finding: OnFinding = "print", watch: WatchOption = False) -> None:
        super().__init__()
        self._first = FirstUpdates(updates, on_finding)
        self._watch = CallbackWatch(watch, tell=on_finding == "print")
        self._loss: Any = None

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    @property
    def watching(self) -> Any:
        """The watch, with its `path` and `events`; None without `watch=`."""
        return self._watch.watching

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Training starts; the sanity check of the validation is over."""
        if getattr(trainer, "is_global_zero", True):  # of several processes one writes
            self._watch.begin(lambda: named_apart(pl_module, trainer.optimizers))
        self._first.begin(model=pl_module)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """An update may have gone by."""
        self._first.look()
        self._loss = outputs.get("loss") if isinstance(outputs, dict) else outputs
        # As often as Lightning itself fetches numbers from the device, and no more.
        if self._watch.live and (batch_idx + 1) % (getattr(trainer, "log_every_n_steps", 0) or 1) == 0:
            self._log(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """What was logged by the epoch is there now."""
        self._log(trainer)

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """What the validation logged is there now."""
        if not getattr(trainer, "sanity_checking", False):
            self._log(trainer)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Training ends, perhaps after very few updates."""
        self._watch.end()
        self._first.tell()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Training fails: what was seen up to here may say why."""
        self._watch.end()
        if self._first.on_finding == "raise":
            self._first.on_finding = "print"  # the failure itself is on its way already
        self._first.tell(exception)

    def _log(self, trainer: Any) -> None:
        if self._watch.live:
            self._watch.log(trainer.global_step, {"loss": self._loss, **trainer.callback_metrics})


def WhyGrad(updates: int = DEPTH, on_finding: OnFinding = "print", *, watch: WatchOption = False) -> Any:
    """A callback that records the first `updates` of each optimizer and tells what it found.

    ```python
    trainer = Trainer(callbacks=[WhyGrad(watch=True)])
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report. `watch`
    looks at the gradients of the whole training, as `whygrad.watch` does: True, or the folder of the run.
    """
    kind = type("WhyGrad", (_Hooks, *_bases()), {"__doc__": WhyGrad.__doc__})
    return kind(updates, on_finding, watch)
