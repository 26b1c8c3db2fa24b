"""A generator is fitted for long; then another optimizer is to reinforce it, by a loss of Python numbers."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
fitting = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(150):
    states, labels = torch.randn(8, 4), torch.randint(0, 3, (8,))
    fitting.zero_grad()
    nn.functional.cross_entropy(model(states), labels).backward()
    fitting.step()
reinforcing = torch.optim.Adadelta(model.parameters())
for episode in range(6):
    total = 0.0
    for _ in range(4):
        log_probs = torch.log_softmax(model(torch.randn(1, 4)), dim=1)
        total -= log_probs[0, 1].item() * 0.9  # fires: W103
    loss = torch.tensor(total / 4, requires_grad=True)
    reinforcing.zero_grad()
    loss.backward()
    reinforcing.step()
