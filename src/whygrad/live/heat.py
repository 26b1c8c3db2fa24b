"""The heat map: one byte for each variable and column, and what the bytes stand for."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from whygrad.live.columns import Columns

ABSENT, ZERO, BROKEN, UNKNOWN, LOWEST = 0, 1, 2, 3, 4
"""No gradient; one that is zero everywhere; one with NaN or Inf; not looked at. From `LOWEST` on, a size."""
STEPS = 255 - LOWEST
FIELDS = {
    "norm": "log",
    "applied": "log",
    "ratio": "log",
    "largest": "log",
    "zeros": "share",
}
_NOTHING = 1e-30  # less than this is zero for all that a float32 can do with it
_DECADES = 6.0
"""How far below the middle the scale reaches; what is smaller still is shown as the smallest."""


def scale(parts: list[Columns], field: str) -> tuple[float, float]:
    """The ends of the scale: powers of ten, or shares."""
    if FIELDS[field] == "share":
        return 0.0, 1.0
    found = np.concatenate([part.values[part.present & (part.values > _NOTHING)] for part in parts] or [np.empty(0)])
    found = found[np.isfinite(found)]
    if not found.size:
        return -6.0, 0.0
    low, middle, high = np.percentile(np.log10(found), [0.5, 50.0, 99.8])
    low = max(low, middle - _DECADES)
    if high - low < 1.0:
        low, high = (low + high) / 2 - 0.5, (low + high) / 2 + 0.5
    return round(float(low), 3), round(float(high), 3)


def cells(part: Columns, field: str, low: float, high: float) -> Any:
    """(variables, columns) uint8."""
    share = FIELDS[field] == "share"
    with np.errstate(invalid="ignore", divide="ignore"):
        # Many zeros are a dying layer: dark, as a small gradient is.
        level = 1.0 - part.values if share else (np.log10(part.values) - low) / (high - low)
    found = np.full(part.values.shape, UNKNOWN, np.uint8)
    sized = np.isfinite(level)
    found[sized] = LOWEST + np.round(np.clip(level[sized], 0.0, 1.0) * STEPS).astype(np.uint8)
    with np.errstate(invalid="ignore"):
        found[part.present & ((part.values >= 1.0) if share else (part.values <= _NOTHING))] = ZERO
    found[~part.present & part.known[None, :]] = ABSENT
    found[part.broken] = BROKEN
    return found


def packed(found: Any) -> str:
    """As text for JSON."""
    return base64.b64encode(np.ascontiguousarray(found, np.uint8).tobytes()).decode()
