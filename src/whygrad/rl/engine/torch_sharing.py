"""Several PyTorch processes that make one update together: each has a part of the batch, and gradients are averaged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist


class Together:
    """This process among those that share every update. Their networks stay the same to the bit."""

    def __init__(self, address: str, rank: int, count: int, patience: float, cuda: bool = False) -> None:
        self.rank, self.count = rank, count
        dist.init_process_group(
            "nccl" if cuda else "gloo",
            init_method=f"tcp://{address}",
            rank=rank,
            world_size=count,
            timeout=timedelta(seconds=patience),
        )

    def mean(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Each averaged over all processes, in one message."""
        if not tensors:
            return []
        flat = torch.cat([t.reshape(-1) for t in tensors])
        dist.all_reduce(flat)
        flat /= self.count
        parts = flat.split([t.numel() for t in tensors])
        return [part.view_as(t) for part, t in zip(parts, tensors, strict=True)]

    def rows(self, tensor: torch.Tensor) -> torch.Tensor:
        """The rows of all processes, in the order of their ranks."""
        found = [torch.empty_like(tensor) for _ in range(self.count)]
        dist.all_gather(found, tensor.contiguous())
        return torch.cat(found)

    def merged(self, report: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """What a loss reports, of the whole batch: single numbers are averaged, rows put together."""
        single = {k: v.float() for k, v in report.items() if not v.dim()}
        averages = dict(zip(single, self.mean(list(single.values())), strict=True))
        return {k: averages[k] if k in single else self.rows(v) for k, v in report.items()}

    def leave(self) -> None:
        """End it for this process."""
        dist.destroy_process_group()


def lost(error: BaseException) -> bool:
    """Whether an error means that another process is gone."""
    return isinstance(error, RuntimeError | dist.DistError) and any(
        word in str(error) for word in ("gloo", "NCCL", "Connection", "connection", "Timed out", "timed out", "Broken")
    )


def on_gpu(networks: Mapping[str, Any]) -> bool:
    """Whether networks, Keras' or PyTorch's, are on a GPU."""
    held = [t for net in networks.values() for t in net.parameters()]
    return any(t.device.type == "cuda" for t in held)


def buffers(tensors: Iterable[Any]) -> list[torch.Tensor]:
    """Numbers that no gradient changes, such as a BatchNormalization's averages."""
    return [t for t in tensors if not t.requires_grad and t.is_floating_point()]
