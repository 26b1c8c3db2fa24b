"""PPO: 'Trying to backward through the graph a second time' in the second epoch."""

import torch
from torch import nn, optim
from torch.distributions import Categorical


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 64)
        self.pi = nn.Linear(64, 2)
        self.v = nn.Linear(64, 1)

    def forward(self, x):
        h = torch.tanh(self.l1(x))
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


torch.manual_seed(1)
net = Net()
opt = optim.Adam(net.parameters(), 3e-4)
for it in range(3):
    states = torch.randn(32, 4)
    dist, values = net(states)
    actions = dist.sample()
    logp_old = dist.log_prob(actions)  # fires: W107
    rewards = (actions.float() - 0.5) * states[:, 0]
    returns = rewards + 0.1 * torch.randn(32)
    adv = (returns - values).detach()
    for epoch in range(4):
        d, v = net(states)
        ratio = (d.log_prob(actions) - logp_old).exp()
        surr = torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv)
        loss = -surr.mean() + 0.5 * (returns - v).pow(2).mean() - 0.01 * d.entropy().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
