"""MAML whose inner step is stored in the model itself: the outer gradient does not go through it."""
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(6):
    meta_optimizer.zero_grad()
    for phase in torch.rand(3):
        x, x_test = torch.rand(8, 1), torch.rand(8, 1)
        task_loss = F.mse_loss(model(x), torch.sin(x + phase))
        grads = torch.autograd.grad(task_loss, model.parameters(), create_graph=True)
        for weight, grad in zip(model.parameters(), grads):
            weight.data = weight.data - 0.01 * grad  # fires: W108
        F.mse_loss(model(x_test), torch.sin(x_test + phase)).backward()
    meta_optimizer.step()
