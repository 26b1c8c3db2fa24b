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
_SECOND, _THIRD = 128, 128 * 128
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
        measured = _measured_alone if len(table.sizes) == 1 else _measured_together
        found, histograms = measured(table, gradients, applied, updates, params)
        if len(table.places) == len(sizes):
            return found, histograms
        for at, place in enumerate(table.places):
            rows[place], counts[place] = found[at], histograms[at]
    return jnp.stack(rows), jnp.stack(counts)


def _measured_alone(table: Table, gradients: Any, applied: Any, updates: Any, params: Any) -> tuple[Any, Any]:
    """Of a table with one variable, which may be large."""

    def packed(arrays: Any) -> Any:
        return jnp.concatenate(_parts(table, arrays)).reshape(table.rows, LANES)

    gradient, moved = packed(gradients), packed(updates)
    kind, along, scale = _sizes(gradient)
    scaled = gradient / scale
    squares = scaled * scaled
    weights = jnp.full((1, 1), jnp.nan, kind) if params is None else packed(params)
    later = squares if applied is None else jnp.square(packed(applied) / scale)
    flags = [gradient == 0, jnp.isinf(gradient), ~jnp.isfinite(gradient)]
    # Counts of a large variable are beyond what a float32 holds exactly.
    counts = [_sum_of_sums(flag.sum(1, dtype=jnp.int32)).astype(kind) for flag in flags]
    sums = [_sum_of_sums(part.sum(1)) for part in (scaled, squares, moved * moved, weights * weights, later)]
    row = [*sums[:2], *counts, *sums[2:], along.max(), scale]
    return jnp.stack(row).astype(jnp.float32)[None], _histograms(table, gradient)


def _measured_together(table: Table, gradients: Any, applied: Any, updates: Any, params: Any) -> tuple[Any, Any]:
    """Of many small variables, with few operations: for a small network each costs as much as what it computes."""

    def packed(arrays: Any) -> Any:
        # Without the barrier XLA puts the numbers together anew for each operation that reads them.
        return jax.lax.optimization_barrier(jnp.concatenate(_parts(table, arrays))).reshape(table.rows, LANES)

    gradient = packed(gradients)
    kind, along, scale = _sizes(gradient)
    own, moved = _row_sums(jnp.square(gradient / scale)), _row_sums(jnp.square(packed(updates)))
    later = own if applied is None else _row_sums(jnp.square(packed(applied) / scale))
    weights = jnp.full_like(own, jnp.nan) if params is None else _row_sums(jnp.square(packed(params)))
    # Three counts in one sum: a row has LANES numbers, so each of them fits below the next.
    finite = jnp.where(gradient == 0, 1, 0)
    flags = jnp.where(jnp.isfinite(gradient), finite, jnp.where(jnp.isnan(gradient), _THIRD, _THIRD + _SECOND))
    counted = _row_sums(flags.astype(kind)).astype(jnp.int32)
    zeros, infinite, broken = counted % _SECOND, counted // _SECOND % _SECOND, counted // _THIRD
    sums = [_row_sums(gradient / scale), own, zeros, infinite, broken, moved, weights, later]
    summed = _by_variable(table, jnp.stack([one.astype(kind) for one in sums]))
    rest = [_largest(table, along)[:, None], jnp.full((len(table.sizes), 1), scale)]
    return jnp.concatenate([summed, *rest], 1).astype(jnp.float32), _histograms(table, gradient)


def _sizes(gradient: Any) -> tuple[Any, Any, Any]:
    """The kind of number, the largest one of each row, and what all are divided by.

    One number for all of them: a gradient that is so much smaller than another that its squares vanish is no zero, and
    is told by its largest number.
    """
    along = jnp.abs(gradient).max(1)
    scale = along.max()
    return gradient.dtype, along, jnp.where((scale > 0) & jnp.isfinite(scale), scale, 1)


def _row_sums(numbers: Any) -> Any:
    """As a product, for which XLA has a fast kernel also where there is little to add up."""
    return jnp.dot(numbers, jnp.ones(LANES, numbers.dtype), precision=jax.lax.Precision.HIGHEST)


def _parts(table: Table, arrays: Sequence[Any]) -> list[Any]:
    parts = []
    for place, pad in zip(table.places, table.pads, strict=True):
        parts.append(_numbers(arrays[place]))
        if pad:
            parts.append(jnp.zeros(pad, parts[-1].dtype))
    return parts


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


def _largest(table: Table, along: Any) -> Any:
    if _is_few(table):
        return jnp.where(_mine(table), along, 0).max(1)
    return jnp.zeros(len(table.sizes), along.dtype).at[table.owners].max(along, mode="promise_in_bounds")


def _by_variable(table: Table, along: Any) -> Any:
    """Sums over the rows of each variable, [variables, parts] from [parts, rows]."""
    if _is_few(table):
        return jnp.where(_mine(table)[:, None, :], along, 0).sum(2)
    bins = table.owners * _BINS + np.arange(table.rows) % _BINS
    found = jnp.zeros((len(table.sizes) * _BINS, len(along)), along.dtype)
    found = found.at[bins].add(along.T, mode="promise_in_bounds")
    return found.reshape(-1, _BINS, len(along)).sum(1)


def _is_few(table: Table) -> bool:
    """So few rows and variables that comparing all of them is less work for XLA than scattering."""
    return len(table.sizes) * table.rows <= _FEW


def _mine(table: Table) -> Any:
    return table.owners == np.arange(len(table.sizes))[:, None]


def _sum_of_sums(numbers: Any) -> Any:
    while numbers.size > LANES:
        numbers = jnp.pad(numbers, (0, -numbers.size % LANES)).reshape(-1, LANES).sum(1)
    return numbers.sum()
