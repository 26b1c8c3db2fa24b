"""A2C with GAE on values that still carry gradients; separate actor and critic."""

import torch
from torch import nn, optim
from torch.distributions import Categorical

actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
torch.manual_seed(0)
opt = optim.Adam([*actor.parameters(), *critic.parameters()], lr=7e-4)


def gae(rewards, values, last, gamma=0.99, lam=0.95):
    adv, out = 0.0, []
    nxt = last
    for r, v in zip(reversed(rewards), reversed(values)):
        delta = r + gamma * nxt.detach() - v
        adv = delta + gamma * lam * adv
        out.insert(0, adv)
        nxt = v
    return torch.stack(out)


s = torch.randn(4)
for update in range(10):
    logps, values, rewards, ents = [], [], [], []
    for t in range(8):
        d = Categorical(logits=actor(s))
        a = d.sample()
        values.append(critic(s).squeeze())
        logps.append(d.log_prob(a))
        ents.append(d.entropy())
        s = 0.9 * s + 0.1 * torch.randn(4)
        rewards.append(1.0 if (s[0] > 0) == (a == 0) else 0.0)
    with torch.no_grad():
        last = critic(s).squeeze()
    adv = gae(rewards, values, last)
    policy_loss = -(torch.stack(logps) * adv).mean()  # fires: W505
    value_loss = adv.pow(2).mean()
    loss = policy_loss + 0.5 * value_loss - 0.01 * torch.stack(ents).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
