"""Trainings that have a name, as data: an agent, an environment, their settings and how long."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that `whygrad train NAME` does not have to be told. Settings are words `field=value`."""

    about: str
    agent: str
    env: str
    steps: int
    settings: tuple[str, ...] = ()
    env_options: tuple[str, ...] = ()
    plan: dict[str, Any] = field(default_factory=dict)


def recipe_names() -> list[str]:
    """All of them."""
    return list(_recipes())


def find_recipe(name: str, machine: str = "cpu") -> Recipe | None:
    """The recipe of this name for a machine, `cpu` or `gpu`; None when there is none of the name."""
    written = _recipes().get(name)
    if written is None:
        return None
    parts = {key: value for key, value in written.items() if key != "on"}
    other = written.get("on", {}).get(machine, {})
    merged = {
        **parts,
        **other,
        "plan": {**parts.get("plan", {}), **other.get("plan", {})},
        "settings": (*parts.get("settings", ()), *other.get("settings", ())),  # of two for a field the last one counts
        "env_options": (*parts.get("env_options", ()), *other.get("env_options", ())),
    }
    return Recipe(**merged)


@cache
def _recipes() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("recipes.toml").read_text("utf-8"))
