"""Probing an agent: train it on environments with known answers, compare what it learned, say which part is broken.

Only size and pace of the agent are changed (`probe_settings`), so that a probe takes seconds; its losses, targets,
networks and exploration are its own. docs/probes.md shows it on an agent of one's own.
"""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import keras
import numpy as np

from whygrad.rl.agent import Agent, no_noise
from whygrad.rl.collecting import collect
from whygrad.rl.dataset import write_dataset
from whygrad.rl.envs.probes import Known, Probe, probes_for
from whygrad.rl.lanes import Lanes
from whygrad.rl.offline import Offline
from whygrad.rl.on_policy import OnPolicy
from whygrad.rl.plan import BadPlan, Plan
from whygrad.rl.probe_report import Answer, Result
from whygrad.rl.probe_settings import adapt, steps_for
from whygrad.rl.trainer import Trainer, make_trainer

ATTEMPTS, _APART = 2, 1_000
"""A probe that fails is tried once more with another seed: learning is a matter of chance, a broken part is not."""

TRANSITIONS = 1_000
"""Of random actions, for an agent that learns from a dataset."""


def probe(
    agent: Agent,
    *,
    networks: Mapping[str, Callable[..., Any]] | None = None,
    names: Iterable[str] | None = None,
    seed: int = 0,
    steps: int | None = None,
    attempts: int = ATTEMPTS,
    settings: Mapping[str, Any] | None = None,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """Train the agent on each probe and compare; the first that fails says most about what is broken.

    `networks` are functions from spaces to a network: the probes have spaces of their own. `names` chooses some probes,
    `settings` overrules what probing would change, `attempts` is how often a probe that fails is tried, `on_result` is
    told of each result as soon as it is there.

    ```python
    results = probe(MyAgent())
    print(verdict(results))
    ```
    """
    results = []
    for chosen in choose(agent, names):
        begun = time.perf_counter()
        adapted = adapt(agent, chosen.name, settings or {})
        adapted.check()
        for attempt in range(attempts):
            plan = _plan(chosen, steps or steps_for(adapted, chosen.name), seed + attempt * _APART)
            answers = _learn(adapted, plan, networks, chosen)
            result = Result(chosen, answers, attempt + 1, time.perf_counter() - begun)
            if result.passed:
                break
        results.append(result)
        if on_result is not None:
            on_result(result)
    return results


def _learn(agent: Agent, plan: Plan, networks: Mapping[str, Any] | None, chosen: Probe) -> tuple[Answer, ...]:
    with _training(agent, plan, networks) as trainer:
        while trainer.steps < plan.steps:
            trainer.round()
        trainer.write_back()
        return _ask(agent, trainer.networks, chosen)


def check_gradients(
    agent: Agent, *, networks: Mapping[str, Callable[..., Any]] | None = None, settings: Mapping[str, Any] | None = None
) -> None:
    """Have the diagnoser look at each loss, as `train` does; `BrokenContract` when one does not train what it says.

    Done on a probe in which everything matters: where no action does, a policy's gradient is rightly zero.
    """
    chosen = choose(agent, ["match"])[0]
    adapted = adapt(agent, chosen.name, settings or {})
    plan = replace(_plan(chosen, steps_for(adapted, chosen.name), 0), check=True)
    with _training(adapted, plan, networks) as trainer:
        while trainer.books.batch is None:
            trainer.round()


def _plan(chosen: Probe, steps: int, seed: int) -> Plan:
    return Plan(env=chosen.env, steps=steps, seed=seed, evaluate_episodes=1, tensorboard=False, check=False)


def choose(agent: Agent | type[Agent], names: Iterable[str] | None = None) -> tuple[Probe, ...]:
    """The probes for the kinds of action that an agent takes, or those of these names among them."""
    fitting = probes_for(agent.ACTIONS)
    if names is None:
        return fitting
    wanted = list(names)
    known = list(dict.fromkeys(found.name for found in fitting))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise BadPlan(f"there is no probe {unknown[0]!r}; the probes are {', '.join(known)}")
    return tuple(found for found in fitting if found.name in wanted)


@contextmanager
def _training(agent: Agent, plan: Plan, networks: Mapping[str, Any] | None) -> Iterator[Trainer]:
    """A training that leaves nothing behind."""
    with tempfile.TemporaryDirectory(prefix="whygrad-probe-") as folder:
        if isinstance(agent, Offline):
            path = os.path.join(folder, "random.npz")
            write_dataset(path, collect(str(plan.env), TRANSITIONS, seed=plan.seed))
            plan = replace(plan, dataset=path)
        with make_trainer(agent, plan, plan.env, networks) as trainer:
            trainer.restart()
            yield trainer


def _ask(agent: Agent, networks: Mapping[str, Any], asked: Probe) -> tuple[Answer, ...]:
    """Value and best action at every observation whose answers are known."""
    observation = np.array([known.observation for known in asked.known], np.float32)
    spaces = _spaces(asked)
    noise = no_noise(agent, spaces, len(observation))
    batch = {k: keras.ops.convert_to_tensor(v) for k, v in {"observation": observation, **noise}.items()}
    values = agent.value(networks, batch)
    values = None if values is None else np.ravel(keras.ops.convert_to_numpy(values))
    actions = np.ravel(keras.ops.convert_to_numpy(agent.policy(networks, batch)["action"]))
    explores = isinstance(agent, OnPolicy)
    return tuple(
        _answer(
            asked,
            known,
            known.value(agent.gamma) if values is not None and (known.any_policy or not explores) else None,  # type: ignore[attr-defined]
            None if values is None else float(values[row]),
            float(actions[row]),
        )
        for row, known in enumerate(asked.known)
    )


def _answer(asked: Probe, known: Known, right_value: float | None, value: float | None, action: float) -> Answer:
    value_fits = right_value is None or (value is not None and _near(value, right_value, asked.value_tolerance))
    tolerance = 0.0 if asked.actions == "discrete" else asked.action_tolerance
    action_fits = known.action is None or _near(action, known.action, tolerance)
    return Answer(known.observation, right_value, value, known.action, action, value_fits, action_fits)


def _near(number: float, right: float, tolerance: float) -> bool:
    return math.isfinite(number) and abs(number - right) <= tolerance


def _spaces(asked: Probe) -> Any:
    lanes = Lanes(asked.env, 1)
    try:
        return lanes.spaces
    finally:
        lanes.close()
