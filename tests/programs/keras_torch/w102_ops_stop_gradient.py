"""keras.ops.stop_gradient on the actor's output."""
import keras
import torch


class Agent:
    def __init__(self):
        self.actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
        self.optimizer = torch.optim.Adam([*self.actor.parameters(), *self.critic.parameters()], lr=1e-3)

    def update(self, states):
        chosen = keras.ops.stop_gradient(self.actor(states))  # fires: W102
        loss = -self.critic(torch.cat([states, chosen], dim=1)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


keras.utils.set_random_seed(0)
agent = Agent()
for step in range(3):
    agent.update(torch.randn(8, 3))
