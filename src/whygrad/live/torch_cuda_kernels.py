"""The kernels of `cuda_source` for one device and what PyTorch calls its kinds of numbers."""

from __future__ import annotations

from typing import Any

import torch

from whygrad.live.cuda_source import SOURCE, STRETCH, THREADS
from whygrad.live.nvrtc import Module

KINDS = {torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}


class CudaKernels:
    """Reads tensors of one device. What the arguments are says `torch_stretches`."""

    kinds, stretch = KINDS, STRETCH

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._modules: dict[torch.dtype, Module] = {}
        self._module(torch.float32)  # if it does not compile, that is known now

    def measure(self, kind: torch.dtype, blocks: int, *given: Any) -> None:
        """Statistics and histograms."""
        self._launch("measure", kind, blocks, given)

    def squares(self, kind: torch.dtype, blocks: int, *given: Any) -> None:
        """Sums of squares alone."""
        self._launch("squares", kind, blocks, given)

    def compare(self, kind: torch.dtype, blocks: int, *given: Any) -> None:
        """Squares of differences and of what is held, which becomes what is now."""
        self._launch("compare", kind, blocks, given)

    def _launch(self, name: str, kind: torch.dtype, blocks: int, given: tuple[Any, ...]) -> None:
        module = self._module(kind)
        with torch.cuda.device(self._device):
            module.launch(name, blocks, THREADS, given)

    def _module(self, kind: torch.dtype) -> Module:
        found = self._modules.get(kind)
        if found is None:
            with torch.cuda.device(self._device):
                found = self._modules[kind] = Module(f"#define KIND {KINDS[kind]}\n{SOURCE}")
        return found
