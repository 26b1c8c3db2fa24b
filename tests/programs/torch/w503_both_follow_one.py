"""Two critics with targets; the second target is given the average that was made for the first one."""
import torch
import torch.nn.functional as F
from torch import nn


def critic():
    return nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))


class Agent:
    def __init__(self):
        self.one, self.two, self.one_target, self.two_target = critic(), critic(), critic(), critic()
        self.optimizer = torch.optim.Adam([*self.one.parameters(), *self.two.parameters()], lr=1e-2)
        self.follow(1.0)

    def follow(self, share):
        ones, twos = dict(self.one.named_parameters()), dict(self.two.named_parameters())
        kept_ones, kept_twos = dict(self.one_target.named_parameters()), dict(self.two_target.named_parameters())
        for name in ones:
            ones[name] = share * ones[name].clone() + (1 - share) * kept_ones[name].clone()
        for name in twos:
            twos[name] = share * twos[name].clone() + (1 - share) * kept_twos[name].clone()
        self.one_target.load_state_dict(ones)
        self.two_target.load_state_dict(ones)  # fires: W503

    def learn(self, states, following, rewards):
        with torch.no_grad():
            goal = rewards + 0.9 * torch.min(self.one_target(following), self.two_target(following))
        loss = F.mse_loss(self.one(states), goal) + F.mse_loss(self.two(states), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.follow(0.05)


torch.manual_seed(0)
agent = Agent()
for update in range(8):
    agent.learn(torch.randn(16, 4), torch.randn(16, 4), torch.randn(16, 1))
