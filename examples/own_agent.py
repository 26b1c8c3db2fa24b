"""An agent of one's own, with a network of one's own: Munchausen DQN (Vieillard et al., 2020) on CartPole.

    KERAS_BACKEND=jax python examples/own_agent.py 20000

The same file runs on TensorFlow, PyTorch and JAX. docs/own_agents.md goes through it piece by piece.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import keras
from keras import layers, ops

from whygrad.rl import train
from whygrad.rl.agent import Batch, Loss, Networks, Noise, Spaces, Target, setting
from whygrad.rl.agents.dqn import taken
from whygrad.rl.off_policy import OffPolicy


@dataclass(frozen=True, kw_only=True)
class MunchausenDQN(OffPolicy):
    """DQN with a softmax policy whose own log-probability is part of the reward."""

    NAME = "munchausen-dqn"
    ACTIONS = ("discrete",)

    clip: float | None = setting(10.0, "largest global norm of the gradient")
    target_every: int = setting(100, "updates between two copies into the target network")
    temperature: float = setting(0.03, "of the softmax policy")
    bonus: float = setting(0.9, "weight of the log-probability of what was done")
    least: float = setting(-1.0, "log-probabilities below this count as this")

    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """The networks to train, by name."""
        return {"q": q_network(spaces, self.hidden)}

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """Copies of them that follow from time to time."""
        return (Target("q_target", of="q", every=self.target_every),)

    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """What is minimised, and which networks it trains: everything else it leaves alone."""
        return (Loss("q", self.q_loss, ("q",), self.learning_rate, self.clip),)

    def q_loss(self, nets: Networks, batch: Batch) -> tuple[Any, dict[str, Any]]:
        """Squared error against r + ατ log π(a|s) + γ Σ π(a'|s') (Q'(s', a') − τ log π(a'|s'))."""
        predicted = taken(nets["q"](batch["observation"]), batch["action"])
        here = ops.log_softmax(nets["q_target"](batch["observation"]) / self.temperature)
        done = self.temperature * taken(here, batch["action"])
        reward = batch["reward"] + self.bonus * ops.clip(done, self.least, 0.0)
        values = nets["q_target"](batch["next_observation"])
        after = ops.log_softmax(values / self.temperature)
        future = ops.sum(ops.exp(after) * (values - self.temperature * after), axis=-1)
        error = ops.stop_gradient(reward + batch["discount"] * future) - predicted
        return ops.mean(batch["weight"] * error**2), {"priority": ops.abs(error), "value": ops.mean(predicted)}

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """Random numbers that `policy` finds in its batch; all zero when it is evaluated."""
        return {"gumbel": Noise("gumbel", (spaces.action_size,)), "dice": Noise("uniform"), "choice": Noise("uniform")}

    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """A choice drawn from the softmax of the values (the largest of logits and Gumbel noise); or the best one.

        In the first half of the training now and then any choice. Without noise always the best.
        """
        values = nets["q"](batch["observation"])
        drawn = ops.argmax(values + self.temperature * batch["gumbel"], axis=-1)
        chance = ops.maximum(0.02, 2.0 * batch["remaining"] - 1.0)
        anything = ops.cast(batch["choice"] * values.shape[-1], drawn.dtype)
        return {"action": ops.where(batch["dice"] > 1.0 - chance, anything, drawn)}


def q_network(spaces: Spaces, hidden: tuple[int, ...]) -> keras.Model:
    """From an observation to the values of all choices. Any Keras model will do, on PyTorch any torch.nn.Module."""
    x = inputs = keras.Input(spaces.observation)
    for width in hidden:
        x = layers.LayerNormalization()(layers.Dense(width, activation="relu")(x))
    return keras.Model(inputs, layers.Dense(spaces.action_size)(x))


if __name__ == "__main__":
    steps = int(sys.argv[1]) if sys.argv[1:] else 2_000
    agent = MunchausenDQN(hidden=(64, 64), batch_size=64, learning_starts=200, train_every=32, updates=16)
    trained = train(agent, "CartPole-v1", steps=steps)
    print(f"mean return {trained.best.mean:.0f} of the best evaluation, kept in {trained.path}")
