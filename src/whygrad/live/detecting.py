"""From looks to events: a gradient that is absent, not finite, dead, clipped away or exploding; a target that stands.

Everything is decided from numbers alone. What an event says of the cause is for the rule that it names; the diagnosis
of the first updates (`whygrad run`, or `explain=True` while watching) names lines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from whygrad.live.event import Event
from whygrad.live.looks import INDEX, Looks

SINCE = 8
"""So many looks in a row must agree before something that may pass is told."""
LEFT = 0.05
"""A clip that leaves less than this share takes nearly everything."""
LEAP = 1e3
PATIENCE = 10_000
"""Updates that a target may stand still: Stable-Baselines3's DQN copies its own every 2,500."""
_PRESENT, _NORM, _APPLIED = INDEX["present"], INDEX["norm"], INDEX["applied"]
_NANS, _INFS = INDEX["nans"], INDEX["infs"]


class Detector:
    """What is known of one group so far. Each thing is told once, and again only after it was over."""

    def __init__(self, names: Sequence[str], frozen: Sequence[bool] | None = None) -> None:
        self._names = list(names)
        count = len(self._names)
        self._frozen = np.array(frozen if frozen is not None else [False] * count, bool)
        self._seen = np.zeros(count, bool)  # had a gradient at some time
        self._alive = np.full(count, -1)  # the last look with a gradient that was not zero
        self._absent, self._absent_at = np.zeros(count, int), np.full(count, -1)
        self._dead, self._dead_at = np.zeros(count, int), np.full(count, -1)
        self._told_absent = np.zeros(count, bool)
        self._told_dead = np.zeros(count, bool)
        self._broken = np.zeros(count, bool)
        self._clipped, self._clipped_at, self._told_clip = 0, -1, False
        self._totals: deque[float] = deque(maxlen=64)
        self._most, self._told_leap = 0.0, False

    def take(self, looks: Sequence[Looks]) -> Iterator[Event]:
        """More looks, in order."""
        if looks and self._is_calm(looks):
            return  # nearly always, and looks come by the thousand
        for look in looks:
            yield from self._take(look)

    def _is_calm(self, looks: Sequence[Looks]) -> bool:
        """Whether nothing is odd in any of these looks, nor was before; then they are remembered all at once."""
        if self._absent.any() or self._dead.any() or self._broken.any() or self._clipped or self._told_leap:
            return False
        rows = np.stack([look.rows for look in looks])
        norms, applied = rows[:, :, _NORM], rows[:, :, _APPLIED]
        if not ((rows[:, :, _PRESENT] > 0) & (norms > 0) & np.isfinite(norms) & np.isfinite(applied)).all():
            return False
        if rows[:, :, [_NANS, _INFS]].any():
            return False
        totals = np.sqrt(np.square(norms).sum(axis=1))
        usual = self._usual()
        if (np.sqrt(np.square(applied).sum(axis=1)) < LEFT * totals).any() or not usual or totals.max() > LEAP * usual:
            return False
        self._seen[:] = True
        self._alive[:] = looks[-1].last
        self._totals.extend(totals.tolist())
        self._most = max(self._most, float(totals.max()))
        return True

    def _usual(self) -> float:
        return float(np.median(self._totals)) if len(self._totals) >= SINCE else 0.0

    def _take(self, look: Looks) -> Iterator[Event]:
        rows, at = look.rows, look.last
        present = rows[:, _PRESENT] > 0
        yield from self._absence(present, at)
        # Also what was finite and no longer is when the optimizer gets it.
        spoiled = np.isfinite(rows[:, _NORM]) & ~np.isfinite(rows[:, _APPLIED])
        broken = present & ((rows[:, _NANS] > 0) | (rows[:, _INFS] > 0) | spoiled)
        yield from self._numbers(rows, broken, at)
        yield from self._death(rows, present & ~broken, at)
        total = _length(rows[present & ~broken, _NORM])
        if not broken.any() and total > 0:
            yield from self._leap(total, at)
            yield from self._clip(total, _length(rows[present, _APPLIED]), at)
        self._seen |= present

    def _absence(self, present: Any, at: int) -> Iterator[Event]:
        if not present.any():
            return  # an update without any gradient: there was nothing to learn from
        missing = ~present
        self._absent_at[missing & (self._absent == 0)] = at
        self._absent = np.where(missing, self._absent + 1, 0)
        self._told_absent &= missing
        # One that had a gradient in the look before lost it; one that never had any waits a little for its loss.
        long = (self._absent >= SINCE) | self._frozen
        yield from self._tell_absent(missing & ~self._told_absent & long)

    def end(self) -> Iterator[Event]:
        """Training is over: what was so in every look is told although there were few."""
        yield from self._tell_absent((self._absent > 0) & ~self._seen & ~self._told_absent)

    def _tell_absent(self, which: Any) -> Iterator[Event]:
        for place in np.flatnonzero(which):
            self._told_absent[place] = True
            name, began = self._names[place], int(self._absent_at[place])
            if self._frozen[place]:
                code, why = "W109", "it is frozen, and the optimizer is given it to train"
            else:
                code, why = "W105", "nothing that the loss is made of leads back to it"
            lost = " any more" if self._seen[place] else ""
            yield Event(began, "absent", code, name, f"{name} gets no gradient{lost} since update {began}: {why}.")

    def _numbers(self, rows: Any, broken: Any, at: int) -> Iterator[Event]:
        new = broken & ~self._broken
        self._broken = broken
        if not new.any():
            return
        places = np.flatnonzero(new)
        what = "infinite" if (rows[places, _INFS] > 0).any() and not rows[places, _NANS].any() else "NaN"
        names = [self._names[place] for place in places]
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield Event(at, "not-finite", "W402", names[0], f"The gradient of {names[0]}{others} is {what} in update {at}.")

    def _death(self, rows: Any, able: Any, at: int) -> Iterator[Event]:
        zero = able & (rows[:, _NORM] == 0)
        self._dead_at[zero & (self._dead == 0)] = at
        self._dead = np.where(zero, self._dead + 1, np.where(able, 0, self._dead))
        alive = able & ~zero
        self._alive[alive] = at
        self._told_dead &= ~alive
        for place in np.flatnonzero(zero & ~self._told_dead & (self._dead >= SINCE)):
            self._told_dead[place] = True
            name, began, before = self._names[place], int(self._dead_at[place]), int(self._alive[place])
            past = f"; it was alive in update {before}" if before >= 0 else ""
            yield Event(began, "dead", "W401", name, f"The gradient of {name} is zero since update {began}{past}.")

    def _leap(self, total: float, at: int) -> Iterator[Event]:
        usual = self._usual()
        # Near its end a training has tiny gradients: only what was never there before counts.
        leaps = usual > 0 and total > max(LEAP * usual, 10 * self._most)
        if leaps and not self._told_leap:
            yield Event(
                at,
                "exploding",
                "W404",
                "",
                f"The norm of all gradients is {total:.3g} in update {at}, {total / usual:.0f} times what was usual.",
            )
        self._told_leap, self._most = leaps, max(self._most, total)
        self._totals.append(total)

    def _clip(self, before: float, after: float, at: int) -> Iterator[Event]:
        if not after < LEFT * before:
            self._clipped, self._told_clip = 0, False
            return
        if not self._clipped:
            self._clipped_at = at
        self._clipped += 1
        if self._clipped >= SINCE and not self._told_clip:
            self._told_clip = True
            left = "nothing" if after == 0 else f"{100 * after / before:.2g} %"
            yield Event(
                self._clipped_at,
                "clipped-away",
                "W405",
                "",
                f"Clipping leaves {left} of the gradient since update {self._clipped_at}: a norm of {before:.3g} "
                f"becomes {after:.3g}.",
            )


class StandingTarget:
    """Notices a target network that does not follow its online network."""

    def __init__(self, name: str, patience: int | None = None) -> None:
        self._name, self._patience = name, PATIENCE if patience is None else patience
        self._mark: float | None = None
        self._since = 0
        self._told = False

    def take(self, at: int, mark: float) -> Iterator[Event]:
        """`mark` is any number that changes with the weights of the target."""
        if mark != self._mark:
            self._mark, self._since, self._told = mark, at, False
        elif at - self._since >= self._patience and not self._told:
            self._told = True
            yield Event(
                self._since,
                "standing-target",
                "W503",
                self._name,
                f"The target {self._name} did not change in {at - self._since:,} updates: it never follows.",
            )


def _length(norms: Any) -> float:
    return float(np.sqrt(np.nansum(np.square(norms)))) if len(norms) else 0.0
