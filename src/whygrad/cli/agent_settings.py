"""The settings of an agent on the command line: `--set field=value` read by the field's type, and their table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from difflib import get_close_matches
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from whygrad.cli.numbers import real, whole

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class BadSetting(ValueError):
    """A `--set` that names no setting, or gives it a value of the wrong kind."""


def parse(kind: type[Any], words: Sequence[str]) -> dict[str, Any]:
    """`field=value` words as settings of an agent, or of a world."""
    called = getattr(kind, "NAME", None) or kind.ID
    hints = get_type_hints(kind)
    names = list(kind.__dataclass_fields__)
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise BadSetting(f"--set takes field=value, and {word!r} has no '='.")
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise BadSetting(f"{called} has no setting {name!r}.{hint} Its settings are {', '.join(names)}.")
        try:
            found[name] = _parse(text.strip(), hints[name])
        except ValueError:
            raise BadSetting(f"{name} is {_called(hints[name])}, got {text!r}.") from None
    return found


def shown(value: Any) -> str:
    """A value as `--set` takes it."""
    if isinstance(value, tuple):
        return ",".join(map(shown, value))
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:_}" if isinstance(value, int) else str(value)


def table(rows: Sequence[tuple[str, ...]], width: int) -> str:
    """Words in columns; the last one is wrapped."""
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    lines = []
    for *words, text in rows:
        head = "".join(f"  {word:{size}}" for word, size in zip(words, sizes, strict=True)) + "  "
        lines += textwrap.wrap(text, max(width, len(head) + 20), initial_indent=head, subsequent_indent=" " * len(head))
    return "\n".join(lines)


def _parse(text: str, hint: Any) -> Any:
    if get_origin(hint) is tuple:
        return tuple(_parse(part, get_args(hint)[0]) for part in text.strip("()[], ").split(",") if part.strip())
    if NoneType in get_args(hint):
        return None if text.lower() == "none" else _parse(text, _without_none(hint))
    if hint is bool:
        if text.lower() not in (*_YES, *_NO):
            raise ValueError(text)
        return text.lower() in _YES
    if hint is int:
        return whole(text)
    return real(text) if hint is float else text


def _called(hint: Any) -> str:
    if get_origin(hint) is tuple:
        return "whole numbers with commas between them, such as 64,64"
    if NoneType in get_args(hint):
        return f"{_called(_without_none(hint))}, or none"
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(hint, "text")


def _without_none(hint: Any) -> Any:
    return next(part for part in get_args(hint) if part is not NoneType)
