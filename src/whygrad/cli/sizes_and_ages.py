"""Bytes and times as people say them, and back."""

from __future__ import annotations

import argparse

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def size(count: int) -> str:
    """`3.4 MB`."""
    number, unit = float(count), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if number < 999.5 or unit == "TB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "B" or number >= 9.95 else f"{number:.1f} {unit}"


def age(seconds: float) -> str:
    """`5m`, `3h`, `12d`."""
    whole = max(0, int(seconds))
    for unit, next_one in (("s", 60), ("m", 3600), ("h", 86400 * 2)):
        if whole < next_one:
            return f"{whole // _SECONDS[unit]}{unit}"
    return f"{whole // _SECONDS['d']}d"


def duration(text: str) -> float:
    """For argparse: `30d`, `12h`, `90m`, `2w` as seconds."""
    number, unit = text[:-1], text[-1:]
    try:
        found = float(number) * _SECONDS[unit]
    except (KeyError, ValueError):
        found = -1.0
    if not 0 <= found < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a time such as 30d, 12h, 90m or 2w, got {text!r}")
    return found
