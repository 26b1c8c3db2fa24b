"""Which part of which variable each program of a kernel reads, so that one launch reads variables of any number.

The kernels are those of `torch_cuda_kernels`, or of `torch_kernels` where these cannot be had.
"""

from __future__ import annotations

from typing import Any

import torch


def kernels_for(device: torch.device) -> Any:
    """The fastest kernels that this device has, or None."""
    if device.type != "cuda":
        return None
    try:
        from whygrad.live.torch_cuda_kernels import CudaKernels

        return CudaKernels(device)
    except (OSError, RuntimeError):  # no compiler of NVIDIA's here, or a device that it does not know
        pass
    try:
        from whygrad.live.torch_kernels import TritonKernels

        return TritonKernels()
    except ImportError:
        return None


class Plan:
    """For tensors of these sizes and one kind of number, and for what was found the rows of their places."""

    def __init__(self, kernels: Any, sizes: list[int], places: list[int], kind: torch.dtype, device: Any) -> None:
        stretches = [(which, at) for which, size in enumerate(sizes) for at in range(0, size, kernels.stretch)]
        self._kernels, self._kind, self._programs = kernels, kind, len(stretches)
        self._parts = (
            torch.tensor([which for which, _ in stretches], dtype=torch.int32, device=device),
            torch.tensor([at for _, at in stretches], dtype=torch.int64, device=device),
            torch.tensor(sizes, dtype=torch.int64, device=device),
            torch.tensor(places, dtype=torch.int64, device=device),
        )
        self._device = device
        self._tables: dict[tuple[int, ...], torch.Tensor] = {}

    def measure(self, tensors: list[torch.Tensor], sums: torch.Tensor, counts: torch.Tensor) -> None:
        """Add to `sums` (sum, squares, zeros, NaN; the largest is the largest) and to `counts`."""
        if self._programs:
            self._kernels.measure(self._kind, self._programs, self._table(tensors), *self._parts, sums, counts)

    def squares(self, tensors: list[torch.Tensor], sums: torch.Tensor) -> None:
        """Add squares to `sums`."""
        if self._programs:
            self._kernels.squares(self._kind, self._programs, self._table(tensors), *self._parts, sums)

    def compare(self, now: list[torch.Tensor], held: list[torch.Tensor], sums: torch.Tensor) -> None:
        """Add squares of differences and of what was held to `sums`; what is held becomes what is now."""
        if self._programs:
            given = self._table(now), self._table(held), *self._parts, sums
            self._kernels.compare(self._kind, self._programs, *given)

    def _table(self, tensors: list[torch.Tensor]) -> torch.Tensor:
        addresses = tuple([t.data_ptr() for t in tensors])
        table = self._tables.get(addresses)
        if table is None:
            if len(self._tables) > 16:  # gradients are made anew in every update, weights and what is held are not
                self._tables.clear()
            # So few bytes are on their way when this returns: it does not wait for the device.
            table = torch.tensor(addresses, dtype=torch.int64).to(self._device, non_blocking=True)
            self._tables[addresses] = table
        return table
