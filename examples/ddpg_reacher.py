"""An actor that learns through a critic, one block of which dies on the way: for `whygrad run --watch`.

The critic learns what an action is worth in a state, the actor to choose worthy ones. At update 1,400 the biases of a
block are overwritten with what a bad file might hold. From then on none of its rectified units is ever positive: no
gradient passes. Nothing is raised, and both losses look as healthy as before, because the blocks are residual. In the
heat map of `whygrad view` the block is a black stripe.
"""

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
UPDATES, ACCIDENT = 3_400, 1_400


class Block(nn.Module):
    """What it adds to its input is learned."""

    def __init__(self, width):
        super().__init__()
        self.up, self.down = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Critic(nn.Module):
    """What an action is worth in a state."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(10, 64)
        self.block1, self.block2, self.block3 = Block(64), Block(64), Block(64)
        self.head = nn.Linear(64, 1)

    def forward(self, states, actions):
        x = torch.tanh(self.stem(torch.cat([states, actions], 1)))
        return self.head(self.block3(self.block2(self.block1(x))))


actor = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 2), nn.Tanh())
critic = Critic()
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-4)
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)

for update in range(UPDATES):
    states, actions = torch.randn(64, 8), torch.rand(64, 2) * 2 - 1
    rewards = (torch.sin(states[:, :2] * 2) * actions).sum(1, keepdim=True) + 0.3 * torch.randn(64, 1)

    critic_loss = ((critic(states, actions) - rewards) ** 2).mean()
    critic_optimizer.zero_grad()
    critic_loss.backward()
    critic_optimizer.step()

    if update == ACCIDENT:
        with torch.no_grad():
            critic.block2.up.bias.fill_(-60.0)

    actor_loss = -critic(states, actor(states)).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    nn.utils.clip_grad_norm_(actor.parameters(), 0.2)
    actor_optimizer.step()

    if update % 500 == 499:
        print(f"update {update + 1}: critic loss {critic_loss.item():.3f}, actor loss {actor_loss.item():.3f}")
