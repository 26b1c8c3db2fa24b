"""On-policy training in step: every worker collects its lanes of the same rollout, then the learner learns from all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from whygrad.rl.agent import Spaces
from whygrad.rl.cluster.acting import networks_for_acting
from whygrad.rl.cluster.crew import Crew
from whygrad.rl.cluster.post import Brought, RolloutOrder
from whygrad.rl.engine import Engine
from whygrad.rl.loops.before_learning import BeforeLearning
from whygrad.rl.loops.rollout_learning import RolloutLearner
from whygrad.rl.loops.round import Round, seeds
from whygrad.rl.normalise import RewardScale, RunningMoments, merged
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import Plan

_DRAWS, _REPLACED = 11, 12
"""Streams of random numbers."""


class SplitRolloutLoop(BeforeLearning):
    """One round is a rollout and the updates on it, as in one process.

    The first worker draws from the run's own generator, so that with one worker nothing differs from a training in one
    process. The others draw from streams that follow from the seed, the step and their number: a run with any number of
    workers can be repeated.
    """

    def __init__(
        self, agent: OnPolicy, engine: Engine, crew: Crew, lanes: list[int], spaces: Spaces,
        rng: np.random.Generator, plan: Plan,
    ) -> None:  # fmt: skip
        self.steps = 0
        self.crew = crew
        self._agent, self._engine, self._lanes, self._plan = agent, engine, lanes, plan
        self._rng = rng
        self._learner = RolloutLearner(agent, engine, spaces, rng)
        self._acting = networks_for_acting(agent, engine.networks, spaces)
        self.moments = RunningMoments(spaces.observation) if agent.normalise_observations else None
        self._rewards = RewardScale(sum(lanes), agent.gamma) if agent.normalise_rewards else None
        self._first = [int(first) for first in np.cumsum([0, *lanes[:-1]])]
        self._seeds: list[list[int] | None] = [None] * len(crew)
        self._replaced = 0
        self._collecting = self._learning = 0.0

    def restart(self, seeds: list[int]) -> None:
        """Begin new episodes; those that were under way count as cut off."""
        if self._rewards is not None:
            self._rewards.cut()
        self._seeds = [seeds[first : first + count] for first, count in zip(self._first, self._lanes, strict=True)]

    def round(self) -> Round:
        """Collect, then learn."""
        if self._agent.WHOLE_EPISODES:
            self.restart(seeds(self._plan.seed, self.steps, 1, count=sum(self._lanes)))
        began = time.perf_counter()
        parts = self._collect()
        collected = time.perf_counter()
        self.steps += sum(part.steps for part in parts)
        self._rng.bit_generator.state = parts[0].rng
        self._merge_scales([part.scales for part in parts])
        result = Round(episodes=[episode for part in parts for episode in part.episodes])
        rows = {name: np.concatenate([part.rows[name] for part in parts]) for name in parts[0].rows}
        self._learner.learn(result, rows, min(1.0, self.steps / self._plan.steps))
        self._collecting += collected - began
        self._learning += time.perf_counter() - collected
        return result

    def numbers(self) -> dict[str, float]:
        """Since the last time: the share of the time in which the learner learned, and did not wait for workers."""
        whole = max(self._collecting + self._learning, 1e-9)
        found = {"learner_busy": self._learning / whole, "policy_lag": 0.0}
        self._collecting = self._learning = 0.0
        return found

    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps of this loop."""
        return {"steps": np.int64(self.steps), **self._scales()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self.steps = int(state["steps"])
        self._load_scales(state)

    def _collect(self) -> list[Brought]:
        """One rollout from every worker. One that was replaced begins its part anew, with new episodes."""
        weights = self.crew.share(self._engine.weights(self._acting))
        scales = self._scales()
        parts: dict[int, Brought] = {}
        for number in range(len(self.crew)):
            self._send(number, weights, scales)
        while len(parts) < len(self.crew):
            for number, brought in self.crew.wait(1.0):
                if brought is not None:
                    parts[number], self._seeds[number] = brought, None
                    continue
                self._replaced += 1
                place = (_REPLACED, self.steps, number, self._replaced)
                self._seeds[number] = seeds(self._plan.seed, *place, count=self._lanes[number])
                self._send(number, weights, scales)
        return [parts[number] for number in range(len(self.crew))]

    def _send(self, number: int, weights: Any, scales: dict[str, Any]) -> None:
        if number == 0:
            rng = dict(self._rng.bit_generator.state)
        else:
            place = np.random.SeedSequence([self._plan.seed, _DRAWS, self.steps, number])
            rng = dict(np.random.PCG64(place).state)
        mine = dict(scales)
        if self._rewards is not None:
            first = self._first[number]
            mine["rewards/return"] = scales["rewards/return"][first : first + self._lanes[number]]
        order = RolloutOrder(steps=self.steps, rng=rng, scales=mine, seeds=self._seeds[number])
        self.crew.order(number, order, weights)

    def _scales(self) -> dict[str, Any]:
        parts = [("moments", self.moments), ("rewards", self._rewards)]
        return {f"{name}/{k}": v for name, part in parts if part is not None for k, v in part.state().items()}

    def _load_scales(self, state: Mapping[str, Any]) -> None:
        for name, part in (("moments", self.moments), ("rewards", self._rewards)):
            if part is not None:
                part.load(_of(state, name))

    def _merge_scales(self, after: list[dict[str, Any]]) -> None:
        before, found = self._scales(), {}
        for name, part in (("moments", self.moments), ("rewards", self._rewards)):
            if part is not None:
                one = merged(_of(before, name), [_of(state, name) for state in after])
                found.update({f"{name}/{k}": v for k, v in one.items()})
        if self._rewards is not None:
            found["rewards/return"] = np.concatenate([state["rewards/return"] for state in after])
        self._load_scales(found)


def _of(state: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {k.removeprefix(f"{name}/"): v for k, v in state.items() if k.startswith(f"{name}/")}
