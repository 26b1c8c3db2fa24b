"""What is known of each variable from one look at an update, and how looks are merged when there are too many.

A look is a float64 array `(variables, fields)`. Merged looks are weighted by the number of looks in each, so that means
stay means however often they are merged; sums and largest values stay exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FIELDS = (
    "present",  # 1 when there was a gradient, 0 when there was none
    "norm",  # of the gradient as backpropagation left it
    "peak",  # the largest norm of the looks that were merged
    "mean",
    "largest",  # the largest number without its sign
    "zeros",  # share
    "nans",  # how many
    "infs",
    "applied",  # norm of the gradient that the optimizer got: after clipping
    "ratio",  # length of the step by that of the weights
    "weights",  # norm of the weights
)
INDEX = {name: at for at, name in enumerate(FIELDS)}
_SUMMED = [INDEX["nans"], INDEX["infs"]]
_LARGEST = [INDEX["peak"], INDEX["largest"]]
_AVERAGED = [at for at in range(len(FIELDS)) if at not in (*_SUMMED, *_LARGEST)]


@dataclass(slots=True)
class Looks:
    """One look, or several merged ones: from which update to which, how many, when the last one was."""

    first: int
    last: int
    count: int
    time: float
    rows: Any


def empty(variables: int) -> Any:
    """Rows of a look that saw nothing yet: no gradient anywhere."""
    rows = np.full((variables, len(FIELDS)), np.nan)
    rows[:, [INDEX["present"], *_SUMMED]] = 0.0
    return rows


def merged(looks: Sequence[Looks]) -> Looks:
    """Neighbours in time as one."""
    if len(looks) == 1:
        return looks[0]
    rows = np.stack([one.rows for one in looks])
    weights = np.array([float(one.count) for one in looks])[:, None, None]
    found = np.empty_like(rows[0])
    found[:, _SUMMED] = rows[:, :, _SUMMED].sum(axis=0)
    found[:, _LARGEST] = np.fmax.reduce(rows[:, :, _LARGEST])
    values = rows[:, :, _AVERAGED]
    # A number that is missing in one look, or not finite there, does not take the others with it.
    finite = np.isfinite(values)
    total = (finite * weights).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(finite, values * weights, 0.0).sum(axis=0) / total
    found[:, _AVERAGED] = np.where(total > 0, mean, values[-1])
    return Looks(looks[0].first, looks[-1].last, sum(one.count for one in looks), looks[-1].time, found)
