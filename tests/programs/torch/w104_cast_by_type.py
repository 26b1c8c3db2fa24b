"""The predicted class, cast with `.type(...)`, is compared with the label."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs, labels = torch.randn(20, 2), torch.randint(0, 3, (20,))
logits = model(inputs)
predicted = torch.softmax(logits, dim=1).argmax(dim=1).type(torch.float32)  # fires: W104
loss = nn.functional.mse_loss(predicted, labels.type(torch.float32))
optimizer.zero_grad()
loss.backward()
optimizer.step()
