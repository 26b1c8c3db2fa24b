"""CQL: learn from a dataset alone, and do not believe in actions that it does not show (Kumar et al., 2020).

DQN for discrete and SAC for continuous actions, with one term more: it lowers the values of all actions, the best ones
most, and raises those of the actions in the dataset. With `alpha=0` it is plain offline DQN or SAC.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from keras import ops

from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.agents.dqn import DQN, taken
from whygrad.rl.agents.sac import SAC, sample
from whygrad.rl.offline import Offline


@dataclass(frozen=True, kw_only=True)
class CQL(Offline):
    """Offline, for discrete and continuous actions."""

    NAME = "cql"
    ACTIONS = ("discrete", "continuous")

    alpha: float = setting(1.0, "weight of the term that lowers the values of actions outside the dataset")
    target_every: int = setting(500, "discrete: updates between two copies into the target network")
    double: bool = setting(True, "discrete: choose the next action with the online network, value it with the target")
    tau: float = setting(0.005, "continuous: share of the critics that their targets take over at each update")
    temperature: float | None = setting(None, "continuous: weight of the entropy; learned when not given")
    samples: int = setting(10, "continuous: actions of each of three kinds that stand for all actions")

    @property
    def dqn(self) -> DQN:
        """What discrete actions are learned with."""
        return DQN(**self._shared(), target_every=self.target_every, double=self.double)

    @property
    def sac(self) -> SAC:
        """What continuous actions are learned with."""
        return SAC(**self._shared(), tau=self.tau, temperature=self.temperature)

    def _shared(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("learning_rate", "hidden", "gamma", "clip", "decay")}

    def beneath(self, discrete: bool) -> DQN | SAC:
        """The algorithm that gets the conservative term."""
        return self.dqn if discrete else self.sac

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """Those of DQN or SAC."""
        return self.beneath(spaces.discrete).networks(spaces)

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """Those of DQN or SAC."""
        return self.beneath(spaces.discrete).targets(spaces)

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """Those of DQN or SAC, that of the values with the conservative term."""
        conservative = {"q": self.q_loss, "critic": self.critic_loss}
        losses = self.beneath(spaces.discrete).losses(spaces)
        return tuple(replace(loss, of=conservative.get(loss.name, loss.of)) for loss in losses)

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """That of DQN or SAC."""
        return self.beneath(spaces.discrete).policy_noise(spaces)

    def loss_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """That of DQN or SAC, and for continuous actions what the sampled ones are made of."""
        noise = self.beneath(spaces.discrete).loss_noise(spaces)
        if spaces.discrete:
            return noise
        shape = (self.samples, spaces.action_size)
        return {
            **noise,
            "random": Noise("uniform", shape),
            "sample_noise": Noise("normal", shape),
            "next_sample_noise": Noise("normal", shape),
        }

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """That of DQN or SAC."""
        return self.beneath("q" in nets).policy(nets, batch)

    def value(self, nets: Networks, batch: Batch) -> Any:
        """That of DQN or SAC."""
        return self.beneath("q" in nets).value(nets, batch)

    def q_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """DQN's loss + α (log Σ exp Q(s, ·) − Q(s, a))."""
        loss, shown = self.dqn.q_loss(nets, batch)
        values = nets["q"](batch["observation"])
        gap = ops.mean(batch["weight"] * (ops.logsumexp(values, axis=-1) - taken(values, batch["action"])))
        return loss + self.alpha * gap, {**shown, "gap": gap}

    def critic_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """SAC's loss + α (log ∫ exp Q(s, ·) − Q(s, a)) for each critic."""
        loss, shown = self.sac.critic_loss(nets, batch)
        action, log_density = everywhere(nets["actor"], batch)
        gaps = [critic_gap(nets[name], batch, action, log_density) for name in ("critic_1", "critic_2")]
        return loss + self.alpha * sum(gaps), {**shown, "gap": gaps[0]}


def everywhere(actor: Any, batch: Batch) -> tuple[Any, Any]:
    """Actions [rows, samples, size]: any, the policy's here and the policy's after; with their log-densities."""
    random = 2.0 * batch["random"] - 1.0
    flat = ops.zeros_like(random[:, :, 0]) - random.shape[-1] * math.log(2.0)
    here, log_here = sample(actor(batch["observation"])[:, None], batch["sample_noise"])
    after, log_after = sample(actor(batch["next_observation"])[:, None], batch["next_sample_noise"])
    actions = ops.concatenate([random, here, after], axis=1)
    return ops.stop_gradient(actions), ops.stop_gradient(ops.concatenate([flat, log_here, log_after], axis=1))


def critic_gap(critic: Any, batch: Batch, action: Any, log_density: Any) -> Any:
    """log ∫ exp Q(s, ·) by importance sampling, less Q(s, a) of the dataset."""
    _, samples, size = action.shape
    pairs = [ops.repeat(batch["observation"], samples, axis=0), ops.reshape(action, (-1, size))]
    values = ops.reshape(critic(pairs), (-1, samples)) - log_density
    soft = ops.logsumexp(values, axis=-1) - math.log(samples)
    return ops.mean(batch["weight"] * (soft - critic([batch["observation"], batch["action"]])[:, 0]))
