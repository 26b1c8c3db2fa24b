"""The environment behind all probes: short episodes in which at most the first action matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete

REACH = 2.0
"""Continuous actions go from -REACH to REACH, so that a policy whose actions are not scaled is found out."""

TARGET = 1.0
"""The best continuous action (or its opposite); for a policy, which acts in [-1, 1], it is TARGET / REACH."""

SIDES = (-1.0, 1.0)

Observe = Callable[[float, float, float], tuple[float, ...]]
"""From what was shown, the time (from 1 down to -1) and the first action to an observation."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How an episode goes. `shown` is drawn when it begins; `first` is the first action in [-1, 1], 0 before it."""

    every_step: float = 0.0
    """The reward of every step."""
    pays: Callable[[float, float], float] | None = None
    """(shown, first) to what the last step gives besides."""
    shows: tuple[float, ...] = (1.0,)
    """One of these is drawn as `shown`."""
    observe: Observe = lambda shown, time, first: (shown,)
    steps: int = 1
    time_limit: bool = False
    """After its steps the episode is truncated, not over."""


def _sign(shown: float, first: float) -> float:
    return shown * first


def _distance(shown: float, first: float) -> float:
    return -((first * REACH - TARGET * shown) ** 2)


def _rules(pays: Callable[[float, float], float]) -> dict[str, Rule]:
    """`pays` is what an action earns where it matters: the only difference between the kinds of action."""
    return {
        "Constant": Rule(every_step=1.0),
        "Observation": Rule(pays=lambda shown, first: shown, shows=SIDES),
        "Discount": Rule(pays=lambda shown, first: 1.0, observe=lambda shown, time, first: (time,), steps=2),
        "TimeLimit": Rule(every_step=1.0, steps=4, time_limit=True),
        "Action": Rule(pays=pays),
        "Match": Rule(pays=pays, shows=SIDES),
        "Delay": Rule(pays=pays, observe=lambda shown, time, first: (time, first), steps=3),
    }


RULES = {"discrete": _rules(_sign), "continuous": _rules(_distance)}
"""By kind of action, then by name."""


class ProbeEnv(gymnasium.Env[Any, Any]):
    """Follows the rule of this name."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, rule: str, actions: str) -> None:
        self._rule = RULES[actions][rule]
        self._discrete = actions == "discrete"
        self.action_space: Any = Discrete(2) if self._discrete else Box(-REACH, REACH, (1,), np.float32)
        self.observation_space: Any = Box(-1.0, 1.0, (len(self._rule.observe(1.0, 1.0, 0.0)),), np.float32)
        self._shown, self._first, self._taken = 1.0, 0.0, 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Draw what is shown."""
        super().reset(seed=seed)
        shows = self._rule.shows
        self._shown = shows[int(self.np_random.integers(len(shows)))]
        self._first, self._taken = 0.0, 0
        return self._observation(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step; the last one pays."""
        rule = self._rule
        if self._taken == 0:
            self._first = 2.0 * float(action) - 1.0 if self._discrete else float(action[0]) / REACH
        self._taken += 1
        last = self._taken == rule.steps
        reward = rule.every_step
        if last and rule.pays is not None:
            reward += rule.pays(self._shown, self._first)
        return self._observation(), reward, last and not rule.time_limit, last and rule.time_limit, {}

    def _observation(self) -> np.ndarray:
        share = min(1.0, self._taken / (self._rule.steps - 1)) if self._rule.steps > 1 else 0.0
        return np.array(self._rule.observe(self._shown, 1.0 - 2.0 * share, self._first), np.float32)
