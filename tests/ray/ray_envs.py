"""Environments for workers: steps that can be told apart, and steps that fail, hang or end their process."""

from __future__ import annotations

import os
import time
from pathlib import Path

import gymnasium
import numpy as np


class Numbered(gymnasium.Env):
    """Every step of every process has a number of its own: (process, count). Episodes are nine steps long."""

    def __init__(self, pause: float = 0.0) -> None:
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self._count, self._at, self._pause = 0, 0, pause

    def reset(self, *, seed=None, options=None):
        self._at = 0
        return self._seen(), {}

    def step(self, action):
        if self._pause:
            time.sleep(self._pause)
        self._at += 1
        return self._seen(), float(action), self._at == 9, False, {}

    def _seen(self):
        self._count += 1
        return np.array([os.getpid(), self._count], np.float32)


class Troubled(Numbered):
    """Once, at its twentieth step, something happens: a file in `folder` says that it has. `often`: at every third."""

    def __init__(self, folder: str, trouble: str, often: bool = False) -> None:
        super().__init__()
        self._mark, self._trouble, self._often = Path(folder) / "happened", trouble, often

    def step(self, action):
        if (self._count >= 3 and self._often) or (self._count >= 20 and self._first()):
            if self._trouble == "raise":
                raise KeyError("the simulator lost its map")
            if self._trouble == "hang":
                time.sleep(3600)
            os.kill(os.getpid(), 9)
        return super().step(action)

    def _first(self) -> bool:
        """Whether nobody was here before: of two processes at the same moment, one."""
        try:
            self._mark.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True
