"""PPO: improve the policy on its own experience, but not far from where it was collected (Schulman et al., 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, setting
from whygrad.rl.distributions import distribution, distribution_names, distribution_networks, distribution_noise
from whygrad.rl.on_policy import OnPolicy


@dataclass(frozen=True, kw_only=True)
class PPO(OnPolicy):
    """On-policy, for discrete and continuous actions."""

    NAME = "ppo"
    ACTIONS = ("discrete", "continuous")

    learning_rate: float = setting(3e-4, "step size of Adam")
    gae_lambda: float = setting(0.95, "weight of long advantage estimates: 1 the whole return, 0 one step")
    trunk: str = setting("plain", "what sees the observation: plain, board (convolutions, hidden is their widths)")
    horizon: int = setting(256, "steps of each environment before learning from them")
    epochs: int = setting(10, "times each step is learned from")
    minibatch: int | None = setting(64, "rows of one update")
    ratio_clip: float = setting(0.2, "how far the probability of an action may move in one round, as a share")
    ratio_decay: bool = setting(False, "let that share fall to zero over the training")
    entropy: float = setting(0.0, "bonus for staying undecided")
    value_weight: float = setting(0.5, "weight of the value's loss beside the policy's")
    normalise_advantages: bool = setting(True, "scale advantages to mean 0 and deviation 1 in each minibatch")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """A policy and a value, apart."""
        nets = distribution_networks(spaces, self.hidden, self.trunk)
        return {**nets, "value": networks.value(spaces, self.hidden, self.trunk)}

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """One loss over policy and value, so that one clip holds for both."""
        trained = (*distribution_names(spaces), "value")
        return (Loss("ppo", self.loss, trained, self.learning_rate, self.clip, decays=self.decay, epsilon=1e-5),)

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the drawing of an action."""
        return distribution_noise(spaces)

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """A draw, with its log-probability and the value of where it was made."""
        chosen = distribution(nets, batch["observation"])
        action = chosen.draw(batch["noise"])
        return {"action": action, "log_prob": chosen.log_prob(action), "value": self.value(nets, batch)}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """The value of each observation."""
        return nets["value"](batch["observation"])[:, 0]

    def loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """The clipped surrogate, the value's squared error and the entropy."""
        advantage = batch["advantage"]
        if self.normalise_advantages:
            advantage = (advantage - ops.mean(advantage)) / (ops.std(advantage) + 1e-8)
        chosen = distribution(nets, batch["observation"])
        log_ratio = chosen.log_prob(batch["action"]) - batch["log_prob"]
        ratio = ops.exp(log_ratio)
        width = self.ratio_clip * (batch["remaining"] if self.ratio_decay else 1.0)
        clipped = ops.minimum(ops.maximum(ratio, 1.0 - width), 1.0 + width)
        surrogate = ops.mean(ops.minimum(ratio * advantage, clipped * advantage))
        value_loss = ops.mean((batch["return"] - self.value(nets, batch)) ** 2)
        entropy = ops.mean(chosen.entropy())
        return self.value_weight * value_loss - surrogate - self.entropy * entropy, {
            "entropy": entropy,
            "value_loss": value_loss,
            "divergence": ops.mean(ratio - 1.0 - log_ratio),
            "clipped": ops.mean(ops.cast(ops.abs(ratio - 1.0) > width, "float32")),
        }
