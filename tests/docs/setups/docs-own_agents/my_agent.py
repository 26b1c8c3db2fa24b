"""An agent whose loss stops the gradient on the wrong side,
as docs/own_agents.md shows it."""

from dataclasses import dataclass

from keras import ops
from whygrad.rl import DQN, train
from whygrad.rl.agents.dqn import taken


@dataclass(frozen=True, kw_only=True)
class MyAgent(DQN):
    """DQN, but for one word."""

    NAME = "mine"

    def q_loss(self, nets, batch):
        """The wrong side is a constant."""
        predicted = ops.stop_gradient(taken(nets["q"](batch["observation"]), batch["action"]))
        future = ops.max(nets["q_target"](batch["next_observation"]), axis=-1)
        error = batch["reward"] + batch["discount"] * future - predicted
        return ops.mean(error**2), {}


train(MyAgent(learning_starts=100), "CartPole-v1", steps=200, quiet=True)
