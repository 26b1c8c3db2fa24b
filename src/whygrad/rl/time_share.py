"""Something that is done as often as it takes no more than a share of the time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class TimeShare:
    """`allows` is true at first, and later whenever what was spent so far is no more than the share."""

    def __init__(self, share: float) -> None:
        self._share, self._spent, self._began = share, 0.0, time.perf_counter()

    def allows(self) -> bool:
        """Whether to do it now."""
        return self._spent <= self._share * (time.perf_counter() - self._began)

    @contextmanager
    def spending(self) -> Iterator[None]:
        """What the block takes counts."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._spent += time.perf_counter() - began
