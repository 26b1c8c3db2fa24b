"""Games of one world and the episodes under way in them, as a tree of tensors; nothing here knows of agents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import keras
import numpy as np
from keras import ops

from whygrad.rl.lanes import Episode
from whygrad.rl.worlds.world import State, World


def begin(world: World, seeds: Sequence[int]) -> State:
    """Games that begin, one for each seed, with nothing counted yet."""
    key = ops.convert_to_tensor(np.array(seeds, np.uint32).view(np.int32))
    zeros = ops.zeros((len(seeds),), dtype="float32")
    lanes = {"games": world.begin(key, ops.zeros_like(key)), "score": zeros, "length": zeros}
    return keras.tree.map_structure(ops.copy, lanes)  # type: ignore[no-any-return] # no two share their memory


def step(world: World, lanes: State, action: Any) -> tuple[State, dict[str, Any]]:
    """All games by one step. Of what comes out, `final` is what followed, before a new game began."""
    games, outcome = world.step(lanes["games"], action)
    score, length = lanes["score"] + outcome.reward, lanes["length"] + 1.0
    over = outcome.over
    goes_on = 1.0 - ops.cast(over, "float32")
    out = {
        "reward": outcome.reward,
        "terminated": ops.cast(outcome.terminated, "float32"),
        "truncated": ops.cast(outcome.truncated, "float32"),
        "final": world.observe(games),
        "episodes": {"over": over, "score": score, "length": length, **world.facts(games)},
    }
    return {"games": world.renew(games, over), "score": score * goes_on, "length": length * goes_on}, out


def episodes(told: Mapping[str, Any]) -> list[Episode]:
    """Those that ended, from what `step` said [steps, lanes]; waits for the device."""
    arrays = {name: np.asarray(ops.convert_to_numpy(values)) for name, values in told.items()}
    at = np.nonzero(arrays.pop("over"))
    ended = {name: values[at].tolist() for name, values in arrays.items()}
    facts = [name for name in ended if name not in ("score", "length")]
    return [
        Episode(int(lane), ended["score"][i], int(ended["length"][i]), {name: ended[name][i] for name in facts})
        for i, lane in enumerate(at[1])
    ]
