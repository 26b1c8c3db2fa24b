"""An agent with a fault: its loss is cut off from its network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import DQN
from whygrad.rl.agent import Batch, Networks


@dataclass(frozen=True, kw_only=True)
class CutOff(DQN):
    """DQN, but for a stopped gradient."""

    NAME = "cut-off"

    def q_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        values = ops.stop_gradient(nets["q"](batch["observation"]))
        error = ops.mean(values, axis=-1) - batch["reward"]
        return ops.mean(error * error), {"priority": ops.abs(error)}
