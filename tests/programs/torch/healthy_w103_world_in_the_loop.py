"""REINFORCE in a world that is written out in the loop: its state comes from the last action, by way of NumPy."""
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for episode in range(6):
    state, chances, rewards = torch.randn(3), [], []
    for _ in range(5):
        mean, scale = policy(state)
        distribution = Normal(mean, nn.functional.softplus(scale) + 0.01)
        action = distribution.sample()
        chances.append(distribution.log_prob(action))
        moved = 0.2 * action.detach().numpy()
        state = state + torch.as_tensor([moved, 0.0, -moved], dtype=torch.float32)
        rewards.append(-float(state.square().sum()))
    returns = torch.tensor([sum(rewards[i:]) for i in range(5)])
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = 0
    for chance, gain in zip(chances, returns):
        loss = loss - chance * gain
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
