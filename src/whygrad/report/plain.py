"""Frozen dataclasses to plain JSON data and back, checked against their annotations. Nothing is ever unpickled."""

from __future__ import annotations

import dataclasses
import functools
import types
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class Unreadable(ValueError):
    """The data is not what it should be; the message says where."""


def to_plain(thing: Any) -> Any:
    """Lists, dicts and plain values, less the fields that have their default."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = dataclasses.fields(thing)
        values = {field.name: getattr(thing, field.name) for field in fields}
        return {
            field.name: to_plain(values[field.name])
            for field in fields
            if field.default is dataclasses.MISSING or values[field.name] != field.default
        }
    if isinstance(thing, tuple | list):
        return [to_plain(one) for one in thing]
    return thing


def from_plain(cls: type[T], data: Any, where: str) -> T:
    """An instance of a dataclass; keys it does not know are left alone, so that older programs read newer files."""
    if not isinstance(data, dict):
        raise Unreadable(f"{where} should be an object and is {_kind(data)}")
    given = {}
    shape: dict[str, tuple[Any, bool]] = _shape(cls)  # type: ignore[arg-type]
    for name, (hint, required) in shape.items():
        if name in data:
            given[name] = _value(hint, data[name], f"{where}.{name}")
        elif required:
            raise Unreadable(f"{where} has no {name!r}")
    return cls(**given)


@functools.cache
def _shape(cls: type[Any]) -> dict[str, tuple[Any, bool]]:
    hints = get_type_hints(cls)
    return {
        field.name: (
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(cls)
    }


def _value(hint: Any, data: Any, where: str) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return from_plain(hint, data, where)
    if origin in (Union, types.UnionType):
        rest = [part for part in parts if part is not type(None)]
        return None if data is None else _value(rest[0], data, where)
    if origin is Literal:
        if data not in parts:
            raise Unreadable(f"{where} should be one of {', '.join(map(repr, parts))} and is {data!r}")
        return data
    if origin is tuple:
        if not isinstance(data, list):
            raise Unreadable(f"{where} should be a list and is {_kind(data)}")
        return tuple(_value(parts[0], one, f"{where}[{index}]") for index, one in enumerate(data))
    if type(data) is not hint:
        raise Unreadable(f"{where} should be {_NAMES.get(hint, hint.__name__)} and is {_kind(data)}")
    return data


_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "an object", list: "a list"}


def _kind(data: Any) -> str:
    return "null" if data is None else _NAMES.get(type(data), "a number")
