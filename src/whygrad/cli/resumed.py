"""What cannot be said again when something that was begun goes on."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable


def said_anew(options: argparse.Namespace, command: str, new_only: Iterable[str], new: str, kept: str) -> str | None:
    """A sentence when an option for a `new` one is given with `--resume`; `kept` is what the resumed one is called."""
    if options.algorithm is not None:
        return f"a resumed {kept} keeps its algorithm: whygrad {command} --resume {shlex.quote(options.resume)}"
    for name in new_only:
        if getattr(options, name) not in (None, False):
            again = "one" if kept == new else kept
            return f"--{name.replace('_', '-')} is for a new {new}; a resumed {again} keeps what it began with."
    return None
