"""What one training in JAX has told of itself so far, read off its states in the store's thread (`jax_watch`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from whygrad.live import buckets, jax_pass
from whygrad.live.budget import FIRST
from whygrad.live.jax_state import LOOKED, UPDATES, Receiver, Shape
from whygrad.live.look_cost import dearer
from whygrad.live.looks import INDEX
from whygrad.live.ring_reading import BEFORE_MEASURED, RingReader, Snapshot, filled
from whygrad.live.store import Variable

_WORTH = 0.1
"""A distance that changes by less than this share is left as it is."""
_SUMMED, _LARGEST = [INDEX["nans"], INDEX["infs"]], [INDEX["largest"], INDEX["peak"]]
_INSIDE = 2.5


class Training:
    """What one state, from its `init` on, has told so far."""

    def __init__(
        self, reader: RingReader, receiver: Receiver, variables: Sequence[Variable], sizes: Sequence[int]
    ) -> None:
        self._reader, self._receiver, self._variables = reader, receiver, variables
        self._shape = Shape(len(variables))
        self._sizes = np.array(sizes, np.float64)
        self._newest, self._looked, self._lanes = 0, 0, 1
        self._before, self._counts = 0, np.zeros((len(variables), buckets.COUNT), np.int64)
        self._raw: Any = 0
        self._seen = -1
        self._new: list[tuple[Any, Any]] = []
        self._shift = 0
        self._cost: float | None = None
        self._told = BEFORE_MEASURED

    @property
    def updates(self) -> int:
        """So far."""
        return self._newest

    def take(self, found: Any) -> None:
        """What one state had in it."""
        header, at, rows, counts = self._shape.parts(found)
        self._lanes = len(header)
        updates, looked = int(header[:, UPDATES].max()), int(header[:, LOOKED].max())
        if looked < self._looked - 2 * self._shape.rows:  # a state of before, or one that began anew
            if updates > self._shape.rows:
                return
            self._shift, self._looked, self._raw, self._seen = self._newest, 0, 0, -1
        elif looked <= self._looked and updates + self._shift <= self._newest:
            return
        new = (at > self._seen).any(0)
        self._seen = max(self._seen, int(at.max()))
        self._new.append((np.where(at >= 0, at.astype(np.int64) + self._shift, -1)[:, new], rows[:, new]))
        # Histograms may run over: only differences of them count.
        self._counts = self._counts + (counts.view(np.uint32) - self._raw).astype(np.uint32).astype(np.int64).sum(0)
        self._before += max(looked - self._looked, 0)
        self._raw, self._looked, self._newest = counts.view(np.uint32), looked, updates + self._shift

    def deliver(self) -> None:
        """Hand over what came since the last time: together, because each time costs more than each look."""
        if self._new:
            new, self._new = self._new, []
            at, rows = (np.concatenate([one[part] for one in new], 1) for part in (0, 1))
            at, rows = _merged(at, filled(rows.astype(np.float64), self._sizes))
            self._reader.take(Snapshot(self._newest, self._before, at, rows, self._counts))

    def pace(self, trainings: int) -> None:
        """Set how often states are kept and how far apart looks are."""
        apart = max(1, self._newest // max(self._receiver.count, 1))
        self._receiver.spacing = max(1, self._shape.rows // (2 * apart * trainings)) | 1
        if self._reader.fixed or self._newest < FIRST:
            return
        if self._cost is None:
            self._cost = _measure(self._variables)
        every = self._reader.paced(self._newest, self._before, self._cost * self._lanes)
        if abs(every - self._told) > _WORTH * self._told:
            self._told = every
            self._receiver.tell(every)


def _merged(at: Any, rows: Any) -> tuple[Any, Any]:
    """The ring of one lane; of several lanes or devices, rows of the same update as one."""
    if len(at) == 1:
        return at[0], rows[0]
    when = np.unique(at[at >= 0])
    return when, np.stack([_one(rows[at == update]) for update in when]) if len(when) else rows[0][:0]


def _one(lanes: Any) -> Any:
    """Rows of one update as one: counts add up, the largest stays, of the rest the mean of what is finite."""
    finite = np.isfinite(lanes)
    with np.errstate(invalid="ignore"):
        found = np.where(finite, lanes, 0.0).sum(0) / finite.sum(0)
    found = np.where(finite.any(0), found, lanes[0])
    found[:, _SUMMED] = lanes[:, :, _SUMMED].sum(0)
    found[:, _LARGEST] = lanes[:, :, _LARGEST].max(0)
    return found


def _measure(variables: Sequence[Variable]) -> float:
    """What a look costs: run on zeros, because inside of a compiled step nothing can be timed.

    There it takes longer than alone: it clips once more, and what it reads is not in the processor's cache.
    """
    zeros = [jnp.zeros(variable.shape) for variable in variables]
    call, nothing = jax.jit(lambda z: jax_pass.look(z, None, z, z)), jax.jit(lambda z: z[0])
    ready = jax.block_until_ready
    return _INSIDE * dearer(lambda: ready(call(zeros)), lambda: ready(nothing(zeros)))
