"""What is said when an algorithm cannot take an environment's actions."""

from __future__ import annotations

import pytest

from whygrad.rl import DQN, PPO, SAC
from whygrad.rl.agent import Agent, Spaces
from whygrad.rl.spaces import Unsupported, check_supported

TORQUE = Spaces((3,), low=(-2.0,), high=(2.0,))
CHOICES = Spaces((3,), choices=4)


@pytest.mark.parametrize(
    ("agent", "spaces", "sentence"),
    [
        (
            DQN(),
            TORQUE,
            "dqn takes discrete actions, but the action space of this environment is Box(-2.0, 2.0, (1,)), which is "
            "continuous. Algorithms for continuous actions: a2c, cql, ddpg, ppo, reinforce, sac, td3.",
        ),
        (
            SAC(),
            CHOICES,
            "sac takes continuous actions, but the action space of this environment is Discrete(4), which is discrete. "
            "Algorithms for discrete actions: a2c, cql, dqn, ppo, reinforce.",
        ),
    ],
)
def test_sentences_word_for_word(agent: Agent, spaces: Spaces, sentence: str) -> None:
    with pytest.raises(Unsupported) as caught:
        check_supported(agent, spaces)
    assert str(caught.value) == sentence


def test_what_fits_is_left_alone() -> None:
    check_supported(DQN(), CHOICES)
    check_supported(SAC(), TORQUE)
    check_supported(PPO(), CHOICES)
    check_supported(PPO(), TORQUE)
