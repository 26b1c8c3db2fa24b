"""A function that learns from an episode is called twice for the log-probabilities of one rollout."""
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
chances, rewards = [], []


def act(state):
    choice = Categorical(logits=policy(state))
    action = choice.sample()
    chances.append(choice.log_prob(action))
    return action.item()


def learn():
    loss = -(torch.stack(chances) * torch.tensor(rewards)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for episode in range(3):
    for step in range(6):
        rewards.append(float(act(torch.randn(4))))
    for _ in range(2):
        learn()  # fires: W107
    del chances[:], rewards[:]
