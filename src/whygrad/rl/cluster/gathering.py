"""A worker's part of off-policy training: transitions for a memory that is elsewhere."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.cluster.post import Brought, GatherOrder, Post
from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Episode, Lanes
from whygrad.rl.loops.exploring import Explorer
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.replay import FIELDS
from whygrad.rl.windows import Windows


class Gathering:
    """Explores with the weights it was given last. Rows come out complete: n-step rewards are summed here."""

    def __init__(self, post: Post, agent: OffPolicy, engine: Engine, lanes: Lanes) -> None:
        self._post, self._agent, self._lanes = post, agent, lanes
        self._explorer = Explorer(agent, engine, lanes, post.total)
        self._windows = _windows(agent, lanes.spaces, lanes.count) if agent.n_step > 1 else None
        self._rng: np.random.Generator | None = None

    def take(self, order: GatherOrder) -> None:
        """A new order."""
        self._order = order
        if self._rng is None:
            self._rng = np.random.default_rng(np.random.SeedSequence(order.entropy))
        self._rows: list[tuple[Any, ...]] = []
        self._episodes: list[Episode] = []
        self._steps = 0
        if order.seeds is not None:
            self._explorer.restart(order.seeds)

    def go_on(self, seconds: float) -> Brought | None:
        """Steps until the order is carried out; it says itself how long that may take."""
        assert self._rng is not None, "an order comes first"  # noqa: S101
        until = time.monotonic() + self._order.seconds
        stride = self._post.all_lanes
        while self._steps < self._order.limit and (not self._steps or time.monotonic() < until):
            # Others step meanwhile, too: how much exploration is left follows from what all do together.
            seen, action, reward, step = self._explorer.step(self._rng, self._order.steps + self._steps * stride)
            if self._windows is None:
                discount = self._agent.gamma * np.logical_not(step.terminated)
                self._rows.append((seen, action, reward, step.final, discount.astype(np.float32)))
            else:
                given = self._windows.add(seen, action, reward, step.final, step.terminated, step.truncated)
                # They are views of a ring that the next step writes to.
                self._rows += [tuple(np.array(part) for part in rows) for rows in given]
            self._episodes += [one._replace(lane=one.lane + self._post.first_lane) for one in step.episodes]
            self._steps += 1
        rows = {name: np.concatenate([row[at] for row in self._rows]) for at, name in enumerate(FIELDS) if self._rows}
        return Brought(rows=rows, steps=self._steps * self._lanes.count, episodes=self._episodes)


def _windows(agent: OffPolicy, spaces: Spaces, lanes: int) -> Windows:
    action = np.zeros((0,), np.int64) if spaces.discrete else np.zeros((0, spaces.action_size), np.float32)
    return Windows(agent.n_step, lanes, agent.gamma, np.zeros((0, *spaces.observation), np.float32), action)
