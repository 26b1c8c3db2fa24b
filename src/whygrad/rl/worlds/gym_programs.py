"""What Gymnasium's environments run: a world's functions, compiled once for all environments with the same settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import keras
import numpy as np
from gymnasium import spaces
from keras import ops

from whygrad.rl.engine import compiled
from whygrad.rl.worlds.world import State, World, choose


class Programs(NamedTuple):
    """Compiled functions from tensors to tensors. Each gives the state that follows and what there is to tell."""

    begin: Callable[[Any, Any], tuple[State, dict[str, Any]]]
    """Keys and how many numbers were drawn from each to new games."""
    see: Callable[[State], tuple[State, dict[str, Any]]]
    """Games as they are."""
    step: Callable[[State, Any], tuple[State, dict[str, Any]]]
    """A step; games that end stay ended."""
    next_step: Callable[[State, Any, Any], tuple[State, dict[str, Any]]]
    """A step, or a new game where the one before had ended."""
    same_step: Callable[[State, Any], tuple[State, dict[str, Any]]]
    """A step, and at once a new game where one ends; `final` is what was seen before that."""


@lru_cache(maxsize=64)
def programs(world: World) -> Programs:
    """Of a world. Each is compiled when it is first called, for each number of games anew."""

    def seen(state: State) -> dict[str, Any]:
        return {"observation": world.observe(state), "info": world.info(state)}

    def step(state: State, action: Any) -> tuple[State, dict[str, Any]]:
        after, outcome = world.step(state, action)
        return after, {**seen(after), **outcome._asdict()}

    def next_step(state: State, action: Any, ended: Any) -> tuple[State, dict[str, Any]]:
        after, outcome = world.step(state, action)
        fresh = world.begin(state["key"], state["drawn"])
        after = {name: choose(ended, new, after[name]) for name, new in fresh.items()}
        told = {name: choose(ended, ops.zeros_like(value), value) for name, value in outcome._asdict().items()}
        return after, {**seen(after), **told}

    def same_step(state: State, action: Any) -> tuple[State, dict[str, Any]]:
        after, outcome = world.step(state, action)
        fresh = world.renew(after, outcome.over)
        return fresh, {**seen(fresh), **outcome._asdict(), "final": seen(after)}

    def begin(key: Any, drawn: Any) -> tuple[State, dict[str, Any]]:
        state = world.begin(key, drawn)
        # No two share their memory: PyTorch's capture of what they are given to next would take them for one.
        return keras.tree.map_structure(ops.copy, state), seen(state)

    def see(state: State) -> tuple[State, dict[str, Any]]:
        return state, seen(state)

    return Programs(compiled(begin), compiled(see), compiled(step), compiled(next_step), compiled(same_step))


def arrays(tree: Any) -> Any:
    """Tensors to arrays that are nobody else's: who gets them may write into them."""
    return keras.tree.map_structure(_array, tree)


def _array(tensor: Any) -> np.ndarray:
    # Not by Keras: on PyTorch its way makes NumPy warn, and users of an environment did not ask for either.
    held = tensor.detach().cpu() if hasattr(tensor, "detach") else tensor
    return np.array(held.numpy() if hasattr(held, "numpy") else held)


def keys(seeds: Any) -> Any:
    """Seeds [games], any whole numbers, to the games' keys."""
    return ops.convert_to_tensor(np.array([int(seed) % 2**32 for seed in seeds], np.uint32).view(np.int32))


def action_space(world: World) -> spaces.Discrete | spaces.Box:
    """In the bounds of the environment, as its users expect."""
    given = world.spaces
    if given.discrete:
        return spaces.Discrete(given.choices)
    return spaces.Box(np.array(given.low, np.float32), np.array(given.high, np.float32))


def observation_space(world: World) -> spaces.Box:
    """Bounds that every observation keeps."""
    low, high = world.bounds
    return spaces.Box(
        np.broadcast_to(np.float32(low), world.spaces.observation).copy(),
        np.broadcast_to(np.float32(high), world.spaces.observation).copy(),
    )


def fits(world: World, action: Any, games: tuple[int, ...]) -> bool:
    """Whether these are actions. Of numbers beyond the bounds the bounds are taken, as Gymnasium's Pendulum does."""
    given = np.asarray(action)
    if world.spaces.discrete:
        return (
            given.shape == games
            and given.dtype.kind in "iu"
            and bool(np.all((given >= 0) & (given < world.spaces.choices)))
        )
    return (
        given.shape == (*games, len(world.spaces.low)) and given.dtype.kind in "iuf" and bool(np.isfinite(given).all())
    )


def to_world(world: World, action: Any) -> Any:
    """Actions [games, …] in the environment's bounds to what `World.step` takes."""
    given = world.spaces
    if given.discrete:
        return ops.convert_to_tensor(np.asarray(action, np.int32))
    low, high = np.array(given.low, np.float32), np.array(given.high, np.float32)
    return ops.convert_to_tensor(((np.asarray(action, np.float32) - low) / (high - low) * 2 - 1).astype(np.float32))
