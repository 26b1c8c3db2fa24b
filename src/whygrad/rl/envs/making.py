"""From what a user calls an environment (an id, a function, an environment) to a function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import gymnasium

PROBES = "whygrad.rl.envs.probes"


def env_name(env: Any) -> str:
    """What to call it in messages: its id where it has one."""
    if isinstance(env, str):
        return env
    if isinstance(env, gymnasium.Env):
        return env.spec.id if env.spec is not None else type(env.unwrapped).__name__
    return getattr(env, "__name__", type(env).__name__)


def env_maker(env: Any, options: Mapping[str, Any]) -> Callable[[], gymnasium.Env[Any, Any]]:
    """A function without arguments that makes the environment, here or in another process."""
    if isinstance(env, gymnasium.Env):
        return lambda: env
    if isinstance(env, str):
        # Gymnasium imports what is before the colon first, and that registers our own.
        full = f"{PROBES}:{env}" if env.startswith("whygrad/") else env
        # Its checker looks at every step of every episode; what it finds matters at the first only, see `Here.start`.
        return partial(gymnasium.make, full, disable_env_checker=True, **options)
    if callable(env):
        return partial(env, **options)
    raise TypeError(f"an environment is a Gymnasium id, a function that makes one, or one itself; received {env!r}")
