"""Writing a report so that it is there whole or not at all."""

from __future__ import annotations

import os
import stat


def check_writable(path: str) -> str | None:
    """Why a file could not be written later, found out before a long run rather than after it."""
    if not path:
        return "the name of the report's file is empty."
    full = os.path.realpath(path)
    folder = os.path.dirname(full)
    if os.path.isdir(full):
        return f"{path!r} is a folder; give the name of a file for the report."
    if not os.path.isdir(folder):
        return f"the folder {folder!r} does not exist, so the report cannot be written there. Make it first."
    if os.path.exists(full) and not os.access(full, os.W_OK):
        return f"no report can be written to {path!r}: the file is not writable. Choose another place."
    if not _special(full) and not os.access(folder, os.W_OK):
        return f"no report can be written to {path!r}: the folder is not writable. Choose another place."
    return None


def write_whole(path: str, text: str) -> None:
    """Write to a temporary file beside it, force it to disk, and rename; a pipe or a device is written to directly."""
    full = os.path.realpath(path)
    if _special(path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    temporary = f"{full}.whygrad-{os.getpid()}"
    try:
        with open(temporary, "x", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(full):
            os.chmod(temporary, stat.S_IMODE(os.stat(full).st_mode))
        os.replace(temporary, full)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)
