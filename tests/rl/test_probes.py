"""The probes' answers, against the environments themselves."""

from __future__ import annotations

import math
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from whygrad.rl.envs.probes import PROBES, Known, Probe, probes_for
from whygrad.rl.lanes import Lanes

each_probe = pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.env.removeprefix("whygrad/"))


@each_probe
def test_passes_the_checker_of_gymnasium(probe: Probe) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(gymnasium.make(probe.env).unwrapped)
    # It wants ±1 for normalised actions and has no room for a probe that tests just that.
    assert [str(w.message) for w in said if "For Box action spaces" not in str(w.message)] == []


def best_action(probe: Probe, observation: np.ndarray) -> float:
    for known in probe.known:
        if known.action is not None and np.allclose(known.observation, observation):
            return known.action
    return 0.0


@each_probe
def test_the_best_actions_give_the_rewards_that_are_known(probe: Probe) -> None:
    lanes = Lanes(probe.env, 1)
    observation = lanes.start([3])
    begun: dict[tuple[float, ...], list[list[float]]] = {}
    open_: list[tuple[tuple[float, ...], list[float]]] = []
    for _ in range(40):
        action = best_action(probe, observation[0])
        open_.append((tuple(float(x) for x in observation[0]), []))
        step = lanes.step(np.array([int(action)]) if probe.actions == "discrete" else np.array([[action]]))
        for _, rewards in open_:
            rewards.append(float(step.reward[0]))
        if step.episodes:
            for start, rewards in open_:
                begun.setdefault(start, []).append(rewards)
            open_ = []
        observation = step.observation
    for known in probe.known:
        seen = begun[known.observation]
        for rewards in seen:
            if known.endless:
                assert set(rewards) == set(known.rewards)
            else:
                assert tuple(rewards) == pytest.approx(known.rewards)


@each_probe
def test_a_wrong_action_costs_exactly_where_the_action_matters(probe: Probe) -> None:
    for known in probe.known:
        if known.action is None:
            continue
        env = gymnasium.make(probe.env)
        observation, _ = env.reset(seed=0)
        while not np.allclose(observation, known.observation):
            observation, _ = env.reset()
        wrong = 1 - int(known.action) if probe.actions == "discrete" else np.array([-2.0 * known.action], np.float32)
        total, ended = 0.0, False
        while not ended:
            _, reward, terminated, truncated, _ = env.step(wrong)
            total, ended = total + float(reward), terminated or truncated
        # Discrete: -1 instead of 1. Continuous: actions -1 and 1 are 2 apart, -(2²) = -4 instead of 0.
        assert total == pytest.approx(-1.0 if probe.actions == "discrete" else -4.0)


def test_values_by_hand() -> None:
    assert Known((1.0,), (1.0,)).value(0.9) == 1.0
    assert Known((1.0,), (0.0, 1.0)).value(0.9) == 0.9
    assert Known((1.0,), (0.0, 0.0, 2.0)).value(0.5) == 0.5  # 2 × 0.25
    assert Known((1.0,), (1.0,), endless=True).value(0.5) == 2.0  # 1 + 1/2 + 1/4 + …
    assert math.isclose(Known((1.0,), (3.0, 1.0), endless=True).value(0.9), 3.0 + 0.9 * 10.0)


def test_the_time_limit_truncates_and_does_not_terminate() -> None:
    lanes = Lanes("whygrad/ProbeTimeLimit-v0", 1)
    lanes.start([0])
    steps = [lanes.step(np.array([0])) for _ in range(8)]
    assert [bool(s.truncated[0]) for s in steps] == [False, False, False, True] * 2
    assert not any(s.terminated[0] for s in steps)


def test_two_valued_observations_come_about_equally_often() -> None:
    lanes = Lanes("whygrad/ProbeObservation-v0", 1)
    lanes.start([0])
    rewards = [float(lanes.step(np.array([0])).reward[0]) for _ in range(400)]
    assert set(rewards) == {-1.0, 1.0}
    assert abs(sum(rewards)) < 80  # Four deviations of 400 fair coins, √400 = 20.


def test_probes_are_found_by_the_kinds_of_action_of_an_agent() -> None:
    assert [p.name for p in probes_for(("discrete",))] == [
        "constant", "observation", "discount", "timelimit", "action", "match", "delay",
    ]  # fmt: skip
    assert len(probes_for(("discrete", "continuous"))) == 14
    assert all(len(p.env) > 0 and p.broken and p.checks and p.known for p in PROBES)
