"""Settings that fit an algorithm to an environment, from `presets.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


def preset(algo: str, env_id: str) -> dict[str, Any]:
    """The settings for an algorithm, by its name, on an environment; none where only its defaults are known.

    ```python
    train(DQN(**preset("dqn", "CartPole-v1")), "CartPole-v1", steps=50_000)
    ```
    """
    given = _presets().get(algo, {}).get(env_id, {})
    return {k: tuple(v) if isinstance(v, list) else v for k, v in given.items() if k != "steps"}


def preset_steps(algo: str, env_id: str) -> int | None:
    """How long a training with the preset is; None where there is no preset."""
    steps: int | None = _presets().get(algo, {}).get(env_id, {}).get("steps")
    return steps


def preset_envs(algo: str) -> list[str]:
    """The environments that an algorithm has a preset for."""
    return list(_presets().get(algo, {}))


@cache
def _presets() -> dict[str, dict[str, dict[str, Any]]]:
    return tomllib.loads(Path(__file__).with_name("presets.toml").read_text("utf-8"))
