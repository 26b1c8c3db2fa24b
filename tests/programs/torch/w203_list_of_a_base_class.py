"""Layers in a plain list, made by the class that the model is derived from."""

import torch
from torch import nn

torch.manual_seed(0)


class Base(nn.Module):
    def __init__(self, sizes: list[int]) -> None:
        super().__init__()
        self.layers = [nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])]  # fires: W203

    def body(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = torch.relu(layer(x))
        return x


class Classifier(Base):
    def __init__(self) -> None:
        super().__init__([5, 16, 16])
        self.head = nn.Linear(16, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


model = Classifier()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(4):
    loss = nn.functional.cross_entropy(model(torch.randn(16, 5)), torch.randint(0, 3, (16,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
