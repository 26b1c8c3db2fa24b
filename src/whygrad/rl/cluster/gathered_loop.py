"""Off-policy training on what workers bring: they collect all the time, the learner keeps the pace of the settings.

There are as many updates per step as in one process. Where workers are faster they wait for the learner; where they are
slower it waits for them. How far behind the policies of workers are is bounded and told.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.cluster.acting import networks_for_acting
from whygrad.rl.cluster.crew import Crew
from whygrad.rl.cluster.post import Brought, GatherOrder
from whygrad.rl.engine import Engine
from whygrad.rl.loops.before_learning import BeforeLearning
from whygrad.rl.loops.replay_learning import ReplayLearner
from whygrad.rl.loops.round import Round, seeds
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.plan import Plan

SECONDS = 0.05
"""How long a worker collects before it brings what it has: short, so that policies stay fresh."""
STEPS = 128
"""The most steps of its lanes that it collects at a time."""
QUEUED = 2
"""Orders that a worker has at a time, so that it never waits for the next."""
BACKLOG = 512
"""Steps not learned for yet with which workers still get new orders."""
LOOK = 0.01
"""Seconds between two looks at what came, while there is something to learn: asking Ray takes a millisecond or two."""
REFRESH = 0.02
"""Seconds between two sendings of new weights."""
_WORKER, _REPLACED = 9, 10
"""Streams of random numbers."""


class GatheredReplayLoop(BeforeLearning):
    """One round takes in what came and makes the updates of `train_every` steps."""

    def __init__(
        self, agent: OffPolicy, engine: Engine, crew: Crew, lanes: list[int], spaces: Spaces,
        rng: np.random.Generator, plan: Plan,
    ) -> None:  # fmt: skip
        self.steps = 0
        self._owed = 0
        self.crew = crew
        self._agent, self._engine, self._lanes, self._plan = agent, engine, lanes, plan
        self._learner = ReplayLearner(agent, engine, spaces, rng, 1, n_step=1)
        self._acting = networks_for_acting(agent, engine.networks, spaces)
        self._seeds: list[list[int] | None] = [None] * len(crew)
        self._hired = [0] * len(crew)
        self._orders: list[list[tuple[int, int]]] = [[] for _ in lanes]
        """Of what each worker is at: the updates behind its weights, the most steps that it may bring."""
        self._sent: Any = None
        self._sent_version, self._sent_at = -1, 0.0
        self._looked = 0.0
        self._lags: list[int] = []
        self._brought = [0] * len(crew)
        self._busy, self._since = 0.0, time.perf_counter()

    def restart(self, seeds: list[int]) -> None:
        """Begin episodes. Workers that have begun go on: what they do when is not repeatable anyway."""
        for number, first in enumerate(np.cumsum([0, *self._lanes[:-1]])):
            if not self._hired[number]:
                self._seeds[number] = seeds[first : first + self._lanes[number]]
                self._hired[number] = 1

    def round(self) -> Round:
        """Take in what came, learn once when it is due."""
        result = Round()
        learns = self._may_learn()
        if not learns or time.monotonic() - self._looked >= LOOK:
            self._hand_out()
            for number, brought in self.crew.wait(0.0 if learns else 1.0):
                self._take(number, brought, result)
            self._hand_out()  # at once: nobody should wait for the updates in between
            self._looked = time.monotonic()
        if self._may_learn():
            self._learn(result)
        while self.steps >= self._plan.steps and self._may_learn():  # nothing more comes: make up for what is left
            self._learn(result)
        return result

    def numbers(self) -> dict[str, float]:
        """Since the last time: how old policies were, how busy the learner was, what each worker brought."""
        now = time.perf_counter()
        passed, self._since = max(now - self._since, 1e-9), now
        found = {"learner_busy": self._busy / passed}
        if self._lags:
            found.update({"policy_lag": float(np.mean(self._lags)), "policy_lag_most": float(max(self._lags))})
        for number, steps in enumerate(self._brought):
            found[f"worker_{number}.steps_per_second"] = steps / passed
        self._busy, self._lags, self._brought = 0.0, [], [0] * len(self.crew)
        return found

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        return {"steps": np.int64(self.steps), "owed": np.int64(self._owed), **self._learner.state()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps, self._owed = int(state["steps"]), int(state.get("owed", 0))
        self._learner.load(state)

    def _hand_out(self) -> None:
        most = max(BACKLOG, 2 * self._agent.train_every)  # less than one round of updates needs would be waited for
        for number, lanes in enumerate(self._lanes):
            while self.crew.asked(number) < QUEUED and self._owed <= most:
                left = self._plan.steps - self.steps - sum(most for orders in self._orders for _, most in orders)
                limit = min(STEPS, -(-left // lanes))
                if limit < 1:
                    return
                self._orders[number].append((self._refresh(), limit * lanes))
                given, self._seeds[number] = self._seeds[number], None
                order = GatherOrder(
                    steps=self.steps, limit=limit, seconds=SECONDS, seeds=given,
                    entropy=[self._plan.seed, _WORKER, number, self._hired[number], self.steps],
                )  # fmt: skip
                self.crew.order(number, order, self._sent)

    def _refresh(self) -> int:
        """Share the weights when they are new; the number of updates behind them."""
        now = time.monotonic()
        if self._engine.updates != self._sent_version and now - self._sent_at >= REFRESH:
            self._sent = self.crew.share(self._engine.weights(self._acting))
            self._sent_version, self._sent_at = self._engine.updates, now
        return self._sent_version

    def _take(self, number: int, brought: Brought | None, result: Round) -> None:
        if brought is None:  # somebody new is there, with nothing under way
            self._hired[number] += 1
            self._orders[number].clear()
            self._seeds[number] = seeds(
                self._plan.seed, _REPLACED, self.steps, number, self._hired[number], count=self._lanes[number]
            )
            return
        version, _ = self._orders[number].pop(0)
        self._lags.append(self._engine.updates - version)
        before, self.steps = self.steps, self.steps + brought.steps
        self._owed += max(0, self.steps - max(before, self._agent.learning_starts))
        self._brought[number] += brought.steps
        if brought.rows:
            self._learner.replay.take(brought.rows)
        result.episodes += brought.episodes

    def _may_learn(self) -> bool:
        if self._owed < self._agent.train_every or not len(self._learner.replay):
            return False
        oldest = min((orders[0][0] for orders in self._orders if orders), default=self._engine.updates)
        return self._engine.updates - oldest < self._plan.max_lag

    def _learn(self, result: Round) -> None:
        began = time.perf_counter()
        self._learner.learn(result, min(1.0, (self.steps - self._owed) / self._plan.steps))
        self._owed -= self._agent.train_every
        self._busy += time.perf_counter() - began
