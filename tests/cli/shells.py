"""Shells that somebody types into: a line with Tab at its end goes in, what the shell made of the line comes out."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from pathlib import Path

HOME, END = "\x01", "\x05"
"""Keys that go to the beginning and the end of a line."""


class Typed:
    """A shell on a terminal of its own. Leaving the block ends it."""

    def __init__(self, command: list[str], folder: Path, prepare: str) -> None:
        self._answer = folder / ".answer"
        self._child, self._terminal = pty.fork()
        if self._child == 0:
            os.chdir(folder)
            kept = {k: os.environ[k] for k in ("PATH", "LANG") if k in os.environ}
            os.execvpe(command[0], command, {**kept, "HOME": str(folder), "TERM": "xterm", "PS1": "$ "})
        self._write(f"{prepare}\n")
        assert self._print("ready") == "ready"

    def line_after(self, typed: str) -> str:
        """What the line is after Tab was pressed at its end."""
        return self._print(f"{typed}\t")

    def __enter__(self) -> Typed:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self._child, signal.SIGKILL)
        os.waitpid(self._child, 0)
        os.close(self._terminal)

    def _print(self, line: str) -> str:
        """Have the words of the line printed to a file, instead of having them run."""
        self._write(f"{line}{HOME}printf '%s ' {END} end > .part; mv .part .answer\n")
        until = time.monotonic() + 30
        while not self._answer.exists():
            shown = self._shown()
            assert time.monotonic() < until, f"the shell shows nothing more after {shown!r}"
        words = self._answer.read_text().split()
        self._answer.unlink()
        assert words.pop() == "end"
        return " ".join(words)

    def _write(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def _shown(self) -> bytes:
        """What the terminal shows; a shell whose output nobody reads waits."""
        ready, _, _ = select.select([self._terminal], [], [], 0.05)
        return os.read(self._terminal, 65536) if ready else b""
