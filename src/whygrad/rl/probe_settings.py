"""The size and pace in which an agent is probed: plain data, and nothing of what the agent computes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from whygrad.rl.agent import Agent
from whygrad.rl.envs.probes import GAMMA
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import BadPlan

EVERY: dict[str, Any] = {"gamma": GAMMA, "hidden": (32, 32), "learning_rate": 3e-3, "target_every": 20, "tau": 0.05}
"""For every agent that has such a setting. With a small γ values settle in a few dozen updates."""

REPLAY: dict[str, Any] = {
    "batch_size": 64,
    "buffer_size": 5_000,
    "learning_starts": 200,
    "train_every": 20,
    "updates": 20,
    "lanes": 1,
    "noise": 0.3,
    "explore_share": 0.5,
    "explore_last": 0.2,
}
"""For agents with a replay memory. They explore to the end, so that other actions than the best are valued too."""

ROLLOUTS: dict[str, Any] = {
    "learning_rate": 8e-3,
    "lanes": 16,
    "horizon": 16,
    "minibatch": 128,
    "normalise_observations": False,
    "normalise_rewards": False,
    "decay": True,
}
"""For agents with rollouts. Values of scaled rewards could not be compared with known ones."""

DATASET: dict[str, Any] = {"batch_size": 64, "updates": 20, "alpha": 0.01, "samples": 4, "decay": False}
"""For offline agents. A conservative term that weighs much moves values away from what is known."""

BY_PROBE: dict[str, dict[str, Any]] = {"delay": {"gamma": 0.9}}
"""For every agent, on one probe. Discounted twice by a small γ, what the first action earns would drown in noise."""

STEPS = 1_200
"""Of one training from a replay memory or a dataset: about as many updates."""

EPOCHS = 4
"""At most: more would only take longer."""

UPDATES, ROUNDS = 600, 100
"""Of one training from rollouts, at least: an agent that learns from a rollout many times still needs new ones."""

LONGER = {"delay": 2}
"""How many times as many of them on one probe: there two of three actions only add noise."""


def adapt(agent: Agent, probe: str, settings: Mapping[str, Any]) -> Agent:
    """The same agent in the size and pace of a probe, or with these settings of the user's where given."""
    has = {f.name for f in fields(agent)}  # type: ignore[arg-type]
    unknown = [name for name in settings if name not in has]
    if unknown:
        raise BadPlan(f"{agent.NAME} has no setting {unknown[0]!r}; it has {', '.join(sorted(has))}")
    changes = {
        name: value for name, value in {**EVERY, **_for(agent), **BY_PROBE.get(probe, {})}.items() if name in has
    }
    if isinstance(agent, OnPolicy):
        changes["epochs"] = min(agent.epochs, EPOCHS)
    return replace(agent, **{**changes, **settings})  # type: ignore[type-var]


def steps_for(agent: Agent, probe: str) -> int:
    """How long an agent, already adapted, has to be trained."""
    if not isinstance(agent, OnPolicy):
        return STEPS
    # Episodes of probes have one to four steps.
    rows = agent.horizon * (2 if agent.WHOLE_EPISODES else agent.lanes)
    updates = agent.epochs * max(1, rows // (agent.minibatch or rows))
    return rows * max(ROUNDS, UPDATES // updates) * LONGER.get(probe, 1)


def _for(agent: Agent) -> dict[str, Any]:
    if isinstance(agent, OnPolicy):
        return ROLLOUTS
    return REPLAY if isinstance(agent, OffPolicy) else DATASET
