"""A worker: environments and a policy in a process of their own. Ray runs it, and it knows nothing of Ray."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from whygrad.rl.agent import no_noise
from whygrad.rl.cluster.acting import acting_engine
from whygrad.rl.cluster.gathering import Gathering
from whygrad.rl.cluster.post import Brought, Post, Reply
from whygrad.rl.cluster.rolling_out import RollingOut
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.worlds.making import make_lanes

PAUSE = 1.0
"""Seconds after which a worker answers even when it is not done: one that says nothing for long is hanging."""


class Worker:
    """Carries out orders, one piece at a time."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._part: Any = None

    def prepare(self) -> Reply:
        """Make everything that orders need."""
        return _told(self._prepare)

    def work(self, order: Any, weights: Mapping[str, Any] | None) -> Reply:
        """Begin an order with new weights (None: the same), or go on with the last one (None)."""
        return _told(partial(self._work, order, weights))

    def _work(self, order: Any, weights: Mapping[str, Any] | None) -> Brought | None:
        if weights is not None:
            self._engine.load_weights(weights)
        if order is not None:
            self._part.take(order)
        found: Brought | None = self._part.go_on(PAUSE)
        return found

    def _prepare(self) -> None:
        post = self._post
        lanes: Any = make_lanes(post.env, post.lanes, processes=post.processes, **post.env_options)
        self._engine = acting_engine(post.agent, lanes.spaces, post.networks, post.precision)
        if isinstance(post.agent, OffPolicy):
            self._part = Gathering(post, post.agent, self._engine, lanes)
        elif isinstance(post.agent, OnPolicy):
            self._part = RollingOut(post, post.agent, self._engine, lanes)
        else:
            raise TypeError(f"{type(post.agent).__name__} does not collect experience")
        # Compiled now, while there is time for it.
        seen = {"observation": np.zeros((post.lanes, *lanes.spaces.observation), np.float32)}
        self._engine.call(post.agent.policy, {**seen, **no_noise(post.agent, lanes.spaces, post.lanes)})


def _told(do: Callable[[], Brought | None]) -> Reply:
    """What came of it, or what went wrong."""
    try:
        return Reply(brought=do())
    except Exception as error:
        # As text: what an environment raises may not be known where the learner runs.
        cause = error.__cause__ or error
        return Reply(error=f"{type(cause).__name__}: {cause}", traceback=traceback.format_exc())
