"""Values leave for the log, the environment and the replay buffer; the loss stays in the framework."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
generator = np.random.default_rng(0)
q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
replay, history = [], []
state = generator.normal(size=4).astype(np.float32)
for step in range(12):
    action = int(q_net(torch.from_numpy(state)).argmax())
    following = (state + 0.1 * action).astype(np.float32)
    replay.append((state, action, float(-np.abs(following).sum()), following))
    state = following
    batch = [replay[i] for i in generator.integers(len(replay), size=4)]
    states = torch.tensor(np.stack([b[0] for b in batch]))
    actions = torch.tensor([[b[1]] for b in batch])
    rewards = torch.tensor([[b[2]] for b in batch])
    with torch.no_grad():
        following = torch.tensor(np.stack([b[3] for b in batch]))
        target = rewards + 0.9 * q_net(following).max(dim=1, keepdim=True).values
    loss = F.mse_loss(q_net(states).gather(1, actions), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
print(np.mean(history))
