"""Networks as a loss or a policy sees them: layers such as Dropout and BatchNormalization behave by who asks.

A loss calls the networks that it trains in training mode and all others as they act; a policy calls all as they act.
Whoever wants it otherwise says so: `nets["q"](batch["observation"], training=False)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from whygrad.rl.agent import Networks


def in_modes(networks: Mapping[str, Any], trained: Iterable[str] = ()) -> Networks:
    """The same networks, the trained ones in training mode."""
    trained = set(trained)
    return {name: InMode(network, name in trained) for name, network in networks.items()}


class InMode:
    """Calls a network in one mode; everything else about it is the network's own."""

    def __init__(self, network: Any, training: bool) -> None:
        self._network, self._training = network, training

    def __call__(self, *args: Any, training: bool | None = None, **kwargs: Any) -> Any:
        """What the network gives."""
        mode = self._training if training is None else training
        if hasattr(self._network, "variables"):
            return self._network(*args, training=mode, **kwargs)
        if self._network.training != mode:  # a torch.nn.Module carries its mode with it
            self._network.train(mode)
        return self._network(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._network, name)
