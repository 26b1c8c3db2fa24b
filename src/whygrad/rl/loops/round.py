"""What one round of any loop gives: experience, then learning."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from whygrad.rl.lanes import Episode


@dataclass(slots=True)
class Round:
    """The episodes that ended, and what the updates said."""

    episodes: list[Episode] = field(default_factory=list)
    report: dict[str, dict[str, Any]] | None = None
    batch: dict[str, Any] | None = None
    """The last batch that was learned from: what gradients are drawn from."""


def remaining(steps: int, total: int) -> np.ndarray:
    """The share of the training that is left."""
    return np.asarray(max(0.0, 1.0 - steps / total), np.float32)


def seeds(seed: int, *place: int, count: int) -> list[int]:
    """Seeds for environments that depend on the run's seed and on where in the run they are used, on nothing else."""
    return [int(s) for s in np.random.SeedSequence([seed, *place]).generate_state(count)]
