"""Numbers as people write them on a command line."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable


def whole(text: str) -> int:
    """`50000`, `50_000` or `5e4`; a `ValueError` for what is no whole number."""
    try:
        return int(text)
    except ValueError:
        number = real(text)
        if number != int(number):
            raise
        return int(number)


def real(text: str) -> float:
    """A finite number; a `ValueError` for anything else."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text!r} is not finite")
    return number


def at_least(least: int) -> Callable[[str], int]:
    """For argparse: a whole number that is not smaller."""

    def parse(text: str) -> int:
        try:
            number = whole(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"expected a whole number of {least} or more, got {text!r}")
        return number

    return parse
