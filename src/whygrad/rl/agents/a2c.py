"""A2C: policy and value learn together from a few steps of several environments (Mnih et al., 2016, synchronous)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, setting
from whygrad.rl.distributions import distribution, distribution_names, distribution_networks, distribution_noise
from whygrad.rl.on_policy import OnPolicy


@dataclass(frozen=True, kw_only=True)
class A2C(OnPolicy):
    """On-policy, for discrete and continuous actions."""

    NAME = "a2c"
    ACTIONS = ("discrete", "continuous")

    entropy: float = setting(0.0, "bonus for staying undecided")
    value_weight: float = setting(0.5, "weight of the value's loss beside the policy's")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """A policy and a value, apart."""
        return {**distribution_networks(spaces, self.hidden), "value": networks.value(spaces, self.hidden)}

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """One loss over policy and value, so that one clip holds for both."""
        trained = (*distribution_names(spaces), "value")
        return (Loss("a2c", self.loss, trained, self.learning_rate, self.clip, decays=self.decay, epsilon=1e-5),)

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the drawing of an action."""
        return distribution_noise(spaces)

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """A draw, and the value of where it was made."""
        action = distribution(nets, batch["observation"]).draw(batch["noise"])
        return {"action": action, "value": self.value(nets, batch)}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """The value of each observation."""
        return nets["value"](batch["observation"])[:, 0]

    def loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """−log π(a|s) A, the value's squared error and the entropy."""
        share = batch["weight"] / ops.sum(batch["weight"])
        chosen = distribution(nets, batch["observation"])
        gain = ops.sum(share * chosen.log_prob(batch["action"]) * batch["advantage"])
        value_loss = ops.sum(share * (batch["return"] - self.value(nets, batch)) ** 2)
        entropy = ops.sum(share * chosen.entropy())
        loss = self.value_weight * value_loss - gain - self.entropy * entropy
        return loss, {"entropy": entropy, "value_loss": value_loss}
