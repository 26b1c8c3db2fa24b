"""Presets: the environments exist, and a preset is what it is for whoever asks."""

from __future__ import annotations

import gymnasium
import pytest

from whygrad.cli.algorithms import algorithms
from whygrad.trainings.presets import _presets, preset, preset_envs, preset_steps

ALL = [(algo, env) for algo, envs in _presets().items() for env in envs]


@pytest.mark.parametrize(("algo", "env"), ALL)
def test_every_preset(algo, env):
    assert algo in algorithms()
    gymnasium.spec(env)
    assert isinstance(preset_steps(algo, env), int)
    assert "steps" not in preset(algo, env)
    assert env in preset_envs(algo)


def test_an_example():
    assert preset("ddpg", "Pendulum-v1") == {"gamma": 0.98}
    assert preset_steps("ddpg", "Pendulum-v1") == 20_000
    assert preset("sac", "MountainCarContinuous-v0")["hidden"] == (64, 64)


def test_none():
    assert preset("dqn", "Pendulum-v1") == {}
    assert preset_steps("dqn", "Pendulum-v1") is None
    assert preset("none", "Pendulum-v1") == {}
    assert preset_envs("none") == []


def test_nobody_changes_the_next_ones_preset():
    preset("ddpg", "Pendulum-v1")["gamma"] = 0.5
    assert preset("ddpg", "Pendulum-v1") == {"gamma": 0.98}
