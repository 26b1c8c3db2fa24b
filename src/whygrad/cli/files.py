"""Writing a report so that it is there whole or not at all."""

from __future__ import annotations

import os
import tempfile


def check_writable(path: str) -> str | None:
    """Why a file could not be written later, found out before a long run rather than after it."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        return f"{path!r} is a folder; give the name of a file for the report."
    if not os.path.isdir(folder):
        return f"the folder {folder!r} does not exist, so the report cannot be written there. Make it first."
    if not os.access(folder, os.W_OK):
        return f"no report can be written to {path!r}: the folder is not writable. Choose another place."
    return None


def write_whole(path: str, text: str) -> None:
    """Write to a temporary file beside it, force it to disk, and rename."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".whygrad-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
