"""The critic's Keras variables are stepped between the actor's forward pass and its backward."""
import keras
import torch

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
states, actions = torch.randn(8, 3), torch.rand(8, 1)
actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
critic_loss = ((critic(torch.cat([states, actions], dim=1)) - 1.0) ** 2).mean()
critic_loss.backward()
critic_optimizer.step()  # fires: W108
actor_optimizer.zero_grad()
actor_loss.backward()
