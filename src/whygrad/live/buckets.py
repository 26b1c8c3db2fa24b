"""Histograms over powers of two.

A float32 is a sign, an exponent and a fraction: its upper nine bits say which power of two it lies at. So a histogram
costs a shift and a count, it needs no range chosen beforehand, and histograms of several updates, workers or devices
merge exactly, by adding them up.

Bucket `e` holds numbers from 2**(e - 127) to the double of it, bucket `256 + e` the same below zero. Bucket 0 and 256
hold zero and what is too small to be normal, 255 and 511 what is not finite.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

COUNT = 512
SMALLEST, NOT_FINITE, NEGATIVE = 0, 255, 256
_BIAS = 127


def places(numbers: Any) -> Any:
    """The bucket of each number of a flat array, as int64."""
    if numbers.dtype == np.float64:
        raw = numbers.view(np.int64) >> 52
        exponent = raw & 0x7FF
        # The range of float32: smaller ones count as tiny, larger ones as the largest; what is not finite stays so.
        near = np.clip(exponent - (1023 - _BIAS), 0, NOT_FINITE - 1)
        return np.where(exponent == 0x7FF, NOT_FINITE, near) | ((raw & 0x800) >> 3)
    return (numbers.astype(np.float32, copy=False).view(np.int32) >> 23).astype(np.int64) & (COUNT - 1)


def count(numbers: Any) -> Any:
    """The histogram of an array."""
    return np.bincount(places(np.ascontiguousarray(numbers).reshape(-1)), minlength=COUNT)


def limits(bucket: int) -> tuple[float, float]:
    """From where to where a bucket reaches, the smaller number first."""
    exponent = bucket & (NEGATIVE - 1)
    low = 0.0 if exponent == SMALLEST else 2.0 ** (exponent - _BIAS)
    high = float("inf") if exponent >= NOT_FINITE - 1 else 2.0 ** (exponent - _BIAS + 1)
    return (-high, -low) if bucket >= NEGATIVE else (low, high)


def ordered() -> list[int]:
    """All buckets of finite numbers from the most negative to the most positive."""
    return [*range(COUNT - 2, NEGATIVE - 1, -1), *range(NOT_FINITE)]


def pack(counts: Any) -> bytes:
    """Histograms of several variables, `(variables, COUNT)`, as few bytes."""
    return zlib.compress(np.ascontiguousarray(counts, np.uint64).tobytes(), 1)


def unpack(packed: bytes) -> Any:
    """What `pack` was given."""
    return np.frombuffer(zlib.decompress(packed), np.uint64).reshape(-1, COUNT).astype(np.int64)
