"""What is swept, on the command line: `lr=1e-4..1e-2`, `seed=1..5`, `hidden=64,64/256,256`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whygrad.cli import agent_settings
from whygrad.cli.numbers import whole

if TYPE_CHECKING:
    from whygrad.rl.sweeping.axes import Axis


def parse(kind: type[Any], words: Sequence[str]) -> list[Axis]:
    """`field=low..high` and `field=one/another` words as axes; values are read as `--set` reads them."""
    from whygrad.rl.sweeping.axes import BadSweep, between, known_field, make_axis

    found = []
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise BadSweep(f"--over takes field=low..high or field=one/another, and {word!r} has no '='.")
        field = known_field(kind, name.strip())
        if not text.strip():
            raise BadSweep(f"--over {field}= has no values: {field}=low..high, or {field}=one/another.")
        low, dots, high = text.partition("..")
        if dots and "/" not in text:
            if not (low.strip() and high.strip()):
                raise BadSweep(f"a range has two ends, {field}=low..high, got {word!r}.")
            ends = [_value(kind, field, end) for end in (low, high)]
            numbers = all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends)
            if not numbers:
                raise BadSweep(f"{field} is no number and has no range; list its values: --over {field}=one/another")
            found.append(make_axis(kind, field, between(*ends)))
        else:
            found.append(make_axis(kind, field, [_value(kind, field, part) for part in text.split("/")]))
    return found


def _value(kind: type[Any], field: str, text: str) -> Any:
    from whygrad.rl.sweeping.axes import SEED

    if field != SEED:
        return agent_settings.parse(kind, [f"{field}={text}"])[field]
    try:
        return whole(text.strip())
    except (ValueError, OverflowError):
        raise agent_settings.BadSetting(f"a seed is a whole number, 0 or more, got {text!r}.") from None
