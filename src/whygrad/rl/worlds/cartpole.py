"""CartPole with the dynamics of Gymnasium's CartPole-v1 (Barto, Sutton and Anderson, 1983)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from keras import ops

from whygrad.rl.agent import Spaces, setting
from whygrad.rl.worlds.draws import bits, uniform
from whygrad.rl.worlds.world import Outcome, State, World

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, TIME = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
FARTHEST, STEEPEST = 2.4, 12 * 2 * math.pi / 360
"""Where an episode ends."""
_LARGEST = 3.4028235e38  # of float32


@dataclass(frozen=True, kw_only=True)
class CartPole(World):
    """Keep a pole upright by pushing its cart to the left or to the right."""

    ID = "whygrad/CartPole-v1"

    limit: int | None = setting(500, "steps after which an episode is cut off")

    @property
    def cut_off(self) -> bool:
        """Whether there is a limit."""
        return self.limit is not None

    @property
    def spaces(self) -> Spaces:
        """Position, velocity, angle and angular velocity; two pushes."""
        return Spaces((4,), choices=2)

    def begin(self, key: Any, drawn: Any) -> State:
        """Almost upright, almost at rest."""
        numbers = [uniform(bits(key, drawn + i)) * 0.1 - 0.05 for i in range(4)]
        zero = ops.zeros_like(key)
        return {"key": key, "drawn": drawn + 4, "numbers": ops.stack(numbers, axis=-1), "steps": zero}

    def step(self, state: State, action: Any) -> tuple[State, Outcome]:
        """One fiftieth of a second, by Euler's method."""
        x, speed, angle, spin = (state["numbers"][:, i] for i in range(4))
        force = ops.cast(action, "float32") * (2 * FORCE) - FORCE
        cos, sin = ops.cos(angle), ops.sin(angle)
        pushed = (force + POLE * HALF_LENGTH * spin * spin * sin) / (CART + POLE)
        twist = (GRAVITY * sin - cos * pushed) / (HALF_LENGTH * (4.0 / 3.0 - POLE * cos * cos / (CART + POLE)))
        pull = pushed - POLE * HALF_LENGTH * twist * cos / (CART + POLE)
        numbers = ops.stack([x + TIME * speed, speed + TIME * pull, angle + TIME * spin, spin + TIME * twist], axis=-1)
        steps = state["steps"] + 1
        fallen = (ops.abs(numbers[:, 0]) > FARTHEST) | (ops.abs(numbers[:, 2]) > STEEPEST)
        late = ops.logical_not(fallen) & (steps >= (self.limit if self.limit is not None else 2**31 - 1))
        outcome = Outcome(ops.ones_like(x), fallen, late)
        return {**state, "numbers": numbers, "steps": steps}, outcome

    def observe(self, state: State) -> Any:
        """The four numbers."""
        return state["numbers"]

    @property
    def bounds(self) -> tuple[Any, Any]:
        """Twice where an episode ends, as in Gymnasium; speeds have no bounds of their own."""
        high = (2 * FARTHEST, _LARGEST, 2 * STEEPEST, _LARGEST)
        return tuple(-most for most in high), high
