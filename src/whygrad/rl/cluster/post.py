"""What passes between the learner and its workers, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from whygrad.rl.agent import Agent
from whygrad.rl.lanes import Episode


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """What a worker is set up with, once."""

    agent: Agent
    env: Any
    """A Gymnasium id, or a function that makes an environment."""
    env_options: Mapping[str, Any]
    networks: Mapping[str, Any] | None
    """The user's own."""
    lanes: int
    """Environments of this worker."""
    first_lane: int
    all_lanes: int
    """Environments of all workers."""
    total: int
    """Steps of the whole training."""
    precision: str
    processes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GatherOrder:
    """Collect transitions for a replay memory, until so many steps or seconds are over."""

    steps: int
    """Steps that the training has made."""
    limit: int
    seconds: float
    seeds: list[int] | None
    """Begin new episodes with these; None: go on with those under way."""
    entropy: list[int]
    """What the random numbers of a worker that has none yet follow from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutOrder:
    """Collect one rollout."""

    steps: int
    rng: dict[str, Any]
    """The state of the generator to draw from; it comes back as the rollout left it."""
    scales: dict[str, Any]
    """What is known of the size of observations and rewards."""
    seeds: list[int] | None


@dataclass(slots=True, kw_only=True)
class Brought:
    """What a worker has when an order is carried out."""

    rows: dict[str, Any]
    steps: int
    """Steps of environments that were made for it."""
    episodes: list[Episode]
    rng: dict[str, Any] = field(default_factory=dict)
    scales: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Reply:
    """An order carried out, or one that is still under way (neither is there), or what went wrong."""

    brought: Brought | None = None
    error: str | None = None
    """The last line of the traceback, and all of it."""
    traceback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something that happened to a worker or a learner, for the run's record."""

    worker: str
    kind: str
    """`crashed`, `hanging`, `lost`, `crowded`."""
    text: str
    detail: str = ""
