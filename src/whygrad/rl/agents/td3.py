"""TD3: DDPG that does not fool itself (Fujimoto et al., 2018).

Two critics, of which the lower one counts; a target action with a little noise; an actor that waits for the critics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.agents.ddpg import act, climb, jitter
from whygrad.rl.agents.sac import lowest, twin_loss
from whygrad.rl.off_policy import OffPolicy


@dataclass(frozen=True, kw_only=True)
class TD3(OffPolicy):
    """Off-policy, for continuous actions."""

    NAME = "td3"
    ACTIONS = ("continuous",)

    tau: float = setting(0.005, "share of the networks that their targets take over at a time")
    noise: float = setting(0.1, "deviation of the normal noise that is added to actions, in halves of their range")
    target_noise: float = setting(0.2, "deviation of the noise on the target's actions")
    target_noise_clip: float = setting(0.5, "largest noise on the target's actions")
    policy_delay: int = setting(2, "updates of the critics for one of the actor and the targets")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """An actor, from an observation to an action before tanh, and two critics."""
        return {
            "actor": networks.head(spaces, spaces.action_size, self.hidden),
            "critic_1": networks.critic(spaces, self.hidden),
            "critic_2": networks.critic(spaces, self.hidden),
        }

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """All three, averaged when the actor has learned."""
        names = ("actor", "critic_1", "critic_2")
        return tuple(Target(f"{name}_target", of=name, share=self.tau, every=self.policy_delay) for name in names)

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """The critics learn from the targets; the actor from the first critic, less often."""
        rate, clip, decays = self.learning_rate, self.clip, self.decay
        return (
            Loss("critic", self.critic_loss, ("critic_1", "critic_2"), rate, clip, decays=decays),
            Loss("actor", self.actor_loss, ("actor",), rate, clip, every=self.policy_delay, decays=decays),
        )

    def loss_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """For the target's action."""
        return {"next_noise": Noise("normal", (spaces.action_size,))}

    def critic_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """Both critics against r + γ min Q'(s', a'), with a' = μ'(s') + noise, cut twice."""
        noise = ops.clip(self.target_noise * batch["next_noise"], -self.target_noise_clip, self.target_noise_clip)
        action = ops.clip(act(nets["actor_target"], batch["next_observation"]) + noise, -1.0, 1.0)
        after = lowest(nets, batch["next_observation"], action, "_target")
        return twin_loss(nets, batch, ops.stop_gradient(batch["reward"] + batch["discount"] * after))

    def actor_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """−Q₁(s, μ(s)), through the action into the actor."""
        return climb(nets["actor"], nets["critic_1"], batch["observation"]), {}

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """What is added to an action."""
        return {"noise": Noise("normal", (spaces.action_size,))}

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """What the actor does, with normal noise."""
        return {"action": jitter(act(nets["actor"], batch["observation"]), self.noise, batch["noise"])}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """What the lower critic says of the actor's action."""
        return lowest(nets, batch["observation"], act(nets["actor"], batch["observation"]))
