"""Actor and critic of Keras share one PyTorch optimizer: the actor's loss inflates the critic."""
import keras
import torch

keras.utils.set_random_seed(0)
actor = keras.Sequential([keras.Input((3,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "tanh")])
critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)  # fires: W205
for step in range(3):
    states, actions, returns = torch.randn(8, 3), torch.rand(8, 1), torch.randn(8, 1)
    critic_loss = ((critic(torch.cat([states, actions], dim=1)) - returns) ** 2).mean()
    optimizer.zero_grad()
    critic_loss.backward()
    optimizer.step()
    actor_loss = -critic(torch.cat([states, actor(states)], dim=1)).mean()
    optimizer.zero_grad()
    actor_loss.backward()
    optimizer.step()
