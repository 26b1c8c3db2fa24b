"""Games of Snake, played by a process of their own: this server never imports a framework.

A game is played once for each checkpoint, and only when a page asks for it.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

_COMMAND = [sys.executable, "-m", "whygrad.rl.snake_game"]
_TIME = 600.0
"""Seconds: frameworks take a while to import, and more on a machine that is training."""
_KEPT = 8


class SnakeGames:
    """The newest game of each run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._games: dict[Path, dict[str, Any]] = {}
        self._playing: dict[Path, subprocess.Popen[str]] = {}

    def game(self, folder: Path, shown: str = "") -> dict[str, Any]:
        """The game of the newest checkpoint; while it is being played, the one before, with `playing` true.

        The boards of a game that the page shows already are not sent again.
        """
        newest = _newest(folder)
        with self._lock:
            known = self._games.get(folder)
            if newest is None:
                return {"playing": False, "game": None, "trouble": "There is no checkpoint yet."}
            stamp = f"{newest.stem}-{newest.stat().st_mtime_ns}"
            if known is not None and known["stamp"] == shown:
                known = {**known, "game": None}
            if known is not None and known["stamp"] == stamp:
                return {"playing": False, **known}
            if not self._playing:  # one at a time: it shares the machine with the training
                self._start(folder, newest, stamp)
            return {"playing": True, "game": None, "trouble": "", **(known or {})}

    def close(self) -> None:
        """End what is being played."""
        with self._lock:
            for process in self._playing.values():
                process.kill()

    def _start(self, folder: Path, checkpoint: Path, stamp: str) -> None:
        process = subprocess.Popen(
            [*_COMMAND, str(folder), checkpoint.stem],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment(folder),
        )
        self._playing[folder] = process
        threading.Thread(target=self._wait, args=(folder, process, stamp), daemon=True).start()

    def _wait(self, folder: Path, process: subprocess.Popen[str], stamp: str) -> None:
        try:
            out, error = process.communicate(timeout=_TIME)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            out, error = "", f"The game took longer than {_TIME:.0f} seconds."
        found: dict[str, Any] = {"stamp": stamp, "game": None, "trouble": ""}
        try:
            found["game"] = json.loads(out)
        except ValueError:
            lines = [line for line in error.splitlines() if line.strip()]
            found["trouble"] = lines[-1] if lines else "The game could not be played."
        with self._lock:
            del self._playing[folder]
            self._games.pop(folder, None)
            self._games[folder] = found
            for old in list(self._games)[:-_KEPT]:
                del self._games[old]


def _newest(folder: Path) -> Path | None:
    files = [file for name in ("best", "last") if (file := folder / "checkpoints" / f"{name}.npz").is_file()]
    return max(files, key=lambda file: file.stat().st_mtime_ns, default=None)


def _environment(folder: Path) -> dict[str, str]:
    """The same whygrad and the run's own framework, on the processor: a device is left to the training."""
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]))
    kept = {"JAX_PLATFORMS": "cpu", "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONUTF8": "1"}
    return {**os.environ, **kept, "PYTHONPATH": path, "KERAS_BACKEND": _backend(folder)}


def _backend(folder: Path) -> str:
    """What the run was trained with, where it is installed; a checkpoint can be read by any other, too."""
    try:
        own = str(json.loads((folder / "settings.json").read_bytes())["versions"]["backend"])
    except (OSError, ValueError, KeyError, TypeError):
        own = ""
    wanted = [name for name in (own, "jax", "torch", "tensorflow") if name in ("jax", "torch", "tensorflow")]
    return next((name for name in wanted if importlib.util.find_spec(name) is not None), "jax")
