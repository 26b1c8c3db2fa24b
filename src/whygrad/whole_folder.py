"""Writing a folder of files so that it is there whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from whygrad.whole_file import settle


def write_folder(path: str | os.PathLike[str], files: Mapping[str, bytes], ours: Callable[[str], bool]) -> None:
    """Write files into a folder that takes its name when all of them are on disk.

    A folder of that name is replaced if nothing is in it but files that are `ours` by their names.
    """
    full = Path(os.path.realpath(path))
    trouble = not_replaceable(full, ours)
    if trouble:
        raise FileExistsError(trouble)
    new, old = (full.with_name(f".{full.name}.{os.getpid()}.{kind}") for kind in ("new", "old"))
    try:
        new.mkdir()
        for name, data in files.items():
            with open(new / name, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        settle(str(new))
        if full.exists():
            full.rename(old)  # a folder that is not empty cannot be replaced in one step
        try:
            new.rename(full)
        except OSError:
            if old.exists():
                old.rename(full)
            raise
        settle(str(full.parent))
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def not_replaceable(path: str | os.PathLike[str], ours: Callable[[str], bool]) -> str | None:
    """Why a folder cannot be written: something is there that it would be a pity to lose."""
    full = Path(os.path.realpath(path))
    if full.exists() and not full.is_dir():
        return f"{str(path)!r} is a file; give the name of a folder."
    others = sorted(name for name in os.listdir(full) if not ours(name)) if full.exists() else []
    if others:
        return f"the folder {str(path)!r} has other files in it, such as {others[0]!r}. Give the name of a new folder."
    if not full.parent.is_dir():
        return f"the folder {str(full.parent)!r} does not exist. Make it first."
    return None if os.access(full.parent, os.W_OK) else f"the folder {str(full.parent)!r} is not writable."
