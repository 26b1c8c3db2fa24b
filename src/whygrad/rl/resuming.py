"""Whether a checkpoint belongs to what is about to go on from it. What does not fit is said before anything changes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, settings

_SAME = ("env", "dataset", "seed", "env_options")
"""What of a plan makes a run the run it is. The rest says how often something happens."""


class CannotResume(ValueError):
    """A run cannot go on like this: what was given is not what it was begun with."""


class OtherBackend(UserWarning):
    """A checkpoint was written on another framework. It is used; the run does not stay the same to the bit."""


def check_agent(path: Path, kept: Mapping[str, Any], agent: Agent) -> None:
    """An agent that is given again has the name and the settings with which the run was begun."""
    if kept["agent"] != agent.NAME:
        raise CannotResume(
            f"{str(path)!r} trained {kept['agent']!r}, and {agent.NAME!r} was given. Give the agent it was begun with."
        )
    before, now = kept["settings"], _plain(settings(agent))
    other = [f"{name} was {before.get(name)!r} and is {now.get(name)!r}" for name in {**before, **now}
             if before.get(name) != now.get(name)]  # fmt: skip
    if other:
        raise CannotResume(
            f"{str(path)!r} was begun with other settings of {agent.NAME!r}: {'; '.join(other)}. A run keeps its "
            "settings; train again to change them."
        )


def check_facts(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """A checkpoint was written by the run that goes on from it, or `CannotResume`; by another framework: a warning."""
    wanted = _plain(wanted)
    for name in ("agent", "settings"):
        if found[name] != wanted[name]:
            raise CannotResume(
                f"{str(path)!r} is a checkpoint of another run: its {name} {_is(name)} {found[name]!r}, and this run "
                f"has {wanted[name]!r}"
            )
    for name in _SAME:
        if found["plan"].get(name) != wanted["plan"].get(name):
            raise CannotResume(
                f"{str(path)!r} is a checkpoint of another run: its {name} is {found['plan'].get(name)!r}, and this "
                f"run has {wanted['plan'].get(name)!r}"
            )
    warn_of_backend(path, found)


def warn_of_backend(path: Path, found: Mapping[str, Any]) -> None:
    """Say so when a checkpoint comes from another framework."""
    here = keras.backend.backend()
    if found.get("backend", here) != here:
        warnings.warn(
            f"{str(path)!r} was written on {found['backend']} and goes on on {here}: weights, targets, Adam's moments, "
            "the replay memory, random numbers and counters move; equality to the bit does not, nor does the state of "
            "random layers (Dropout)",
            OtherBackend,
            stacklevel=4,
        )


def fitting(path: Path, kept: Mapping[str, Any], held: Mapping[str, Any]) -> dict[str, Any]:
    """Of a checkpoint's arrays those that an engine holds, as it holds them; `CannotResume` where they do not fit."""
    fitted = {}
    for name, mine in held.items():
        if name not in kept:
            near = sorted({key.split(".")[0] for key in kept if "/" not in key and key != "updates"})
            raise CannotResume(
                f"{str(path)!r} has no {name!r}; it has the networks {', '.join(near)}. Networks of your own have to "
                "be given again, built as they were: networks={…}. (A torch.nn.Module has names that only PyTorch "
                "knows: it does not move to a Keras model, nor to another framework.)"
            )
        given, mine = np.asarray(kept[name]), np.asarray(mine)
        if given.shape != mine.shape:
            raise CannotResume(
                f"{name!r} has shape {given.shape} in {str(path)!r} and {mine.shape} here: the networks or the "
                "environment are not those of the run. Networks of your own have to be given again: networks={…}"
            )
        fitted[name] = given.astype(mine.dtype, copy=False)
    more = sorted(set(kept) - set(held))
    if more:
        raise CannotResume(
            f"{str(path)!r} has {more[0]!r}{' and more' if len(more) > 1 else ''}, for which there is no place here: "
            "the networks are not those of the run. Networks of your own have to be given again: networks={…}"
        )
    return fitted


def _is(name: str) -> str:
    return "are" if name.endswith("s") else "is"


def _plain(value: Any) -> Any:
    """As it comes back from a file."""
    return json.loads(json.dumps(value))
