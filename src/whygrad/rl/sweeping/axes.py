"""What a sweep varies, as plain data, and the configurations that follow from it.

An axis lists its values or is a range. Lists are combined, every value with every other. From ranges values are drawn,
all ranges together: drawing `n` times gives `n` configurations, however many ranges there are. Each range is cut into
`n` parts of the same size and gives one value out of each (a Latin hypercube), so that few draws still cover it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from types import NoneType
from typing import Any, get_args, get_type_hints

SEED = "seed"
"""The axis that repeats: all configurations are trained with each of its values."""
ALIASES = {"lr": "learning_rate"}
FEW = 10
"""A range of so many whole numbers is all of them."""
MOST = 10_000
"""Trainings in one sweep; more is a slip of the pen."""
_LOG = 10.0
"""A range is logarithmic when its upper end is so many times its lower one, or more."""
_DIGITS = 3
"""Of a value that was drawn: it has to be read and typed again."""


class BadSweep(ValueError):
    """What is to be swept cannot be; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Between:
    """A range of numbers for `over`; see `between`."""

    low: float
    high: float


def between(low: float, high: float) -> Between:
    """A range to draw values from: `sweep(DQN, …, over={"lr": between(1e-4, 1e-2)})`."""
    return Between(low, high)


@dataclass(frozen=True, slots=True)
class Axis:
    """One setting and the values it takes: those listed, or some between two ends."""

    field: str
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False

    @property
    def drawn(self) -> bool:
        """Whether its values are drawn from a range."""
        return not self.values

    @property
    def log(self) -> bool:
        """Whether its range is one of powers: equal steps multiply."""
        return self.drawn and self.low > 0 and self.high >= _LOG * self.low

    def draw(self, count: int, seed: int) -> list[Any]:
        """One value out of each of `count` equal parts of the range, in any order.

        They follow from the seed and the name of the setting alone: another range beside it changes none of them.
        """
        rng = random.Random(f"{seed} {self.field}")
        shares = [(part + rng.random()) / count for part in range(count)]
        rng.shuffle(shares)
        return [self._at(share) for share in shares]

    def _at(self, share: float) -> Any:
        if self.log:
            value = self.low * (self.high / self.low) ** share
        else:
            value = self.low + share * (self.high - self.low)
        if self.whole:
            return min(max(round(value), math.ceil(self.low)), math.floor(self.high))
        return min(max(float(f"{value:.{_DIGITS}g}"), self.low), self.high)


def make_axis(kind: type[Any], name: str, given: Any) -> Axis:
    """An axis for a setting of an agent, or for the seed: of values in a list, or of a range."""
    field = known_field(kind, name)
    if isinstance(given, Between):
        return _range(field, _hint(kind, field), given.low, given.high)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise BadSweep(f"{field} is swept over a list, [1, 2, 3], or a range, between(1, 10); got {given!r}")
    values = tuple(value.tolist() if hasattr(value, "tolist") else value for value in given)  # NumPy's numbers
    if not values:
        raise BadSweep(f"{field} has no value to sweep over")
    twice = next((value for at, value in enumerate(values) if value in values[:at]), None)
    if twice is not None:
        raise BadSweep(f"{field} has the value {twice!r} twice")
    if field == SEED:
        _check_seeds(values)
    return Axis(field, values)


def known_field(kind: type[Any], name: str) -> str:
    """The setting that is meant by a name; `BadSweep` where an agent has none of that name."""
    fields = list(kind.__dataclass_fields__)
    field = name if name in fields else ALIASES.get(name, name)
    if field in fields or field == SEED:
        return field
    near = get_close_matches(field, [*fields, SEED], n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    called = getattr(kind, "NAME", kind.__name__)
    raise BadSweep(f"{called} has no setting {name!r}.{hint} Its settings are {', '.join(fields)}; and there is seed.")


def configurations(axes: Sequence[Axis], samples: int, seed: int) -> list[dict[str, Any]]:
    """The settings of each configuration: lists crossed with lists, and both with what was drawn. Without the seed."""
    swept = [axis for axis in axes if axis.field != SEED]
    drawn = [axis for axis in swept if axis.drawn]
    sampled = sorted(zip(*(axis.draw(samples, seed) for axis in drawn), strict=True)) if drawn else [()]
    listed = [axis for axis in swept if not axis.drawn]
    found: list[dict[str, Any]] = []
    for values in product(*(axis.values for axis in listed)):
        for some in sampled:
            pairs = [*zip(listed, values, strict=True), *zip(drawn, some, strict=True)]
            by_name = {axis.field: value for axis, value in pairs}
            one = {axis.field: by_name[axis.field] for axis in swept}  # in the order in which they were given
            if one not in found:  # few whole numbers can be drawn twice
                found.append(one)
    return found


def seeds(axes: Sequence[Axis]) -> tuple[int, ...]:
    """The seeds that every configuration is trained with."""
    return next((axis.values for axis in axes if axis.field == SEED), (0,))


def check_axes(axes: Sequence[Axis], fixed: Mapping[str, Any]) -> None:
    """`BadSweep` where a setting is given twice, or nothing is swept."""
    fields = [axis.field for axis in axes]
    if not fields:
        raise BadSweep("over what? --over lr=1e-4..1e-2 --over seed=1..5")
    for at, field in enumerate(fields):
        if field in fields[:at]:
            raise BadSweep(f"{field} is swept over twice; give all of its values at once")
        if field in fixed:
            raise BadSweep(f"{field} is both set and swept over; leave one of them out")


def _range(field: str, hint: Any, low: float, high: float) -> Axis:
    parts = set(get_args(hint)) - {NoneType} or {hint}
    if not parts <= {int, float}:
        raise BadSweep(f"{field} is no number and has no range; list its values: --over {field}=one/another")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise BadSweep(f"a range has two finite ends, and {field} has {low} and {high}")
    if low > high:
        raise BadSweep(f"the range {low:g}..{high:g} of {field} is empty: write {field}={high:g}..{low:g}")
    whole = parts == {int}
    if whole:
        if low != int(low) or high != int(high):
            raise BadSweep(f"{field} is a whole number, and its range is {low:g}..{high:g}")
        low, high = int(low), int(high)
        if field == SEED or high - low < FEW:
            if high - low >= MOST:
                raise BadSweep(
                    f"{field}={low}..{high} are {high - low + 1:,} values; a sweep has at most {MOST:,} trials"
                )
            values = tuple(range(int(low), int(high) + 1))
            if field == SEED:
                _check_seeds(values)
            return Axis(field, values)
    return Axis(field, (low,)) if low == high else Axis(field, low=low, high=high, whole=whole)


def _hint(kind: type[Any], field: str) -> Any:
    return int if field == SEED else get_type_hints(kind)[field]


def _check_seeds(values: Sequence[Any]) -> None:
    for value in values:
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise BadSweep(f"a seed is a whole number, 0 or more, got {value!r}")
