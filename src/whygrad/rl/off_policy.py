"""What agents that learn from a replay memory have in common."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.rl.agent import Agent, setting


@dataclass(frozen=True, kw_only=True)
class OffPolicy(Agent):
    """Collects transitions one by one, keeps them, learns from random ones.

    A batch has `observation`, `action`, `reward` (the discounted sum over n steps), `next_observation`, `discount`
    (γ^n, or 0 where the episode ended; not where a time limit cut it) and `weight`.
    """

    learning_rate: float = setting(1e-3, "step size of Adam")
    hidden: tuple[int, ...] = setting((256, 256), "widths of the hidden layers")
    gamma: float = setting(0.99, "discount per step")
    reward_scale: float = setting(1.0, "what rewards are multiplied with before they are learned from")
    batch_size: int = setting(256, "transitions in one batch")
    buffer_size: int = setting(100_000, "transitions that are kept; the oldest give way")
    learning_starts: int = setting(1_000, "steps of random actions before the first update")
    train_every: int = setting(1, "steps of the environments between two rounds of updates")
    updates: int = setting(1, "updates in one round")
    n_step: int = setting(1, "steps of reward before the value of what follows is trusted")
    prioritised: bool = setting(False, "draw transitions with large errors more often (Schaul et al., 2016)")
    priority_exponent: float = setting(0.6, "how much errors matter for the drawing: 0 not at all, 1 in proportion")
    priority_correction: float = setting(0.4, "importance weights at the start; they grow to 1")
    decay: bool = setting(False, "let the learning rate fall to zero over the training")
    clip: float | None = setting(None, "largest global norm of a gradient")
    lanes: int = setting(1, "environments that are stepped together")
