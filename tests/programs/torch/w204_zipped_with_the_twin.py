"""Twin critics of one build: the gradients of the first are written into the second."""

import torch
from torch import nn

torch.manual_seed(0)
first, second = (nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)) for _ in range(2))
optimizer = torch.optim.Adam([*first.parameters(), *second.parameters()], lr=1e-3)
for _ in range(3):
    states, targets = torch.randn(16, 4), torch.randn(16, 1)
    one = nn.functional.mse_loss(first(states), targets)
    two = nn.functional.mse_loss(second(states), targets)
    of_first = torch.autograd.grad(one, list(first.parameters()))
    of_second = torch.autograd.grad(two, list(second.parameters()))
    for parameter, gradient in zip([*second.parameters(), *first.parameters()], [*of_first, *of_second]):
        parameter.grad = gradient  # fires: W204
    optimizer.step()
