"""MAML whose adapted weights are values: the outer gradient goes back through the inner step."""
import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(6):
    meta_optimizer.zero_grad()
    for phase in torch.rand(3):
        x, x_test = torch.rand(8, 1), torch.rand(8, 1)
        task_loss = F.mse_loss(model(x), torch.sin(x + phase))
        names, weights = zip(*model.named_parameters())
        grads = torch.autograd.grad(task_loss, weights, create_graph=True)
        adapted = {name: weight - 0.01 * grad for name, weight, grad in zip(names, weights, grads)}
        F.mse_loss(functional_call(model, adapted, x_test), torch.sin(x_test + phase)).backward()
    meta_optimizer.step()
