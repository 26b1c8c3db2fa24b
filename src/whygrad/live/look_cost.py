"""What a look costs where it cannot be timed: inside of a compiled step."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

_ROUNDS = 12
_LEAST = 1e-6


def dearer(look: Callable[[], Any], nothing: Callable[[], Any]) -> float:
    """How many seconds longer a look takes than a call that does nothing.

    Both are called in turns and the fastest of each counts: on a busy machine a stretch in which all is slow must
    not fall on one of them alone.
    """
    looks, nothings = [], []
    for _ in range(_ROUNDS):  # the first ones compile
        looks.append(_took(look))
        nothings.append(_took(nothing))
    return max(min(looks) - min(nothings), _LEAST)


def _took(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
