"""Statistics of many gradients as JAX operations: pure, for whatever the program does with the function around them.

What `array_pass` says in NumPy. JAX has no float64 unless it is asked for it: numbers are divided by the largest one,
so that no square vanishes or overflows, and summed in short runs, then sums of sums, so that errors do not add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from whygrad.live import buckets
from whygrad.live.packing import LANES, Table, tables
from whygrad.live.ring_reading import WRITTEN

_BINS = 16
_FEW = 1 << 13
_EMPTY = np.array([1.0 if name == "scale" else 0.0 for name in WRITTEN], "f")


def size_of(leaf: Any) -> int:
    """How many real numbers an array has."""
    return int(np.prod(leaf.shape, dtype=np.int64)) * (2 if jnp.iscomplexobj(leaf) else 1)


def look(
    gradients: Sequence[Any], applied: Sequence[Any] | None, updates: Sequence[Any], params: Sequence[Any] | None
) -> tuple[Any, Any]:
    """Rows of `WRITTEN` in float32, and histograms in int32 which may run over: only differences of them count."""
    sizes = [size_of(gradient) for gradient in gradients]
    rows: list[Any] = [jnp.asarray(_EMPTY)] * len(sizes)
    counts: list[Any] = [jnp.zeros(buckets.COUNT, jnp.int32)] * len(sizes)
    for table in tables(sizes):
        packed = _packed(table, gradients)
        histograms = _histograms(table, packed)
        later = None if applied is None else _packed(table, applied)
        weights = None if params is None else _packed(table, params)
        found = _measured(table, packed, later, _packed(table, updates), weights)
        if len(table.places) == len(sizes):
            return found, histograms
        for at, place in enumerate(table.places):
            rows[place], counts[place] = found[at], histograms[at]
    return jnp.stack(rows), jnp.stack(counts)


def _packed(table: Table, arrays: Sequence[Any]) -> Any:
    parts = []
    for place, pad in zip(table.places, table.pads, strict=True):
        parts.append(_numbers(arrays[place]))
        if pad:
            parts.append(jnp.zeros(pad, parts[-1].dtype))
    found = (jnp.concatenate(parts) if len(parts) != 1 else parts[0]).reshape(table.rows, LANES)
    # Without this XLA puts numbers together anew for each operation that reads them.
    return found if table.large else jax.lax.optimization_barrier(found)


def _numbers(array: Any) -> Any:
    if jnp.iscomplexobj(array):
        array = jnp.stack([array.real, array.imag])
    return array.reshape(-1).astype(jnp.promote_types(array.dtype, jnp.float32))


def _histograms(table: Table, packed: Any) -> Any:
    places = _places(packed)
    if len(table.sizes) > 1:
        places = places + table.shelves
    start = np.zeros((len(table.sizes), buckets.COUNT), np.int32)
    start[:, buckets.SMALLEST] = -np.array(table.pads)
    found = jnp.asarray(start.reshape(-1)).at[places.reshape(-1)].add(1, mode="promise_in_bounds")
    return found.reshape(-1, buckets.COUNT)


def _places(packed: Any) -> Any:
    if packed.dtype == jnp.float64:
        raw = jax.lax.bitcast_convert_type(packed, jnp.int64) >> 52
        exponent = raw & 0x7FF
        near = jnp.clip(exponent - (1023 - 127), 0, buckets.NOT_FINITE - 1)
        return (jnp.where(exponent == 0x7FF, buckets.NOT_FINITE, near) | ((raw & 0x800) >> 3)).astype(jnp.int32)
    return (jax.lax.bitcast_convert_type(packed, jnp.int32) >> 23) & (buckets.COUNT - 1)


def _measured(table: Table, gradient: Any, applied: Any, moved: Any, weights: Any) -> Any:
    """Rows of `WRITTEN`."""
    size = jnp.abs(gradient)
    along = size.max(1)
    # One number for all of them: a gradient that is so much smaller than another that its squares vanish is no zero,
    # and is told by its largest number.
    scale = along.max()
    scale = jnp.where((scale > 0) & jnp.isfinite(scale), scale, 1)
    scaled = gradient / scale
    squares = scaled * scaled
    lengths = jnp.full_like(gradient, jnp.nan) if weights is None else weights * weights
    later = squares if applied is None else jnp.square(applied / scale)
    broken = ~jnp.isfinite(gradient)
    sums = _sums(table, [scaled, squares, gradient == 0, size == jnp.inf, broken, moved * moved, lengths, later])
    rest = [_largest(table, along)[:, None], jnp.full((len(table.sizes), 1), scale)]
    return jnp.concatenate([sums, *rest], 1).astype(jnp.float32)


def _largest(table: Table, along: Any) -> Any:
    if len(table.sizes) == 1:
        return along.max(keepdims=True)
    if _is_few(table):
        return jnp.where(_mine(table), along, 0).max(1)
    return jnp.zeros(len(table.sizes), along.dtype).at[table.owners].max(along, mode="promise_in_bounds")


def _sums(table: Table, parts: Sequence[Any]) -> Any:
    """For each variable the sum of each part."""
    kind = parts[0].dtype
    if len(table.sizes) == 1:
        # Counts of a large variable are beyond what a float32 holds exactly.
        kinds = [jnp.int32 if part.dtype == jnp.bool_ else kind for part in parts]
        sums = [_sum_of_sums(part.sum(1, dtype=one)) for part, one in zip(parts, kinds, strict=True)]
        return jnp.stack([one.astype(kind) for one in sums])[None]
    along = jnp.stack([part.sum(1, dtype=kind) for part in parts], 1)
    if _is_few(table):
        return jnp.where(_mine(table)[:, :, None], along, 0).sum(1)
    bins = table.owners * _BINS + np.arange(table.rows) % _BINS
    found = jnp.zeros((len(table.sizes) * _BINS, len(parts)), kind).at[bins].add(along, mode="promise_in_bounds")
    return found.reshape(-1, _BINS, len(parts)).sum(1)


def _is_few(table: Table) -> bool:
    """So few rows and variables that comparing all of them is less work for XLA than scattering."""
    return len(table.sizes) * table.rows <= _FEW


def _mine(table: Table) -> Any:
    return table.owners == np.arange(len(table.sizes))[:, None]


def _sum_of_sums(numbers: Any) -> Any:
    while numbers.size > LANES:
        numbers = jnp.pad(numbers, (0, -numbers.size % LANES)).reshape(-1, LANES).sum(1)
    return numbers.sum()
