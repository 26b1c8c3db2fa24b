"""The agent of docs/probes.md, for `whygrad probe my_module:MyAgent`."""

from dataclasses import dataclass
from keras import ops
from whygrad.rl import DQN


@dataclass(frozen=True, kw_only=True)
class MyAgent(DQN):
    NAME = "mine"

    def q_loss(self, nets, batch):
        loss, shown = super().q_loss(nets, batch)
        return 2.0 * loss, shown  # yours

    def value(self, nets, batch):
        return ops.max(nets["q"](batch["observation"]), axis=-1)
