"""Statistics of many gradients as TensorFlow operations, for graphs that XLA compiles and for those that it does not.

What `array_pass` says in NumPy. Sums are in float64; of a large variable only from row to row, so that no copy of it
in float64 is ever made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from whygrad.live import buckets
from whygrad.live.packing import LANES, Table, tables
from whygrad.live.ring_reading import WRITTEN

_EMPTY = np.array([1.0 if name == "scale" else 0.0 for name in WRITTEN])
_SCALE = np.array([name == "scale" for name in WRITTEN])


def sizes_of(variables: Sequence[Any]) -> list[int]:
    """How many numbers each variable has."""
    return [int(np.prod(v.shape, dtype=np.int64)) * (2 if tf.as_dtype(v.dtype).is_complex else 1) for v in variables]


class GraphPass:
    """Looks at gradients of these variables."""

    def __init__(self, variables: Sequence[Any]) -> None:
        self.sizes = sizes_of(variables)
        self.tables = tables(self.sizes)
        exact = [any(tf.as_dtype(variables[p].dtype) == tf.float64 for p in table.places) for table in self.tables]
        self.kinds = [tf.float64 if one else tf.float32 for one in exact]

    def packed(self, tensors: Sequence[Any]) -> list[Any]:
        """Tensors, one for each variable, as tables. `None` is a tensor of zeros."""
        return [self._packed(table, kind, tensors) for table, kind in zip(self.tables, self.kinds, strict=True)]

    def look(
        self, gradients: Sequence[Any], applied: Sequence[Any] | None, before: Sequence[Any], after: Sequence[Any]
    ) -> tuple[Any, Any]:
        """Rows of `WRITTEN` and histograms, from gradients (`None` is an absent one) and weights as tables."""
        count = len(self.sizes)
        later = [None] * len(self.tables) if applied is None else self.packed(applied)
        rows: list[Any] = []
        counts: list[Any] = []
        for table, given in zip(
            self.tables, zip(self.packed(gradients), later, before, after, strict=True), strict=True
        ):
            histograms = _histograms(table, given[0])
            rows.append(_measured(table, histograms, *given))
            counts.append(histograms)
        order = [place for table in self.tables for place in table.places]
        absent = [g is None for g in gradients]
        found, spread = (
            _in_place(rows, order, count, _EMPTY),
            _in_place(counts, order, count, np.zeros(buckets.COUNT)),
        )
        if any(absent):
            gone = np.array(absent)[:, None]
            found = tf.where(gone & _SCALE, tf.zeros([], tf.float64), found)
            spread = tf.where(gone, tf.zeros([], tf.int64), spread)
        return found, spread

    def _packed(self, table: Table, kind: Any, tensors: Sequence[Any]) -> Any:
        parts = []
        for place, size, pad in zip(table.places, table.sizes, table.pads, strict=True):
            tensor = tensors[place]
            parts.append(tf.zeros([size], kind) if tensor is None else tf.reshape(_numbers(tensor, kind), [-1]))
            if pad:
                parts.append(tf.zeros([pad], kind))
        return tf.reshape(tf.concat(parts, 0) if len(parts) != 1 else parts[0], [table.rows, LANES])


def _numbers(tensor: Any, kind: Any) -> Any:
    """A gradient as plain real numbers; a sparse one is filled up with zeros."""
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype.is_complex:
        tensor = tf.stack([tf.math.real(tensor), tf.math.imag(tensor)])
    return tensor if tensor.dtype == kind else tf.cast(tensor, kind)


def _histograms(table: Table, packed: Any) -> Any:
    places = _places(packed)
    if len(table.sizes) > 1:
        places = places + table.shelves
    found = tf.math.unsorted_segment_sum(tf.ones_like(places), places, len(table.sizes) * buckets.COUNT)
    found = tf.cast(tf.reshape(found, [-1, buckets.COUNT]), tf.int64)
    if any(table.pads):
        pads = np.zeros((len(table.sizes), buckets.COUNT), np.int64)
        pads[:, buckets.SMALLEST] = table.pads
        found = found - pads
    return found


def _places(packed: Any) -> Any:
    if packed.dtype == tf.float64:
        raw = tf.bitwise.right_shift(tf.bitcast(packed, tf.int64), 52)
        exponent = tf.bitwise.bitwise_and(raw, 0x7FF)
        near = tf.clip_by_value(exponent - (1023 - 127), 0, buckets.NOT_FINITE - 1)
        near = tf.where(exponent == 0x7FF, tf.constant(buckets.NOT_FINITE, tf.int64), near)
        return tf.cast(tf.bitwise.bitwise_or(near, tf.bitwise.bitwise_and(raw, 0x800) // 8), tf.int32)
    return tf.bitwise.bitwise_and(tf.bitwise.right_shift(tf.bitcast(packed, tf.int32), 23), buckets.COUNT - 1)


def _measured(table: Table, histograms: Any, gradient: Any, applied: Any, before: Any, after: Any) -> Any:
    """Rows of `WRITTEN`."""
    size = tf.abs(gradient)
    largest = tf.cast(_by_owner(tf.math.unsorted_segment_max, table, tf.reduce_max(size, 1)), tf.float64)
    exact, scale = _exact(table, gradient, largest)
    wide = exact.dtype
    moved, held = tf.cast(after - before, wide), tf.cast(before, wide)
    parts = [exact, exact * exact, tf.cast(gradient == 0, wide), tf.cast(size == np.inf, wide)]
    parts += [moved * moved, held * held]
    if applied is not None:
        later = tf.cast(applied, wide) / tf.cast(scale, wide)
        parts.append(later * later)
    along = tf.cast(tf.stack([tf.reduce_sum(part, 1) for part in parts], 1), tf.float64)
    sums = _by_owner(tf.math.unsorted_segment_sum, table, along)
    broken = tf.cast(histograms[:, buckets.NOT_FINITE] + histograms[:, -1], tf.float64)
    later = sums[:, 1:2] if applied is None else sums[:, 6:]
    scales = scale * tf.ones_like(largest)
    return tf.concat([sums[:, :4], broken[:, None], sums[:, 4:6], later, tf.stack([largest, scales], 1)], 1)


def _exact(table: Table, packed: Any, largest: Any) -> tuple[Any, Any]:
    """Numbers whose squares neither vanish nor overflow, and by what they were divided for that."""
    if not table.large or packed.dtype == tf.float64:
        return tf.cast(packed, tf.float64), tf.ones([], tf.float64)
    scale = tf.where((largest > 0) & tf.math.is_finite(largest), largest, tf.ones_like(largest))
    return packed / tf.cast(scale, packed.dtype), scale


def _by_owner(reduce: Any, table: Table, rows: Any) -> Any:
    if len(table.sizes) == 1:
        kind = tf.reduce_max if reduce is tf.math.unsorted_segment_max else tf.reduce_sum
        return kind(rows, 0, True)
    return reduce(rows, table.owners, len(table.sizes))


def _in_place(blocks: Sequence[Any], order: Sequence[int], count: int, nothing: Any) -> Any:
    """Rows of tables in the order of variables; a variable of no size has nothing."""
    kind = blocks[0].dtype if blocks else tf.float64
    missing = [place for place in range(count) if place not in set(order)]
    if missing:
        blocks = [*blocks, tf.tile(tf.constant(nothing, kind)[None], [len(missing), 1])]
    found = tf.concat(blocks, 0) if len(blocks) != 1 else blocks[0]
    full = [*order, *missing]
    return found if full == sorted(full) else tf.gather(found, np.argsort(full))
