"""Runs as people name them on a command line: by the folder, or by the name of a folder in `runs`."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whygrad.live.run_listing import Run


class NoRun(ValueError):
    """A name that leads to no run; says what was meant, perhaps."""


def missing(extra: str = "watch") -> str | None:
    """What has to be installed first."""
    there = importlib.util.find_spec("numpy") is not None
    return None if there else f"this needs numpy, not installed here: pip install 'whygrad[{extra}]'"


def no_folder(folder: str) -> str | None:
    """Why a folder has no runs to show."""
    if os.path.isdir(folder):
        return None
    if os.path.exists(folder):
        return f"{folder!r} is a file; give a folder of runs."
    if folder == "runs":
        return (
            "there is no folder 'runs' here. Train something first (whygrad train, whygrad.watch), or say where it is."
        )
    return f"there is no folder {folder!r}."


def find_run(text: str) -> Run:
    """The run of this name, or `NoRun` with a sentence."""
    from whygrad.live.run_listing import Runs, run_at

    for folder in (Path(text), Path("runs") / text):
        found = run_at(folder)
        if found is not None:
            return found
    folder = Path(text) if Path(text).is_dir() else Path("runs")
    newest = [os.path.join(folder, run.name) for run in Runs(folder).all()[:3]] if folder.is_dir() else []
    others = f" The newest runs there: {', '.join(map(repr, newest))}." if newest else ""
    raise NoRun(f"{text!r} is no run: there is no record (watch.db) and no settings.json.{others}")
