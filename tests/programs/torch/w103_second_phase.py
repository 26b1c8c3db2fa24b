"""Long after the first updates the same optimizer gets another loss, which is put together from Python numbers."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(250):
    states, labels = torch.randn(8, 4), torch.randint(0, 3, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(states), labels).backward()
    optimizer.step()
for episode in range(6):
    total = 0.0
    for _ in range(4):
        log_probs = torch.log_softmax(model(torch.randn(1, 4)), dim=1)
        total -= log_probs[0, 1].item() * 0.9  # fires: W103
    loss = torch.tensor(total, requires_grad=True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
