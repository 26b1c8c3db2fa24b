"""Pendulum with the dynamics of Gymnasium's Pendulum-v1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl.agent import Spaces, setting
from whygrad.rl.worlds.draws import bits, uniform
from whygrad.rl.worlds.world import Outcome, State, World

GRAVITY, MASS, LENGTH, TIME, TORQUE, FASTEST = 10.0, 1.0, 1.0, 0.05, 2.0, 8.0


@dataclass(frozen=True, kw_only=True)
class Pendulum(World):
    """Swing a pendulum up and hold it there with little torque."""

    ID = "whygrad/Pendulum-v1"

    limit: int | None = setting(200, "steps after which an episode is cut off")

    @property
    def cut_off(self) -> bool:
        """Whether there is a limit."""
        return self.limit is not None

    @property
    def spaces(self) -> Spaces:
        """Cosine and sine of the angle and the angular velocity; one torque."""
        return Spaces((3,), low=(-TORQUE,), high=(TORQUE,))

    def begin(self, key: Any, drawn: Any) -> State:
        """Any angle, slow."""
        angle = (2.0 * uniform(bits(key, drawn)) - 1.0) * math.pi
        speed = 2.0 * uniform(bits(key, drawn + 1)) - 1.0
        return {"key": key, "drawn": drawn + 2, "angle": angle, "speed": speed, "steps": ops.zeros_like(key)}

    def step(self, state: State, action: Any) -> tuple[State, Outcome]:
        """One twentieth of a second. The cost is for where it was, how fast, and for the torque."""
        torque = ops.clip(ops.reshape(action, (-1,)), -1.0, 1.0) * TORQUE
        angle, speed = state["angle"], state["speed"]
        from_top = ops.mod(angle + math.pi, 2.0 * math.pi) - math.pi
        cost = from_top * from_top + 0.1 * speed * speed + 0.001 * torque * torque
        pull = 3.0 * GRAVITY / (2.0 * LENGTH) * ops.sin(angle) + 3.0 / (MASS * LENGTH**2) * torque
        speed = ops.clip(speed + pull * TIME, -FASTEST, FASTEST)
        steps = state["steps"] + 1
        never = steps < 0
        late = steps >= (self.limit if self.limit is not None else 2**31 - 1)
        after = {**state, "angle": angle + speed * TIME, "speed": speed, "steps": steps}
        return after, Outcome(-cost, never, late)

    def observe(self, state: State) -> Any:
        """Cosine, sine, velocity."""
        return ops.stack([ops.cos(state["angle"]), ops.sin(state["angle"]), state["speed"]], axis=-1)

    @property
    def bounds(self) -> tuple[Any, Any]:
        """The velocity is cut to its own."""
        return (-1.0, -1.0, -FASTEST), (1.0, 1.0, FASTEST)
