"""How many units of a PyTorch network are dead or saturated, read from the outputs of its activations during a look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

RECTIFIERS = (nn.ReLU, nn.ReLU6, nn.Threshold, nn.Hardtanh, nn.Hardswish, nn.Hardsigmoid)
"""Their units can be dead: zero for a whole batch."""
SQUASHERS = {nn.Tanh: (-1.0, 1.0), nn.Sigmoid: (0.0, 1.0), nn.Softmax: (0.0, 1.0), nn.Softsign: (-1.0, 1.0)}
"""Their outputs can be saturated: within a hundredth of an end of their range, where hardly any gradient passes."""
_NEAR = 0.01


class Activations:
    """Hooks on all activations of a model; `take` gives what the last forward passes left."""

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        self._modules = dict(_activations(modules))
        self._hooks: list[Any] = []
        self._seen: dict[str, torch.Tensor] = {}

    def arm(self) -> None:
        """Look at the next forward passes."""
        if not self._hooks:
            self._hooks = [module.register_forward_hook(self._reader(name)) for name, module in self._modules.items()]

    def disarm(self) -> None:
        """Do not look any more."""
        while self._hooks:
            self._hooks.pop().remove()

    def take(self) -> dict[str, torch.Tensor]:
        """Shares by name; tensors that the device may still be computing."""
        found, self._seen = self._seen, {}
        return found

    def _reader(self, name: str) -> Any:
        def read(module: nn.Module, _inputs: Any, output: Any) -> None:
            if not isinstance(output, torch.Tensor) or output.dim() < 2 or not output.requires_grad:
                return  # acting and evaluating are not learning
            with torch.no_grad(), torch._C.DisableTorchFunction():
                what, share = _share(module, output.detach())
                self._seen[f"{what}/{name}"] = share

        return read


def _activations(modules: Mapping[str, nn.Module]) -> Iterator[tuple[str, nn.Module]]:
    for start, outer in modules.items():
        for path, module in outer.named_modules():
            if isinstance(module, (*RECTIFIERS, *SQUASHERS)):
                yield ".".join(part for part in (start, path) if part), module


def _share(module: nn.Module, output: torch.Tensor) -> tuple[str, torch.Tensor]:
    for kind, (low, high) in SQUASHERS.items():
        if isinstance(module, kind):
            return "saturated units", ((output < low + _NEAR) | (output > high - _NEAR)).float().mean()
    # A unit is a channel of an image, else an entry of the last axis.
    axis = 1 if output.dim() == 4 else output.dim() - 1
    others = [at for at in range(output.dim()) if at != axis]
    return "dead units", (output == 0).float().amin(dim=others).mean()
