"""Settings as people read and write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def value_text(value: Any) -> str:
    """A value as `--set` takes it: `0.001`, `64,64`, `true`, `none`."""
    if isinstance(value, tuple | list):
        return ",".join(map(value_text, value))
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def named(settings: Mapping[str, Any], between: str = "_") -> str:
    """Settings in one word, or in several."""
    return between.join(f"{name}={value_text(value)}" for name, value in settings.items())
