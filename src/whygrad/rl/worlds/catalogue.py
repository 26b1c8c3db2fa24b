"""All worlds. To add one, write its file and add its line here."""

from __future__ import annotations

import difflib
from dataclasses import fields
from typing import Any

from whygrad.rl.plan import BadPlan
from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.pendulum import Pendulum
from whygrad.rl.worlds.snake import Snake
from whygrad.rl.worlds.world import World

WORLDS: list[type[World]] = [Snake, CartPole, Pendulum]


def find_world(env: Any, options: dict[str, Any]) -> World | None:
    """The world that a Gymnasium id stands for, with its settings; None for an environment that is not ours."""
    for kind in WORLDS:
        if env == kind.ID:
            known = [f.name for f in fields(kind)]  # type: ignore[arg-type]
            for name in options:
                if name not in known:
                    near = difflib.get_close_matches(name, known, 1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    raise BadPlan(f"{kind.ID} has no setting {name!r}{hint} It has {', '.join(known)}.")
            try:
                return kind(**options)
            except ValueError as error:
                raise BadPlan(str(error)) from error
    return None
