"""REINFORCE: make the actions of good episodes likelier (Williams, 1992), with a learned baseline or without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, setting
from whygrad.rl.distributions import distribution, distribution_names, distribution_networks, distribution_noise
from whygrad.rl.on_policy import OnPolicy


@dataclass(frozen=True, kw_only=True)
class REINFORCE(OnPolicy):
    """On-policy from whole episodes, for discrete and continuous actions."""

    NAME = "reinforce"
    ACTIONS = ("discrete", "continuous")
    WHOLE_EPISODES = True

    learning_rate: float = setting(1e-3, "step size of Adam")
    horizon: int = setting(8, "whole episodes before learning from them")
    baseline: bool = setting(True, "learn the value of each state and take it off the return")
    normalise_returns: bool = setting(
        True, "scale what the policy is judged by to mean 0 and deviation 1 in each batch"
    )
    entropy: float = setting(0.0, "bonus for staying undecided")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """A policy, and with a baseline a value."""
        nets = distribution_networks(spaces, self.hidden)
        if not self.baseline:
            return nets
        return {**nets, "value": networks.value(spaces, self.hidden)}

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """The policy learns from what followed; the baseline learns to foresee it, on its own."""
        rate, clip, decays = self.learning_rate, self.clip, self.decay
        policy = Loss("policy", self.policy_loss, distribution_names(spaces), rate, clip, decays=decays)
        if not self.baseline:
            return (policy,)
        return policy, Loss("value", self.value_loss, ("value",), rate, clip, decays=decays)

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the drawing of an action."""
        return distribution_noise(spaces)

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """A draw, and with a baseline the value of where it was made."""
        chosen = {"action": distribution(nets, batch["observation"]).draw(batch["noise"])}
        return {**chosen, "value": self.value(nets, batch)} if self.baseline else chosen

    def value(self, nets: Networks, batch: Batch) -> Any:
        """The value of each observation, with a baseline."""
        return nets["value"](batch["observation"])[:, 0] if self.baseline else None

    def policy_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """−log π(a|s) times the return, or times what it is above the baseline."""
        share = batch["weight"] / ops.sum(batch["weight"])  # rows that only fill up the batch count nothing
        followed = batch["advantage"] if self.baseline else batch["return"]
        if self.normalise_returns:
            followed = followed - ops.sum(share * followed)
            followed = followed / (ops.sqrt(ops.sum(share * followed * followed)) + 1e-8)
        chosen = distribution(nets, batch["observation"])
        gain = ops.sum(share * chosen.log_prob(batch["action"]) * followed)
        entropy = ops.sum(share * chosen.entropy())
        return -gain - self.entropy * entropy, {"entropy": entropy}

    def value_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """The squared error of the baseline."""
        share = batch["weight"] / ops.sum(batch["weight"])
        value = self.value(nets, batch)
        return ops.sum(share * (batch["return"] - value) ** 2), {"value": ops.sum(share * value)}

    def check(self) -> None:
        """Without a baseline there is no value that a shortened return could go on with."""
        if not self.baseline and self.gae_lambda != 1.0:
            raise ValueError(
                f"reinforce with gae_lambda={self.gae_lambda} needs a value to go on with after the first steps: "
                "write baseline=True, or gae_lambda=1.0"
            )
