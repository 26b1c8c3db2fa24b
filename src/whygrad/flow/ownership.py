"""Which loss trains which network, and through which optimizer: one table of a whole update, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from whygrad.flow.site import Site

State = Literal[
    "applied",  # the loss's gradient arrives there, and an optimizer applies it
    "cleared",  # it arrives, and is cleared before any optimizer could apply it
    "unapplied",  # it arrives, and no optimizer applies it
    "unasked",  # it could arrive, and nobody asked for it
    "stopped",  # the loss is computed from it, and no gradient arrives: detached, under no_grad, behind an arg-max
    "unused",  # the loss is not computed from it
]
STRONGEST: tuple[State, ...] = ("applied", "unapplied", "cleared", "unasked", "stopped", "unused")
"""Where the variables of one network differ, the state that comes first here is the network's."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one loss does to one network. `variables` of the network's variables are in this state."""

    state: State
    variables: int = 0
    optimizers: tuple[int, ...] = ()
    """Positions in `Ownership.optimizers` of those that apply the gradient."""


@dataclass(frozen=True, slots=True)
class Network:
    """A column of the table."""

    name: str
    variables: int
    copy_of: str = ""
    """The network whose weights it is given: it is that one's target."""
    frozen: bool = False
    """None of its variables asks for a gradient."""
    optimizers: tuple[int, ...] = ()
    """Positions of the optimizers that hold it."""


@dataclass(frozen=True, slots=True)
class OptimizerRow:
    """An optimizer that took a step. `label` is what the program calls it, else its class."""

    label: str
    kind: str
    site: Site | None
    steps: int


@dataclass(frozen=True, slots=True)
class LossRow:
    """A row of the table: one place where a loss is computed, however often that happened."""

    label: str
    """What the program calls it (`actor_loss`), else its expression."""
    site: Site | None
    seen: int
    cells: tuple[Cell, ...]
    """One for each of `Ownership.networks`, in that order."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """The table: rows are losses, columns are networks."""

    framework: str
    losses: tuple[LossRow, ...] = ()
    networks: tuple[Network, ...] = ()
    optimizers: tuple[OptimizerRow, ...] = ()

    @property
    def telling(self) -> bool:
        """Whether the table says more than "the loss trains the network"."""
        return bool(self.losses and self.networks) and (len(self.losses) > 1 or len(self.networks) > 1)

    def called(self, optimizers: Iterable[int]) -> str:
        """The optimizers of a cell by name: a library that makes one for each variable has many of one name."""
        times = Counter(self.optimizers[index].label for index in optimizers)
        return ", ".join(label if often == 1 else f"{label} ({often} of them)" for label, often in times.items())
