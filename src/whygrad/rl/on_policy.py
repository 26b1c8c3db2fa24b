"""What agents that learn from their own latest experience have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from whygrad.rl.agent import Agent, setting


@dataclass(frozen=True, kw_only=True)
class OnPolicy(Agent):
    """Collects with the current policy, learns from it, throws it away.

    A batch has `observation`, `action`, what `policy` gave besides, `return` (what followed, discounted), `advantage`,
    `remaining` (the share of the training that is left) and `weight` (0 for rows that only fill up the batch).
    """

    WHOLE_EPISODES: ClassVar[bool] = False
    """Collect until so many episodes ended, instead of so many steps."""

    learning_rate: float = setting(7e-4, "step size of Adam")
    hidden: tuple[int, ...] = setting((64, 64), "widths of the hidden layers")
    gamma: float = setting(0.99, "discount per step")
    reward_scale: float = setting(1.0, "what rewards are multiplied with before they are learned from")
    gae_lambda: float = setting(1.0, "weight of long advantage estimates: 1 the whole return, 0 one step")
    lanes: int = setting(8, "environments that are stepped together")
    horizon: int = setting(5, "steps of each environment before learning from them (whole episodes: how many episodes)")
    epochs: int = setting(1, "times each step is learned from")
    minibatch: int | None = setting(None, "rows of one update; all of them when not given")
    normalise_observations: bool = setting(False, "scale observations to mean 0 and deviation 1 as they come")
    normalise_rewards: bool = setting(False, "scale rewards by the deviation of the return")
    decay: bool = setting(False, "let the learning rate fall to zero over the training")
    clip: float | None = setting(0.5, "largest global norm of a gradient")
