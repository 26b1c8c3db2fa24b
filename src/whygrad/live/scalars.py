"""A number over time: a loss, a return, a norm. Merged ones keep their lowest, their mean and their highest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Scalar:
    """One value, or several merged ones; `None` where none was finite."""

    first: int
    last: int
    count: int
    time: float
    low: float | None
    mean: float | None
    high: float | None


def scalar(step: int, time: float, value: float) -> Scalar:
    """A single value."""
    known = value if math.isfinite(value) else None
    return Scalar(step, step, 1, time, known, known, known)


def merged(values: Sequence[Scalar]) -> Scalar:
    """Neighbours in time as one."""
    known = [one for one in values if one.mean is not None]
    weight = sum(one.count for one in known)
    return Scalar(
        values[0].first,
        values[-1].last,
        sum(one.count for one in values),
        values[-1].time,
        min((one.low for one in known if one.low is not None), default=None),
        sum(one.mean * one.count for one in known if one.mean is not None) / weight if known else None,
        max((one.high for one in known if one.high is not None), default=None),
    )
