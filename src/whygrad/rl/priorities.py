"""Prioritised drawing: a sum tree over the rows of a replay memory (Schaul et al., 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

SMALLEST = 1e-6
"""Added to every priority, so that no row is never drawn again."""

LEVELS = 3


class Priorities:
    """Draws row i with probability pᵢᵃ / Σ pᵃ.

    The tree is wide, not binary: three levels, each node with about the cube root of the size as children. For NumPy a
    few operations on long rows are several times cheaper than seventeen on short ones. Leaves are set at once, the sums
    above them only before the next drawing, all together.
    """

    def __init__(self, size: int, exponent: float) -> None:
        if exponent < 0:
            raise ValueError(f"priority_exponent must be 0 or more; received {exponent}")
        self._exponent = exponent
        self._width = next(w for w in range(2, size + 2) if w**LEVELS >= size)
        self._levels = [np.zeros((self._width**k, self._width)) for k in range(LEVELS)]
        self._leaves = self._levels[-1].reshape(-1)
        self._largest = 1.0  # pᵃ of the largest so far, which new rows get.
        self._changed: list[np.ndarray] = []  # Leaves whose sums are out of date.
        self._begin = self._end = 0  # New rows, which have no priority yet.

    def fresh(self, begin: int, end: int) -> None:
        """Rows begin … end - 1 are new."""
        if begin != self._end:
            self._settle()
            self._begin = begin
        self._end = end

    def set(self, index: np.ndarray, priority: np.ndarray) -> None:
        """Give rows their priorities, sizes of errors."""
        right = (priority >= 0.0) & (priority < np.inf)
        if not right.all():
            row = int(np.flatnonzero(~right)[0])
            raise ValueError(f"a priority is a finite size of an error; received {priority[row]} for row {index[row]}")
        self._settle()
        raised = (priority.astype(np.float64) + SMALLEST) ** self._exponent
        self._leaves[index] = raised
        self._largest = max(self._largest, float(raised.max()))
        self._changed.append(index)

    def sample(
        self, rng: np.random.Generator, rounds: int, rows: int, count: int, correction: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Indices and weights [rounds, rows]; of each of `rows` equal shares of the total, one point is drawn."""
        self._sum_up()
        total = self._levels[0].sum()
        point = ((np.arange(rows) + rng.random((rounds, rows))) * (total / rows)).reshape(-1, 1)
        node = np.zeros(rounds * rows, np.int64)
        row = np.arange(rounds * rows) * self._width
        for level in self._levels:
            children = level.take(node, axis=0, mode="clip")
            sums = children.cumsum(axis=1)
            child = (sums > point).argmax(axis=1)
            child[sums[:, -1] <= point[:, 0]] = self._width - 1  # Only by rounding: none was larger.
            point -= (sums.take(row + child) - children.take(row + child))[:, None]
            node = node * self._width + child
        # Rounding can lead past the last row; all rows before it have a priority.
        index = np.minimum(node, count - 1).reshape(rounds, rows)
        weight = (self._leaves.take(index) * (count / total)) ** -correction
        weight /= weight.max(axis=1, keepdims=True)
        return index, weight.astype(np.float32)

    def state(self, count: int) -> dict[str, np.ndarray]:
        """Leaves of the first `count` rows."""
        self._settle()
        return {"leaves": self._leaves[:count].copy(), "largest": np.array(self._largest)}

    def load(self, state: Mapping[str, Any]) -> None:
        """Put back what `state` gave."""
        self._leaves[:] = 0.0
        self._leaves[: len(state["leaves"])] = state["leaves"]
        self._largest = float(state["largest"])
        self._begin = self._end = 0
        self._changed = [np.arange(len(self._leaves))]

    def _settle(self) -> None:
        """Give new rows the largest priority so far."""
        if self._begin < self._end:
            self._leaves[self._begin : self._end] = self._largest
            self._changed.append(np.arange(self._begin, self._end))
        self._begin = self._end = 0

    def _sum_up(self) -> None:
        self._settle()
        if not self._changed:
            return
        node = np.concatenate(self._changed)
        self._changed = []
        for above, below in ((self._levels[1], self._levels[2]), (self._levels[0], self._levels[1])):
            node = node // self._width
            if len(node) > 256:
                node = np.unique(node)
            above.reshape(-1)[node] = below.take(node, axis=0).sum(axis=1)
