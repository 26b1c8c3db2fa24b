"""Lanes for any environment: compiled ones for a world of our own."""

from __future__ import annotations

from typing import Any

from whygrad.rl.lanes import Lanes
from whygrad.rl.worlds.catalogue import find_world
from whygrad.rl.worlds.world_lanes import WorldLanes


def make_lanes(
    env: Any, count: int, *, processes: bool = False, judging: bool = False, **options: Any
) -> Lanes | WorldLanes:
    """So many lanes of an environment, made with these options; for `judging`, of one in which all policies end."""
    world = find_world(env, options)
    if world is None:
        return Lanes(env, count, processes=processes, **options)
    return WorldLanes(world.to_judge() if judging else world, count)
