"""What becomes of a training that is one loop (`lax.scan`): its first rounds, two by two, run once more in Python.

Two rounds are written down of such a loop: the first ones, unless it is seen within some seconds that something stops
being finite, or that a gradient comes to nothing and stays so. Then it is the two rounds in which that is so.
"""

from __future__ import annotations

import time
from typing import Any

import numpy

from whygrad.trace.jax_rerun import plain
from whygrad.trace.jax_scopes import Asked, Ran
from whygrad.trace.jax_vocabulary import is_float

_SECONDS = 4.0
_ROUNDS = 128
_STAYS = 16
"""After so many rounds without it a gradient does not come back."""

Found = dict[Any, Any]


class LaterRounds:
    """Runs training loops further, within one budget for all of them."""

    def __init__(self) -> None:
        self._left = _SECONDS

    def look(
        self, ran: Ran, function: Any, wanted: list[Any], rows: list[Any], given: list[Any], results: list[Any],
        first: Found,
    ) -> Found:  # fmt: skip
        """The two rounds to write down. `function` runs two and gives their values, and what is carried on."""
        if ran.scan is None or ran.scan[3] or ran.scan[2] < 4:
            return first
        fixed, carried, length, _ = ran.scan
        gradients = [v for v in _gradients(ran) if v in first]
        zeros = dict.fromkeys(gradients, 0)
        before = now = first
        begun, done = time.process_time(), 2
        while True:
            if _broken(now, ran, carried):
                self._left -= time.process_time() - begun
                return _joined(before, now) if _broken_at_once(now, ran, carried) and now is not first else now
            for variable in gradients:
                zeros[variable] = zeros[variable] + 2 if not now[variable].any() else 0
            spent = time.process_time() - begun
            if done + 2 > min(length, _ROUNDS) or spent > self._left:
                break
            carry = results[len(wanted) :]
            results = function(*given[:fixed], *carry, *(row[done : done + 2] for row in rows))
            before, now = now, {v: plain(r) for v, r in zip(wanted, results, strict=False) if r is not None}
            done += 2
        self._left -= time.process_time() - begun
        died = any(zeros[v] >= _STAYS and first[v].any() for v in gradients)
        return now if died else first


def _gradients(ran: Ran) -> list[Any]:
    """What the loop's body gets when it asks for gradients."""
    asked = [item for item in ran.body.items if isinstance(item, Asked)]
    numbers = [n for item in asked for n in item.gradients or ()]
    return [variable for n in numbers if (variable := ran.body.variables.get(n)) is not None]


def _broken(found: Found, ran: Ran, carried: int) -> bool:
    """Whether something that the loop carries on is no longer finite."""
    return any(not numpy.isfinite(a).all() for a in _kept(found, ran, carried))


def _broken_at_once(found: Found, ran: Ran, carried: int) -> bool:
    """Whether it was so in the first of two rounds already."""
    return any(not numpy.isfinite(a[0]).all() for a in _kept(found, ran, carried))


def _kept(found: Found, ran: Ran, carried: int) -> list[Any]:
    outs = [v for v in ran.jaxpr.outvars[:carried] if v.__hash__ is not None]
    return [a for v in outs if (a := found.get(v)) is not None and is_float(a.dtype)]


def _joined(before: Found, now: Found) -> Found:
    """The last round before and the first one of now."""
    return {v: numpy.stack([before[v][-1], a[0]]) for v, a in now.items() if v in before}
