"""Making a dataset: what a policy, random actions or a mixture of both do in an environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.dataset import Dataset
from whygrad.rl.lanes import Lanes
from whygrad.rl.plan import BadPlan
from whygrad.rl.worlds.making import make_lanes
from whygrad.rl.worlds.world_lanes import WorldLanes


def collect(
    env: str | Callable[..., Any],
    steps: int,
    *,
    policy: Callable[[Any], Any] | None = None,
    mix: float = 0.0,
    seed: int = 0,
    env_options: Mapping[str, Any] | None = None,
) -> Dataset:
    """Transitions of `policy` (observations [1, …] to actions [1, …]), or without one of random actions.

    A share `mix` of the steps is random, in whole episodes: an episode is random when the random ones are behind their
    share as it begins. The same seed gives the same dataset.
    """
    if steps < 1:
        raise BadPlan(f"a dataset has at least one step, got steps={steps}")
    if not 0.0 <= mix <= 1.0:
        raise BadPlan(f"mix is the share of random steps, from 0 to 1, got {mix}")
    share = 1.0 if policy is None else mix
    rng = np.random.Generator(np.random.PCG64(seed))
    lanes = make_lanes(env, 1, **(env_options or {}))
    try:
        rows, episodes, random_steps = _play(lanes, steps, policy, share, rng, seed)
        spaces = lanes.spaces
        name = lanes.name
    finally:
        lanes.close()
    facts = {
        "env": name,
        "spaces": asdict(spaces),
        "seed": seed,
        "random_steps": random_steps,
        "episodes": len(episodes),
        "mean_return": float(np.mean(episodes)) if episodes else None,
    }
    rows["truncated"][-1] |= not rows["terminated"][-1]  # an episode under way is cut off here
    return Dataset(**{**rows, "action": in_bounds(rows["action"], spaces)}, facts=facts)


def in_bounds(action: np.ndarray, spaces: Spaces) -> np.ndarray:
    """Actions as the environment takes them: choices as they are, numbers brought from [-1, 1] to its bounds."""
    if spaces.discrete:
        return action.astype(np.int64)
    low, high = np.array(spaces.low, np.float32), np.array(spaces.high, np.float32)
    return np.clip((high + low) / 2 + action * ((high - low) / 2), low, high).astype(np.float32)


def _play(
    lanes: Lanes | WorldLanes,
    steps: int,
    policy: Callable[[Any], Any] | None,
    share: float,
    rng: np.random.Generator,
    seed: int,
) -> tuple[dict[str, np.ndarray], list[float], int]:
    """Rows by name, the returns of the episodes that ended, and how many steps were random."""
    kept: list[tuple[Any, ...]] = []
    scores: list[float] = []
    spaces, random_steps, by_chance = lanes.spaces, 0, False
    observation, begins = lanes.start([seed]), True
    for done in range(steps):
        if begins:
            by_chance = policy is None or random_steps < share * (done + 1)
        action = draw(spaces, rng) if policy is None or by_chance else np.asarray(policy(observation))
        step = lanes.step(action)
        kept.append((observation[0], action[0], step.reward[0], step.final[0], step.terminated[0], step.truncated[0]))
        random_steps += by_chance
        scores += [episode.score for episode in step.episodes]
        observation, begins = step.observation, bool(step.episodes)
    names = ("observation", "action", "reward", "next_observation", "terminated", "truncated")
    rows = {name: np.stack(column) for name, column in zip(names, zip(*kept, strict=True), strict=True)}
    return rows, scores, random_steps


def draw(spaces: Spaces, rng: np.random.Generator) -> np.ndarray:
    """Any action, for one lane."""
    if spaces.choices is not None:
        return rng.integers(spaces.choices, size=1)
    return rng.uniform(-1.0, 1.0, (1, spaces.action_size)).astype(np.float32)
