"""What an environment of our own is: pure functions from states to states, for many games at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from keras import ops

from whygrad.rl.agent import Spaces

State = dict[str, Any]
"""Tensors by name, each with the games as its first axis. `key` and `drawn` are a game's own random numbers."""


class Outcome(NamedTuple):
    """What a step brought each game."""

    reward: Any
    terminated: Any
    truncated: Any

    @property
    def over(self) -> Any:
        """Whether the game ended, by its rules or by a limit."""
        return ops.logical_or(self.terminated, self.truncated)


class World(ABC):
    """A game, as settings and pure functions. All tensors are of the active backend."""

    ID: ClassVar[str]
    """What Gymnasium calls it."""

    @property
    @abstractmethod
    def cut_off(self) -> bool:
        """Whether episodes may be cut off, by a limit of steps."""

    def to_judge(self) -> World:
        """The same world for evaluations, in which every policy comes to an end."""
        return self

    @property
    @abstractmethod
    def spaces(self) -> Spaces:
        """What it shows and takes."""

    @abstractmethod
    def begin(self, key: Any, drawn: Any) -> State:
        """New games. Their random numbers follow from `key` [games] int32, from number `drawn` on."""

    @abstractmethod
    def step(self, state: State, action: Any) -> tuple[State, Outcome]:
        """One step of all games: `action` [games] int32, or [games, numbers] in [-1, 1]. Games that end stay ended."""

    @abstractmethod
    def observe(self, state: State) -> Any:
        """What the player sees: [games, …] float32."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[Any, Any]:
        """The least and the most that an observation's numbers are; arrays, or one number for several of them."""

    def facts(self, state: State) -> dict[str, Any]:
        """What is worth knowing of games that end, one number for each: [games] float32 by name."""
        return {}

    def info(self, state: State) -> dict[str, Any]:
        """What a Gymnasium environment says at every step: whole numbers and truths [games] by name."""
        return {}

    def renew(self, state: State, over: Any) -> State:
        """New games in place of those that are over; their random numbers go on where they were."""
        fresh = self.begin(state["key"], state["drawn"])
        return {name: choose(over, new, state[name]) for name, new in fresh.items()}


def choose(mask: Any, yes: Any, no: Any) -> Any:
    """Of each game the one or the other: `mask` [games], the others [games, …]."""
    return ops.where(ops.reshape(mask, (-1,) + (1,) * (len(yes.shape) - 1)), yes, no)
