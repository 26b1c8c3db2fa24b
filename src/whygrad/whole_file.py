"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

UNFINISHED = ".unfinished"
"""How the temporary file's name ends: all that a process killed while writing leaves behind."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write into. It takes its name only when all of it is on disk; after an exception nothing has changed.

    The temporary file lies in the same folder, because only then is the renaming one step.
    """
    full = os.path.realpath(path)
    folder, name = os.path.split(full)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}{UNFINISHED}")
    try:
        with open(temporary, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(full):
            os.chmod(temporary, stat.S_IMODE(os.stat(full).st_mode))
        os.replace(temporary, full)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
    settle(folder)


def settle(folder: str) -> None:
    """Have the names in a folder on disk too: a power cut could bring an old file back."""
    if os.name != "posix":  # Windows cannot open folders
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
