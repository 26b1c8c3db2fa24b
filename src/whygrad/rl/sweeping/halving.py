"""Early stopping: which configurations are not worth their whole training.

Asynchronous successive halving (Li et al., 2020), with one difference: it judges configurations, not trainings. A
configuration is worth the mean over those of its seeds that have come as far as the rung, and when it is stopped, all
of its seeds are. If single seeds were stopped, those that were left would be the lucky ones, and their spread a lie.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

GRACE = 0.25
"""The share of its training that every configuration gets."""
KEEP = 0.5
"""The share of the configurations that goes on past a rung."""
LEAST = 4
"""With fewer configurations to compare, none is stopped."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a configuration was stopped."""

    configuration: int
    rung: int
    """The step at which it was compared."""
    mean: float
    place: int
    """How many were better, and one more."""
    known: int
    """How many there were to compare, itself among them."""


def rungs(steps: int, grace: int | None = None) -> tuple[int, ...]:
    """The steps at which configurations are compared: the end of the grace period, twice that, and so on."""
    at = max(1, round(steps * GRACE)) if grace is None else grace
    found = []
    while at < steps:
        found.append(at)
        at *= 2
    return tuple(found)


class Halving:
    """What is known at each rung."""

    def __init__(self, at: tuple[int, ...]) -> None:
        self._rungs = at
        self._known: dict[int, dict[int, dict[int, float]]] = {rung: {} for rung in at}
        self.stopped: dict[int, Stopped] = {}

    def told(self, configuration: int, seed: int, step: int, value: float, judge: bool = True) -> Stopped | None:
        """An evaluation. Something is said when it shows that its configuration should be stopped."""
        reached = [rung for rung in self._rungs if rung <= step and seed not in self._seeds(rung, configuration)]
        for rung in reached:
            self._seeds(rung, configuration)[seed] = value if math.isfinite(value) else -math.inf
        if not reached or not judge or configuration in self.stopped:
            return None
        found = self._judge(configuration, reached[-1])
        if found is not None:
            self.stopped[configuration] = found
        return found

    def _judge(self, configuration: int, rung: int) -> Stopped | None:
        means = {one: _mean(values) for one, values in self._known[rung].items()}
        better = sum(mean > means[configuration] for mean in means.values())
        if len(means) < LEAST or better < math.ceil(KEEP * len(means)):
            return None
        return Stopped(configuration, rung, means[configuration], better + 1, len(means))

    def _seeds(self, rung: int, configuration: int) -> dict[int, float]:
        return self._known[rung].setdefault(configuration, {})


def _mean(values: Mapping[int, float]) -> float:
    return sum(values.values()) / len(values)
