"""What the commands print, on whatever is left to print on."""

from __future__ import annotations

import sys
from typing import TextIO

from whygrad.report.terminal import options_for


class Stream:
    """Standard output or error as it was at the start; a program may close it, or put its own in its place."""

    def __init__(self, stream: TextIO | None, descriptor: int) -> None:
        self._stream = stream
        self._descriptor = descriptor

    def usable(self) -> TextIO | None:
        """The stream, or a new one on the same file; None where even that is closed."""
        if self._stream is not None and not self._stream.closed:
            return self._stream
        try:
            return open(self._descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        except OSError:
            return None


def say(text: str) -> None:
    """Print text, with what the terminal cannot show written in plain characters."""
    page = options_for(sys.stdout).page()
    print("\n".join(page.clean(line) for line in text.split("\n")))


def fail(sentence: str) -> int:
    """One clear sentence on standard error, and the exit status for it."""
    stream = Stream(sys.stderr, 2).usable()
    try:
        if stream is not None:
            print(f"whygrad: {sentence}", file=stream, flush=True)
    except OSError:
        pass  # nobody listens
    return 2
