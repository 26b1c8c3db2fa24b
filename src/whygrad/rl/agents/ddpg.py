"""DDPG: Q-learning for continuous actions; the actor climbs the critic (Lillicrap et al., 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.off_policy import OffPolicy


@dataclass(frozen=True, kw_only=True)
class DDPG(OffPolicy):
    """Off-policy, for continuous actions."""

    NAME = "ddpg"
    ACTIONS = ("continuous",)

    tau: float = setting(0.005, "share of the networks that their targets take over at each update")
    noise: float = setting(0.1, "deviation of the normal noise that is added to actions, in halves of their range")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """An actor, from an observation to an action before tanh, and a critic."""
        return {
            "actor": networks.head(spaces, spaces.action_size, self.hidden),
            "critic": networks.critic(spaces, self.hidden),
        }

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """Both, averaged."""
        return tuple(Target(f"{name}_target", of=name, share=self.tau) for name in ("actor", "critic"))

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """The critic learns from the targets, the actor from the critic."""
        rate, clip = self.learning_rate, self.clip
        return (
            Loss("critic", self.critic_loss, ("critic",), rate, clip, decays=self.decay),
            Loss("actor", self.actor_loss, ("actor",), rate, clip, decays=self.decay),
        )

    def critic_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """The squared error of Q(s, a) against r + γ Q'(s', μ'(s'))."""
        after = batch["next_observation"]
        future = nets["critic_target"]([after, act(nets["actor_target"], after)])[:, 0]
        target = ops.stop_gradient(batch["reward"] + batch["discount"] * future)
        error = target - nets["critic"]([batch["observation"], batch["action"]])[:, 0]
        loss = ops.mean(batch["weight"] * error * error)
        return loss, {"priority": ops.abs(error), "value": ops.mean(target)}

    def actor_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """−Q(s, μ(s)), through the action into the actor."""
        return climb(nets["actor"], nets["critic"], batch["observation"]), {}

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """What is added to an action."""
        return {"noise": Noise("normal", (spaces.action_size,))}

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """What the actor does, with normal noise."""
        return {"action": jitter(act(nets["actor"], batch["observation"]), self.noise, batch["noise"])}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """What the critic says of the actor's action."""
        return nets["critic"]([batch["observation"], act(nets["actor"], batch["observation"])])[:, 0]


def act(actor: Any, observation: Any) -> Any:
    """What a deterministic actor does, in [−1, 1]."""
    return ops.tanh(actor(observation))


def climb(actor: Any, critic: Any, observation: Any) -> Any:
    """The loss of an actor that a critic judges."""
    return -ops.mean(critic([observation, act(actor, observation)]))


def jitter(action: Any, deviation: float, noise: Any) -> Any:
    """Actions with noise of this deviation, cut at ±1."""
    return ops.clip(action + deviation * noise, -1.0, 1.0)
