"""Writing a report so that it is there whole or not at all."""

from __future__ import annotations

import os

from whygrad.whole_file import whole_file


def check_writable(path: str, what: str = "report") -> str | None:
    """Why a file could not be written later, found out before a long run rather than after it."""
    if not path:
        return f"the name of the {what}'s file is empty."
    full = os.path.realpath(path)
    folder = os.path.dirname(full)
    if os.path.isdir(full):
        return f"{path!r} is a folder; give the name of a file for the {what}."
    if not os.path.isdir(folder):
        return f"the folder {folder!r} does not exist, so the {what} cannot be written there. Make it first."
    if os.path.exists(full) and not os.access(full, os.W_OK):
        return f"no {what} can be written to {path!r}: the file is not writable. Choose another place."
    if not _special(full) and not os.access(folder, os.W_OK):
        return f"no {what} can be written to {path!r}: the folder is not writable. Choose another place."
    return None


def write_whole(path: str, text: str) -> None:
    """Write a file whole; a pipe or a device is written to directly."""
    if _special(path):
        with open(path, "w", encoding="utf-8") as special:
            special.write(text)
        return
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def _special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)
