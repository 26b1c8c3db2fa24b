"""What is said about a network of a run when it leaves: where it comes from, what it takes and what it gives."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whygrad.rl.restoring import Restored

ACTING = ("q", "actor", "policy")
"""Names of networks that act, in the order in which they are taken when nobody chooses."""


def choose_network(networks: dict[str, Any], asked: str | None) -> tuple[str | None, str]:
    """The name of the network to export, or None and a sentence."""
    names = ", ".join(networks)
    if asked is not None:
        return (asked, "") if asked in networks else (None, f"the agent has no network {asked!r}; it has {names}.")
    found = next((name for name in ACTING if name in networks), None)
    found = found or (next(iter(networks)) if len(networks) == 1 else None)
    return found, f"which of the networks {names}? Add --network {next(iter(networks))}."


def facts(restored: Restored, run: str, network: str, output: tuple[int, ...]) -> dict[str, Any]:
    """Metadata for a file: plain data, without paths of this machine."""
    from whygrad.rl.spaces import describe_actions

    spaces, plan = restored.lanes.spaces, restored.plan
    return {
        "run": Path(os.path.realpath(run)).name,
        "agent": restored.agent.NAME,
        "network": network,
        "checkpoint": restored.which,
        "step": restored.steps,
        "environment": plan.env or restored.lanes.name,
        "environment_options": {k: v for k, v in _options(restored).items() if not _is_path(v)},
        "observation": {
            "shape": list(spaces.observation),
            "dtype": "float32",
            "layout": "channels last",
            "encoding": _encoding(getattr(restored.lanes, "observation_space", None)),
            "scaled_inside": restored.moments is not None,
        },
        "action": {
            "space": describe_actions(spaces),
            "low": list(spaces.low),
            "high": list(spaces.high),
            "from_output": how_to_act(network, spaces.discrete, spaces.action_size, output),
        },
    }


def _options(restored: Restored) -> dict[str, Any]:
    """What the environment was made with; of our own worlds everything, as it decides what an observation shows."""
    world = getattr(restored.lanes, "world", None)
    given = restored.plan.env_options
    return given if world is None else asdict(type(world)(**given))


def how_to_act(network: str, discrete: bool, size: int, output: tuple[int, ...]) -> str | None:
    """From what an acting network gives to the best action; None where that is not known."""
    if network not in ACTING or output not in ((size,), (2 * size,)):
        return None
    if discrete:
        return "the index of the largest"
    scale = "then scale -1 … 1 to low … high"
    if network == "policy":
        return f"cut to -1 … 1, {scale}"
    return f"tanh, {scale}" if output == (size,) else f"tanh of the first {size}, {scale}"


def _encoding(space: Any) -> str:
    """What has to be done to an observation of the environment before the network is fed with it."""
    if type(space).__name__ == "Discrete":
        return "one-hot"
    return "bytes divided by 255" if str(getattr(space, "dtype", None)) == "uint8" else "as the environment gives it"


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike)) and (os.path.isabs(value) or "~" in str(value))
