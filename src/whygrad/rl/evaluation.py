"""How good a policy is: whole episodes on fresh seeds, without exploration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, no_noise
from whygrad.rl.engine import Engine
from whygrad.rl.engine.modes import in_modes
from whygrad.rl.lanes import Episode, Lanes
from whygrad.rl.normalise import RunningMoments

if TYPE_CHECKING:
    from whygrad.rl.worlds.world_lanes import WorldLanes


@dataclass(frozen=True, slots=True)
class Scores:
    """The undiscounted returns of some episodes and how long they were."""

    returns: tuple[float, ...]
    lengths: tuple[int, ...]
    discounted: tuple[float, ...] = ()
    """The discounted returns, where the agent's own estimates were asked for."""
    values: tuple[float, ...] = ()
    """What the agent thought, before each episode, that its discounted return would be."""
    facts: tuple[Mapping[str, float], ...] = field(default=(), compare=False)
    """What each episode says of itself besides, such as fruits eaten."""

    @property
    def mean(self) -> float:
        """Mean return."""
        return float(np.mean(self.returns))

    @property
    def deviation(self) -> float:
        """Standard deviation of the return."""
        return float(np.std(self.returns))


def greedy(
    agent: Agent, engine: Engine, lanes: Lanes | WorldLanes, moments: RunningMoments | None = None
) -> Callable[[Any], Any]:
    """Observations to the actions that the agent thinks best."""
    noise = no_noise(agent, lanes.spaces, lanes.count)

    def best(observation: Any) -> Any:
        seen = observation if moments is None else moments.scale(observation)
        return engine.call(agent.policy, {"observation": seen, **noise})["action"]

    return best


def estimates(
    agent: Agent, engine: Engine, lanes: Lanes | WorldLanes, moments: RunningMoments | None = None
) -> Callable[[Any], Any] | None:
    """Observations to what the agent thinks they are worth; None without values, or with those of scaled rewards."""
    # Asked now, on the networks themselves: later a framework may hold their values elsewhere.
    nothing = keras.ops.zeros((1, *lanes.spaces.observation))
    values = agent.value(in_modes(engine.networks), {"observation": nothing})
    if getattr(agent, "normalise_rewards", False) or values is None:
        return None

    def worth(observation: Any) -> Any:
        seen = observation if moments is None else moments.scale(observation)
        return engine.call(agent.value, {"observation": seen})

    return worth


def play_episodes(
    policy: Callable[[Any], Any],
    lanes: Lanes | WorldLanes,
    seeds: Sequence[int],
    worth: Callable[[Any], Any] | None = None,
    gamma: float = 1.0,
) -> Scores:
    """One episode for each seed. As many seeds as lanes are played at a time; the first episode of each counts.

    With `worth`, of each episode also what was expected of it at its first observation, and what it really gave.
    """
    played: list[Episode] = []
    discounted: list[float] = []
    values: list[float] = []
    for begin in range(0, len(seeds), lanes.count):
        some = list(seeds[begin : begin + lanes.count])
        wanted = len(some)
        some += [some[-1]] * (lanes.count - wanted)
        observation = lanes.start(some)
        first: dict[int, Episode] = {}
        weight, total = np.ones(lanes.count), np.zeros(lanes.count)
        if worth is not None:
            values += np.ravel(worth(observation))[:wanted].tolist()
        while any(lane not in first for lane in range(wanted)):
            step = lanes.step(policy(observation))
            observation = step.observation
            total += weight * step.reward
            weight *= gamma * ~(step.terminated | step.truncated)  # what comes after the first episode counts nothing
            for episode in step.episodes:
                first.setdefault(episode.lane, episode)
        played += [first[lane] for lane in range(wanted)]
        discounted += total[:wanted].tolist()
    scores = Scores(
        tuple(episode.score for episode in played),
        tuple(episode.length for episode in played),
        facts=tuple(episode.facts for episode in played),
    )
    return scores if worth is None else replace(scores, discounted=tuple(discounted), values=tuple(values))
