"""DQN: learn the value of each choice, act on the best one (Mnih et al., 2015).

Double: the online network chooses the next action, the target network values it (van Hasselt et al., 2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl import networks
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.off_policy import OffPolicy


@dataclass(frozen=True, kw_only=True)
class DQN(OffPolicy):
    """Off-policy, for discrete actions."""

    NAME = "dqn"
    ACTIONS = ("discrete",)

    batch_size: int = setting(64, "transitions in one batch")
    clip: float | None = setting(10.0, "largest global norm of the gradient")
    trunk: str = setting("plain", "what sees the observation: plain, board (convolutions), snake-dqn")
    huber: bool = setting(True, "let large errors count in proportion; else all are squared")
    target_every: int = setting(500, "updates between two copies into the target network")
    double: bool = setting(True, "choose the next action with the online network, value it with the target")
    dueling: bool = setting(False, "split the network into a state value and advantages")
    explore_share: float = setting(0.1, "share of the training in which random actions get rarer")
    explore_first: float = setting(1.0, "share of random actions at the start")
    explore_last: float = setting(0.05, "share of random actions in the end")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """One network, from an observation to the values of all choices."""
        if self.dueling:
            return {"q": networks.dueling(spaces, self.hidden, self.trunk)}
        return {"q": networks.head(spaces, spaces.action_size, self.hidden, trunk=self.trunk)}

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """A copy, made anew from time to time."""
        return (Target("q_target", of="q", every=self.target_every),)

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """The temporal-difference error; the target network is left alone."""
        return (Loss("q", self.q_loss, ("q",), self.learning_rate, self.clip, decays=self.decay),)

    def q_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """The error of Q(s, a) against r + γⁿ Q'(s', a'), by Huber or squared."""
        predicted = taken(nets["q"](batch["observation"]), batch["action"])
        future = nets["q_target"](batch["next_observation"])
        if self.double:
            future = taken(future, ops.argmax(nets["q"](batch["next_observation"]), axis=-1))
        else:
            future = ops.max(future, axis=-1)
        error = ops.stop_gradient(batch["reward"] + batch["discount"] * future) - predicted
        cost = huber(error) if self.huber else error * error
        return ops.mean(batch["weight"] * cost), {"priority": ops.abs(error), "value": ops.mean(predicted)}

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """Whether to explore, and what to do then."""
        return {"dice": Noise("uniform"), "choice": Noise("uniform")}

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """The choice with the largest value or, with a probability that falls over the training, any."""
        values = nets["q"](batch["observation"])
        best = ops.argmax(values, axis=-1)
        done = 1.0 - batch["remaining"]
        share = ops.minimum(1.0, done / self.explore_share) if self.explore_share else 1.0
        chance = self.explore_first + share * (self.explore_last - self.explore_first)
        any_choice = ops.cast(batch["choice"] * values.shape[-1], best.dtype)
        return {"action": ops.where(batch["dice"] > 1.0 - chance, any_choice, best)}

    def value(self, nets: Networks, batch: Batch) -> Any:
        """That of the best choice."""
        return ops.max(nets["q"](batch["observation"]), axis=-1)


def taken(values: Any, action: Any) -> Any:
    """Of each row of values, the one that belongs to the action."""
    return ops.squeeze(ops.take_along_axis(values, ops.expand_dims(action, -1), axis=-1), -1)


def huber(error: Any) -> Any:
    """Quadratic near zero, linear beyond one."""
    size = ops.abs(error)
    return ops.where(size < 1.0, 0.5 * error * error, size - 0.5)
