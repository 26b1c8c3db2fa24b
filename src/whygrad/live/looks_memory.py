"""The looks of a run, kept between two questions, so that a live page reads only what is new."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from whygrad.live.looks import Looks
from whygrad.live.reading import Reading

_MOST = 4096
_OLD = 60.0
"""Seconds after which everything is read again: a run that was resumed may have other numbers than before."""


class LooksMemory:
    """Of one run. The store merges old rows as it grows; finer ones that are still here do no harm."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._lock = threading.Lock()
        self._held: dict[int, list[Looks]] = {}
        self._read: dict[int, float] = {}

    def looks(self, group: int) -> Sequence[Looks]:
        """All there are, in order."""
        with self._lock:
            held = self._held.get(group, [])
            fresh = time.monotonic() - self._read.get(group, 0.0) < _OLD
            if len(held) < 2 or len(held) > _MOST or not fresh:
                return self._all(group)
            # The last row may still be filled: it is read again.
            new = self._reading.looks(group, held[-2].last)
            if not new or new[0].first != held[-1].first or new[-1].last < held[-1].last:
                return self._all(group)
            held[-1:] = new
            return list(held)

    def _all(self, group: int) -> Sequence[Looks]:
        self._held[group] = self._reading.looks(group)
        self._read[group] = time.monotonic()
        return list(self._held[group])
