"""Two Keras networks, and after the actor's loss the critic's optimizer steps."""
import keras
import torch

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(4):
    states, actions, returns = torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1)
    critic_optimizer.zero_grad()
    ((critic(torch.cat([states, actions], dim=1)) - returns) ** 2).mean().backward()
    critic_optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    critic_optimizer.step()  # fires: W204
