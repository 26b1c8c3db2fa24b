"""A lesson on autograd: gradients that are None are printed, and nothing is trained."""

import torch

x = torch.ones(2, 2, requires_grad=True)
((x + 2) ** 2).mean().backward()
print(x.grad)
a = torch.ones(3, requires_grad=True)
b = (a.detach() * 2).requires_grad_()
(b * 3).sum().backward()
print(a.grad, b.grad)
