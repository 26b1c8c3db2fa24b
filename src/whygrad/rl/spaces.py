"""Gymnasium's spaces as plain data, observations as float32 arrays, and sentences for what no algorithm can take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces as gym

from whygrad.rl import pixels
from whygrad.rl.agent import Agent, Spaces


class Unsupported(ValueError):
    """An environment has a space that nothing here, or not this algorithm, can work with."""


def spaces_of(observation_space: Any, action_space: Any) -> Spaces:
    """What the agents need to know of an environment's spaces."""
    observation = _observation_shape(observation_space)
    bytewise = isinstance(observation_space, gym.Box) and observation_space.dtype == np.uint8
    if isinstance(action_space, gym.Discrete):
        return Spaces(observation, choices=int(action_space.n), pixels=bytewise)
    if not isinstance(action_space, gym.Box):
        advice = _ACTION_ADVICE.get(type(action_space).__name__, "Wrap the environment so that it takes one of these.")
        raise Unsupported(f"No algorithm takes the action space {action_space}: they take Discrete and Box. {advice}")
    low, high = action_space.low.ravel().tolist(), action_space.high.ravel().tolist()
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        raise Unsupported(
            f"No algorithm takes the action space {action_space}: its bounds are not finite, and actions are scaled to "
            "them. Give it bounds: gymnasium.wrappers.TransformAction(env, lambda a: a, Box(-1.0, 1.0, "
            f"{action_space.shape}))."
        )
    return Spaces(observation, low=tuple(low), high=tuple(high), pixels=bytewise)


def check_supported(agent: Agent | type[Agent], spaces: Spaces) -> None:
    """Raise `Unsupported` when an algorithm cannot take actions of this kind, naming those that can."""
    kind = "discrete" if spaces.discrete else "continuous"
    if kind in agent.ACTIONS:
        return
    from whygrad.rl.catalogue import AGENTS  # Imports Keras, which is slow; only needed for the sentence.

    able = ", ".join(sorted(known.NAME for known in AGENTS if kind in known.ACTIONS))
    raise Unsupported(
        f"{agent.NAME} takes {' or '.join(agent.ACTIONS)} actions, but the action space of this environment is "
        f"{describe_actions(spaces)}, which is {kind}. Algorithms for {kind} actions: {able}."
    )


def describe_actions(spaces: Spaces) -> str:
    """The action space in the words of Gymnasium."""
    if spaces.discrete:
        return f"Discrete({spaces.choices})"
    same = len(set(spaces.low)) == 1 and len(set(spaces.high)) == 1
    low, high = (spaces.low[0], spaces.high[0]) if same else (list(spaces.low), list(spaces.high))
    return f"Box({low}, {high}, ({len(spaces.low)},))"


def encode(observation_space: Any) -> Callable[[Any], np.ndarray]:
    """The function from observations (one, or several along a first axis) to float32 arrays that networks take.

    Numbers stay as they are, bytes from 0 to 255 become 0 to 1, a choice becomes one-hot. What comes out may share its
    memory with what went in.
    """
    _observation_shape(observation_space)
    if isinstance(observation_space, gym.Discrete):
        first, rows = int(observation_space.start), np.eye(int(observation_space.n), dtype=np.float32)
        return lambda observation: rows[np.asarray(observation) - first]
    if observation_space.dtype == np.uint8:
        if observation_space.shape == ():
            return lambda observation: pixels.seen(observation)[..., None]
        return pixels.seen
    if observation_space.shape == ():
        return lambda observation: np.asarray(observation, np.float32)[..., None]
    return lambda observation: np.asarray(observation, np.float32)


def _observation_shape(space: Any) -> tuple[int, ...]:
    if isinstance(space, gym.Discrete):
        return (int(space.n),)
    if isinstance(space, gym.Box):
        return tuple(space.shape) or (1,)
    flat = isinstance(space, (gym.Dict, gym.Tuple, gym.MultiDiscrete, gym.MultiBinary)) and space.is_np_flattenable
    advice = "gymnasium.wrappers.FlattenObservation(env) makes it a Box." if flat else "Wrap the environment."
    raise Unsupported(f"No algorithm takes the observation space {space}: they take Box and Discrete. {advice}")


_ACTION_ADVICE = {
    "MultiDiscrete": "Number the combinations as one Discrete in a gymnasium.ActionWrapper.",
    "MultiBinary": "Number the combinations as one Discrete in a gymnasium.ActionWrapper.",
}
