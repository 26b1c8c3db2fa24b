"""Text that changes in place in a terminal; elsewhere one frame after the other."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

HIDE, SHOW, CLEAR = "\x1b[?25l", "\x1b[?25h", "\x1b[K"


class Live:
    """Shows frames for a while each. Leaving the block, however that happens, gives the cursor back."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.moves = self._stream.isatty() and os.environ.get("TERM") != "dumb"
        """Whether frames replace each other."""
        self._lines = 0
        self._due = 0.0

    @property
    def columns(self) -> int:
        """How long a line may be; a longer one would take two, and frames would not replace each other."""
        return shutil.get_terminal_size((80, 24)).columns if self.moves else 1000

    def fits(self, columns: int, rows: int) -> bool:
        """Whether frames of this size can replace each other here; one line is the cursor's."""
        return not self.moves or (columns <= self.columns and rows < shutil.get_terminal_size((80, 24)).lines)

    def show(self, text: str, seconds: float) -> None:
        """A frame that stays at least this long. Where frames do not replace each other nobody has to wait."""
        if not self.moves:
            print(text + "\n", file=self._stream)
            return
        time.sleep(max(0.0, self._due - time.monotonic()))
        lines = text.split("\n")
        up = f"\x1b[{self._lines}F" if self._lines else ""
        self._stream.write(up + "".join(f"{line}{CLEAR}\n" for line in lines))
        self._stream.flush()
        self._lines, self._due = len(lines), time.monotonic() + seconds

    def __enter__(self) -> Live:
        if self.moves:
            self._stream.write(HIDE)
        return self

    def __exit__(self, *_: object) -> None:
        if self.moves:
            self._stream.write(SHOW)
            self._stream.flush()
