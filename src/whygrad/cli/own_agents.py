"""An algorithm by its name, or an agent of the user's own as `module:Class`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from whygrad.cli import agent_settings, algorithms, backends

if TYPE_CHECKING:
    from whygrad.rl.agent import Agent


def find(name: str) -> type[Agent]:
    """The class of an agent; `BadPlan` with a sentence where there is none. Imports Keras."""
    from whygrad.rl.agent import Agent
    from whygrad.rl.catalogue import AGENTS
    from whygrad.rl.plan import BadPlan

    module, colon, attribute = name.partition(":")
    if not colon:
        for kind in AGENTS:
            if name == kind.NAME:
                return kind
        raise BadPlan(f"{algorithms.unknown(name)} One of your own is module:Class.")
    if not backends.installed(module):
        raise BadPlan(f"there is no module {module!r} to find {attribute or 'an agent'} in.")
    found: Any = getattr(importlib.import_module(module), attribute, None)
    if not (isinstance(found, type) and issubclass(found, Agent)):
        said = "nothing of that name" if found is None else repr(found)
        raise BadPlan(f"{name!r} should be a class that inherits from OffPolicy, OnPolicy or Offline; there is {said}.")
    return found


def make(kind: type[Agent], settings: dict[str, Any]) -> Agent:
    """An agent with these settings; `BadPlan` where they cannot work together."""
    from whygrad.rl.plan import BadPlan

    try:
        agent = kind(**settings)
        agent.check()
    except agent_settings.BadSetting:
        raise
    except ValueError as error:
        raise BadPlan(str(error)) from error
    return agent
