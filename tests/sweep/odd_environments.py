"""Environments that go wrong, for sweeps to report."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.classic_control.cartpole import CartPoleEnv


class Crashes(CartPoleEnv):
    """Its simulator crashes in the step of that number, counted in this process."""

    steps = 0
    LAST = 150

    def step(self, action: Any) -> Any:
        Crashes.steps += 1
        if Crashes.steps > self.LAST:
            raise RuntimeError("the simulator has crashed")
        return super().step(action)


class DiesOnce(CartPoleEnv):
    """Its process is killed in its hundredth step, once: the marker is a file that is there afterwards."""

    steps = 0

    def __init__(self, marker: str, **options: Any) -> None:
        super().__init__(**options)
        self._marker = Path(marker)

    def step(self, action: Any) -> Any:
        DiesOnce.steps += 1
        if DiesOnce.steps == 100 and not self._marker.exists():
            self._marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step(action)


gymnasium.register("DiesOnce-v0", entry_point=DiesOnce, max_episode_steps=200)
gymnasium.register("Crashes-v0", entry_point=Crashes, max_episode_steps=200)
