"""A worker's part of on-policy training: its lanes of one rollout."""

from __future__ import annotations

import time

import numpy as np

from whygrad.rl.cluster.post import Brought, Post, RolloutOrder
from whygrad.rl.engine import Engine
from whygrad.rl.lanes import Lanes
from whygrad.rl.loops.rollout_collector import RolloutCollector
from whygrad.rl.on_policy import OnPolicy


class RollingOut:
    """Collects and judges exactly as the loop in one process does, with a generator that comes and goes."""

    def __init__(self, post: Post, agent: OnPolicy, engine: Engine, lanes: Lanes) -> None:
        self._post, self._lanes = post, lanes
        self._collector = RolloutCollector(agent, engine, lanes, post.total, post.all_lanes)

    def take(self, order: RolloutOrder) -> None:
        """A new order."""
        self._rng = np.random.Generator(np.random.PCG64())
        self._rng.bit_generator.state = order.rng
        self._collector.load(order.scales)
        if order.seeds is not None:
            self._collector.restart(order.seeds)
        self._collector.begin(self._rng, order.steps)
        self._steps = 0

    def go_on(self, seconds: float) -> Brought | None:
        """Steps until the rollout is complete; None when the time is over before."""
        until = time.monotonic() + seconds
        while True:
            complete = self._collector.step()
            self._steps += self._lanes.count
            if complete:
                break
            if time.monotonic() > until:
                return None
        return Brought(
            rows=self._collector.rows(),
            steps=self._steps,
            episodes=[one._replace(lane=one.lane + self._post.first_lane) for one in self._collector.episodes],
            rng=dict(self._rng.bit_generator.state),
            scales=self._collector.state(),
        )
