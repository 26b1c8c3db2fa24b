"""A Stable-Baselines3 callback: `model.learn(…, callback=WhyGrad())` explains the first updates."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from whygrad.background import FirstUpdates, OnFinding
from whygrad.trace.session import DEPTH


class WhyGrad(BaseCallback):  # type: ignore[misc, unused-ignore]
    """Records the first `updates` of each optimizer and tells what it found.

    ```python
    model.learn(10_000, callback=WhyGrad())
    ```

    `on_finding` is "print" (to standard error), "raise" (`whygrad.GradientFault`), or a function of the report.
    """

    def __init__(self, updates: int = DEPTH, on_finding: OnFinding = "print", verbose: int = 0) -> None:
        super().__init__(verbose)
        self._first = FirstUpdates(updates, on_finding)

    @property
    def report(self) -> Any:
        """What was found, once enough updates were seen."""
        return self._first.report

    def _on_rollout_end(self) -> None:
        """Training follows; the many rollouts before the first update need not be recorded."""
        if self.num_timesteps >= getattr(self.model, "learning_starts", 0):
            self._first.begin(policy=self.model.policy)

    def _on_rollout_start(self) -> None:
        self._first.look()

    def _on_step(self) -> bool:
        self._first.look()
        return True

    def _on_training_end(self) -> None:
        self._first.tell()
