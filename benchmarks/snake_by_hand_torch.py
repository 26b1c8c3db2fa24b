"""One update of TensorFlow.js' snake-dqn in plain PyTorch, as one would write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn


def network() -> nn.Sequential:
    """Channels first, as PyTorch likes it."""
    return nn.Sequential(
        nn.Conv2d(2, 128, 3), nn.ReLU(), nn.BatchNorm2d(128, eps=1e-3), nn.Conv2d(128, 256, 3), nn.ReLU(),
        nn.BatchNorm2d(256, eps=1e-3), nn.Conv2d(256, 256, 3), nn.ReLU(), nn.Flatten(), nn.Linear(2304, 100),
        nn.ReLU(), nn.Dropout(0.25), nn.Linear(100, 3),
    )  # fmt: skip


def make(batch: Mapping[str, Any]) -> Callable[[], float]:
    """A function that makes one update on the batch and gives its loss."""
    q, target = network(), network().eval()
    target.load_state_dict(q.state_dict())
    optimizer = torch.optim.Adam(q.parameters(), 1e-3)

    def step() -> float:
        tensors = {name: torch.from_numpy(values) for name, values in batch.items()}
        seen, after = (tensors[name].permute(0, 3, 1, 2) for name in ("observation", "next_observation"))
        values = q(seen).gather(1, tensors["action"].long()[:, None])[:, 0]
        with torch.no_grad():
            wanted = tensors["reward"] + tensors["discount"] * target(after).max(dim=1).values
        loss = nn.functional.mse_loss(values, wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return float(loss)

    return step
