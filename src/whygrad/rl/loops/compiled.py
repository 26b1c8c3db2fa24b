"""Which loop runs as one compiled program, and how much of a training is one call of it."""

from __future__ import annotations

from typing import Any

from whygrad.rl.agent import Agent
from whygrad.rl.engine import Engine
from whygrad.rl.loops.compiled_replay_loop import CompiledReplayLoop
from whygrad.rl.loops.compiled_rollout_loop import CompiledRolloutLoop
from whygrad.rl.off_policy import OffPolicy
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import Plan
from whygrad.rl.worlds.world import World

_MOST_TURNS = 100
"""In one call: long enough that calling costs nothing, short enough for a progress bar."""


def compiled_loop(agent: Agent, engine: Engine, world: World, plan: Plan) -> Any:
    """The compiled loop for an agent in a world; None where its settings need what only the plain loops do."""
    if isinstance(agent, OffPolicy):
        if agent.n_step > 1 or agent.prioritised:
            return None
        turns = _turns(plan, max(agent.train_every, agent.lanes))
        return CompiledReplayLoop(agent, engine, world, plan.steps, plan.seed, turns)
    if isinstance(agent, OnPolicy):
        if agent.WHOLE_EPISODES or agent.normalise_observations or agent.normalise_rewards:
            return None
        turns = _turns(plan, agent.horizon * agent.lanes)
        return CompiledRolloutLoop(agent, engine, world, plan.steps, plan.seed, turns)
    return None


def _turns(plan: Plan, steps: int) -> int:
    return min(_MOST_TURNS, max(1, (plan.log_every or plan.steps) // steps))
