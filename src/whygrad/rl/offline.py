"""What agents that learn from a dataset alone have in common."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.rl.agent import Agent, setting


@dataclass(frozen=True, kw_only=True)
class Offline(Agent):
    """Learns from random rows of a dataset that does not grow; no environment is stepped.

    A batch has `observation`, `action`, `reward`, `next_observation`, `discount` (γ, or 0 where the episode ended; not
    where a time limit cut it) and `weight`.
    """

    learning_rate: float = setting(3e-4, "step size of Adam")
    hidden: tuple[int, ...] = setting((256, 256), "widths of the hidden layers")
    gamma: float = setting(0.99, "discount per step")
    batch_size: int = setting(256, "transitions in one batch")
    updates: int = setting(100, "updates in one round")
    decay: bool = setting(True, "let the learning rate fall to zero over the training")
    clip: float | None = setting(None, "largest global norm of a gradient")
