"""What every engine does, whatever the framework. Arrays that cross this border are NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from whygrad.rl.agent import Loss

Report = dict[str, dict[str, Any]]
"""For each loss, what its updates gave: `loss`, `norm` (of the gradient, before clipping), `norms` (of each variable)
and what the loss itself returned, each with the updates as its first axis. Still on the device: reading it waits for
it. A loss that was not due has NaN."""


class Engine(Protocol):
    """Computes losses of one agent on its networks, applies their gradients, keeps the targets."""

    losses: tuple[Loss, ...]
    networks: dict[str, Any]
    updates: int
    """Updates made so far."""

    def call(self, function: Callable[..., Any], batch: Mapping[str, Any]) -> Any:
        """`function(networks, batch)`, compiled; a tensor or a dict of them as NumPy arrays."""

    def update(self, batches: Mapping[str, Any], remaining: float = 1.0) -> Report:
        """One update for each entry of the batches' first axis: every loss that is due, then the targets."""

    def gradients(self, name: str, batch: Mapping[str, Any]) -> tuple[float, dict[str, Any]]:
        """One loss and its gradient for each variable it trains, before clipping; nothing is applied."""

    def demand(self, name: str, batch: Mapping[str, Any]) -> None:
        """Ask for a loss and its gradient as a plain program would, so that a recorder can follow it."""

    def held(self, network: str) -> Any:
        """A network in the form in which contracts know it."""

    def variable_names(self, name: str) -> list[str]:
        """The variables that a loss trains, in the order of `norms`."""

    def state(self) -> dict[str, Any]:
        """Everything that updates change: networks, targets, optimizers, the count."""

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave, on this framework or another."""

    def write_back(self) -> None:
        """Give the networks the values that the engine holds."""
