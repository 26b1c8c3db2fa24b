"""SAC: maximise return and entropy with a stochastic policy (Haarnoja et al., 2018), with a learned temperature."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.off_policy import OffPolicy


@dataclass(frozen=True, kw_only=True)
class SAC(OffPolicy):
    """Off-policy, for continuous actions."""

    NAME = "sac"
    ACTIONS = ("continuous",)

    tau: float = setting(0.005, "share of the critics that their targets take over at each update")
    temperature: float | None = setting(None, "weight of the entropy; learned when not given")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """A policy (means and log-deviations), two critics, and the temperature's logarithm."""
        return {
            "actor": networks.head(spaces, 2 * spaces.action_size, self.hidden),
            "critic_1": networks.critic(spaces, self.hidden),
            "critic_2": networks.critic(spaces, self.hidden),
            "temperature": networks.Numbers(1, math.log(self.temperature or 1.0)),
        }

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """Both critics, averaged."""
        return tuple(Target(f"critic_{i}_target", of=f"critic_{i}", share=self.tau) for i in (1, 2))

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """The temperature learns from the entropy, critics from their targets, the actor from the critics.

        In this order a compiler can share the actor's draw between the first and the last.
        """
        rate, clip, decays = self.learning_rate, self.clip, self.decay
        learned = (
            Loss("critic", self.critic_loss, ("critic_1", "critic_2"), rate, clip, decays=decays),
            Loss("actor", self.actor_loss, ("actor",), rate, clip, decays=decays),
        )
        if self.temperature is not None:
            return learned
        return Loss("temperature", self.temperature_loss, ("temperature",), rate, decays=decays), *learned

    def loss_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the action now and the action after."""
        return {name: Noise("normal", (spaces.action_size,)) for name in ("noise", "next_noise")}

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the action."""
        return {"noise": Noise("normal", (spaces.action_size,))}

    def critic_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """Both critics against r + γ (min Q'(s', a') − α log π(a'|s'))."""
        action, log_prob = sample(nets["actor"](batch["next_observation"]), batch["next_noise"])
        after = lowest(nets, batch["next_observation"], action, "_target")
        alpha = ops.exp(nets["temperature"](log_prob))
        target = ops.stop_gradient(batch["reward"] + batch["discount"] * (after - alpha * log_prob))
        return twin_loss(nets, batch, target)

    def actor_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """α log π(a|s) − min Q(s, a), through the action into the actor."""
        action, log_prob = sample(nets["actor"](batch["observation"]), batch["noise"])
        alpha = ops.stop_gradient(ops.exp(nets["temperature"](log_prob)))
        loss = ops.mean(alpha * log_prob - lowest(nets, batch["observation"], action))
        return loss, {"entropy": -ops.mean(log_prob)}

    def temperature_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """Raise the temperature while the entropy is below its target, −dim(A)."""
        _, log_prob = sample(nets["actor"](batch["observation"]), batch["noise"])
        missing = ops.stop_gradient(log_prob - float(batch["action"].shape[-1]))
        log_alpha = nets["temperature"](missing)[0]
        return -ops.mean(log_alpha * missing), {"temperature": ops.exp(log_alpha)}

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """A draw; without noise the middle of the distribution."""
        return {"action": sample(nets["actor"](batch["observation"]), batch["noise"])[0]}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """What the lower critic says of the middle of the distribution."""
        return lowest(nets, batch["observation"], sample(nets["actor"](batch["observation"]), 0.0)[0])


def lowest(nets: Networks, observation: Any, action: Any, kind: str = "") -> Any:
    """What the more cautious of two critics (or, with `_target`, of their targets) says."""
    pair = [observation, action]
    return ops.minimum(nets[f"critic_1{kind}"](pair), nets[f"critic_2{kind}"](pair))[:, 0]


def twin_loss(nets: Networks, batch: Batch, target: Any) -> tuple[Any, dict[str, Any]]:
    """Half the squared error of each of two critics against one target."""
    now = [batch["observation"], batch["action"]]
    errors = [target - nets[name](now)[:, 0] for name in ("critic_1", "critic_2")]
    loss = 0.5 * sum(ops.mean(batch["weight"] * error * error) for error in errors)
    return loss, {"priority": ops.abs(errors[0]), "value": ops.mean(target)}


def sample(output: Any, noise: Any) -> tuple[Any, Any]:
    """An action in (−1, 1) from means and log-deviations, and its log-probability after tanh."""
    mean, log_deviation = ops.split(output, 2, axis=-1)
    log_deviation = ops.clip(log_deviation, -20.0, 2.0)
    raw = mean + ops.exp(log_deviation) * noise
    normal = -0.5 * noise * noise - log_deviation - 0.5 * math.log(2 * math.pi)
    squash = 2.0 * (math.log(2.0) - raw - ops.softplus(-2.0 * raw))  # log(1 − tanh²), without overflow
    return ops.tanh(raw), ops.sum(normal - squash, axis=-1)
