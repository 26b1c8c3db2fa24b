"""What an agent is: its settings, networks and losses, what each loss trains, and how it acts.

An algorithm is one final dataclass: its fields are its settings, each with its help text. It never touches a tape, a
`backward` or an optimizer; an engine does that for it, the same way on each framework. Everything that is computed on
networks is a method `(networks, batch) -> …` in `keras.ops`; random numbers come in with the batch, drawn by NumPy, so
that every framework sees the same ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

Networks = Mapping[str, Any]
"""Networks by name: Keras models, or on PyTorch any `torch.nn.Module`."""

Batch = Mapping[str, Any]
"""Tensors by name, each with the rows of the batch as its first axis."""


def setting(default: Any, help: str) -> Any:
    """A field of an agent: its default and what it is for."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True, slots=True)
class Loss:
    """One loss of an agent. It trains the networks it names and leaves all others alone: that is its contract."""

    name: str
    of: Callable[[Networks, Batch], tuple[Any, dict[str, Any]]]
    """Networks and a batch to the loss, and to what else is worth showing."""
    trains: tuple[str, ...]
    learning_rate: float
    clip: float | None = None
    """Largest global norm of its gradient; None leaves it as it is."""
    every: int = 1
    """Computed at every so many updates (delayed policies)."""
    decays: bool = False
    """The learning rate falls to zero, in a line, over the training."""
    epsilon: float = 1e-7
    """The constant under Adam's fraction."""


@dataclass(frozen=True, slots=True)
class Target:
    """A copy of a network that follows it and is never trained itself."""

    name: str
    of: str
    share: float = 1.0
    """How much of the network it takes over at a time: 1 is a copy, less is Polyak averaging."""
    every: int = 1
    """Updates between two times."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Random numbers that a policy or a loss needs, for one row of the batch."""

    kind: str
    """`normal`, `uniform` or `gumbel`. All zeros stand for "no exploration" when a policy is evaluated."""
    shape: tuple[int, ...] = ()

    def draw(self, rng: Any, *rows: int) -> Any:
        """So many rows, as float32."""
        shape = (*rows, *self.shape)
        if self.kind == "normal":
            return rng.standard_normal(shape, dtype="float32")
        if self.kind == "uniform":
            return rng.random(shape, dtype="float32")
        return rng.gumbel(size=shape).astype("float32")


@dataclass(frozen=True, slots=True)
class Spaces:
    """What an environment shows and takes, as plain data. Actions are either `choices` or numbers within bounds."""

    observation: tuple[int, ...]
    choices: int | None = None
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    pixels: bool = False
    """Whether observations come as bytes, which networks see as 0 to 1: a replay memory keeps the bytes."""

    @property
    def discrete(self) -> bool:
        """Whether an action is one of a few choices."""
        return self.choices is not None

    @property
    def action_size(self) -> int:
        """Numbers in one action, or the number of choices."""
        return self.choices if self.choices is not None else len(self.low)


class Agent(ABC):
    """The pieces that an algorithm brings. Its loop (replay, rollouts, a dataset) is in `OffPolicy`, `OnPolicy`, …"""

    NAME: ClassVar[str]
    """What it is called on the command line."""
    ACTIONS: ClassVar[tuple[str, ...]]
    """`discrete`, `continuous` or both."""

    @abstractmethod
    def networks(self, spaces: Spaces) -> dict[str, Any]:
        """The networks to train, freshly made; target networks are made by making them again."""

    @abstractmethod
    def losses(self, spaces: Spaces) -> tuple[Loss, ...]:
        """In the order in which an update computes and applies them."""

    @abstractmethod
    def policy(self, nets: Networks, batch: Batch) -> dict[str, Any]:
        """`action` for each row of `observation`: an index, or numbers in [-1, 1]; and what a loss wants to remember.

        With `policy_noise` all zero it is the best action, without exploration. `remaining` is the share of the
        training that is left, for exploration that gets rarer.
        """

    def value(self, nets: Networks, batch: Batch) -> Any:
        """What each row of `observation` is worth in the agent's eyes; None for an algorithm without values."""
        return None

    def targets(self, spaces: Spaces) -> tuple[Target, ...]:
        """Target networks."""
        return ()

    def policy_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """Random numbers that `policy` finds in its batch."""
        return {}

    def loss_noise(self, spaces: Spaces) -> dict[str, Noise]:
        """Random numbers that the losses find in their batch."""
        return {}

    def check(self) -> None:  # noqa: B027 - most agents have nothing to check
        """Raise a `ValueError` for settings that cannot work together."""


def no_noise(agent: Agent, spaces: Spaces, rows: int) -> dict[str, np.ndarray]:
    """What `policy` finds in its batch beside the observations when it should not explore."""
    noise = {n: np.zeros((rows, *kind.shape), np.float32) for n, kind in agent.policy_noise(spaces).items()}
    return {**noise, "remaining": np.zeros((), np.float32)}


def settings(agent: Agent) -> dict[str, Any]:
    """The settings of an agent as plain data."""
    return {f.name: getattr(agent, f.name) for f in fields(agent)}  # type: ignore[arg-type]


def setting_help(kind: type[Agent]) -> list[tuple[str, Any, str]]:
    """Name, default and help of each setting."""
    rows = fields(kind)  # type: ignore[arg-type]
    return [(f.name, None if f.default is MISSING else f.default, f.metadata.get("help", "")) for f in rows]
