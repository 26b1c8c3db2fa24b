"""What every engine does, whatever the framework. Arrays that cross this border are NumPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from whygrad.rl.agent import Loss

Report = dict[str, dict[str, Any]]
"""For each loss, what its updates gave: `loss`, `norm` (of the gradient, before clipping), `norms` (of each variable)
and what the loss itself returned, each with the updates as its first axis. Still on the device: reading it waits for
it. A loss that was not due has NaN."""


class Inside(Protocol):
    """What a program sees of an engine. Here tensors stay tensors of the backend, in trees (dicts, tuples)."""

    def call(self, function: Callable[..., Any], given: Any) -> Any:
        """`function(networks, given)`: pure, and the only place for arithmetic (PyTorch compiles it on its own)."""

    def update(self, batch: Any, remaining: Any) -> Any:
        """One update: every loss that is due, then the targets."""

    def loop(self, body: Callable[..., Any], carry: Any, length: int, each: Any = None) -> Any:
        """`carry, out = body(inside, carry, i, each[i])`, so many times; the last carry and all outs."""

    def put(self, buffer: Any, at: Any, rows: Any) -> Any:
        """The buffer with these rows from position `at` on."""


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

    def program(self, function: Callable[..., Any], networks: bool = True) -> Callable[..., Any]:
        """`carry, out = function(inside, carry, given)` as one compiled program on the engine's networks.

        What comes back is called with `(carry, given, updates)`, the number of updates that the program makes. The
        carry given to it must not be used again. Without `networks` it asks none, so nothing stands against a loop.
        """

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

    def weights(self, networks: Iterable[str]) -> dict[str, Any]:
        """The values of some networks alone: what another process needs to act."""

    def load_weights(self, weights: Mapping[str, Any]) -> None:
        """Take over what `weights` gave; everything else stays as it is."""

    def write_back(self) -> None:
        """Give the networks the values that the engine holds."""
