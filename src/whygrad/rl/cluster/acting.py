"""An agent that only acts, in a worker's process; and which of its networks it needs for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, Spaces, no_noise
from whygrad.rl.building import build
from whygrad.rl.device import precision
from whygrad.rl.engine import Engine, engine_class
from whygrad.rl.engine.modes import in_modes


def acting_engine(agent: Agent, spaces: Spaces, networks: Mapping[str, Any] | None, bits: str) -> Engine:
    """An engine with networks of the right build; their values come from the learner."""
    with precision(bits):
        made: Engine = engine_class()(agent, build(agent, spaces, networks), spaces)
    return made


def networks_for_acting(agent: Agent, networks: Mapping[str, Any], spaces: Spaces) -> list[str]:
    """The networks that a policy and its values look at: the others, targets for instance, need not travel."""
    asked = _Asked(in_modes(networks))
    observation = {"observation": keras.ops.zeros((1, *spaces.observation))}
    noise = {name: keras.ops.convert_to_tensor(np.asarray(zeros)) for name, zeros in no_noise(agent, spaces, 1).items()}
    agent.policy(asked, {**observation, **noise})
    agent.value(asked, observation)
    return [name for name in networks if name in asked.names]


class _Asked(Mapping[str, Any]):
    """Networks by name that remember for which they were asked."""

    def __init__(self, networks: Mapping[str, Any]) -> None:
        self._networks = networks
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.names.add(name)
        return self._networks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._networks)

    def __len__(self) -> int:
        return len(self._networks)
