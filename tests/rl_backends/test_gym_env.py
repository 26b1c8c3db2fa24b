"""Worlds as Gymnasium environments: what its checker and its users expect."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from whygrad import gymnasium_ids
from whygrad.rl.worlds.snake import Snake
from whygrad.rl.worlds.world_lanes import WorldLanes

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
gymnasium_ids.register()


@pytest.fixture(autouse=True)
def no_screen(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize("name", gymnasium_ids.KINDS)
def test_gymnasiums_own_checker(name):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        check_env(gymnasium.make(name).unwrapped)
    # Pendulum's torque goes from -2 to 2, as in Gymnasium, whose own draws the same advice.
    advice = ["For Box action spaces, we recommend using a symmetric and normalized space"] * ("Pendulum" in name)
    assert [str(one.message).removeprefix("\x1b[33mWARN: ")[:74] for one in said] == [text[:74] for text in advice]


def test_registering_needs_no_framework_and_happens_once():
    code = """
import sys, gymnasium, whygrad.gymnasium_ids as ids
ids.register()
ids.register()
import whygrad.rl
print(sorted(name for name in gymnasium.registry if name in ids.KINDS))
print(gymnasium.spec("whygrad/Snake-v0").max_episode_steps)
print([name for name in ("keras", "torch", "tensorflow", "jax") if name in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines() == [str(sorted(gymnasium_ids.KINDS)), "None", "[]"]


def test_gymnasium_imports_what_is_before_the_colon():
    """For programs that know nothing of us but the name of an environment."""
    code = 'import gymnasium; print(gymnasium.make("whygrad.rl:whygrad/Snake-v0", height=4).reset(seed=0)[0].shape)'
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "(4, 9, 2)\n"


def test_a_whole_game():
    env = gymnasium.make("whygrad/Snake-v0", height=6, width=7, view="full")
    assert env.observation_space.shape == (6, 7, 7)
    assert env.observation_space.dtype == np.float32
    assert env.action_space == gymnasium.spaces.Discrete(3)
    seen, info = env.reset(seed=3)
    assert info == {"eaten": 0, "won": False, "length": 2}
    for _ in range(20):
        seen, reward, terminated, truncated, info = env.step(0)
        assert seen in env.observation_space
        assert isinstance(reward, float)
        if terminated:
            break
    assert (reward, terminated, truncated) == (-10.0, True, False)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"the game has ended: call reset\(\) before step\(\)"):
        env.step(0)
    env.reset()
    env.step(1)


def test_seeds():
    env, other = (gymnasium.make("whygrad/Snake-v0") for _ in range(2))
    first = env.reset(seed=8)[0]
    assert np.array_equal(first, other.reset(seed=8)[0])
    for _ in range(3):  # what follows from a seed goes on with it
        assert np.array_equal(env.reset()[0], other.reset()[0])
    assert not np.array_equal(first, env.reset(seed=9)[0])
    starts = {gymnasium.make("whygrad/Snake-v0").reset()[0].tobytes() for _ in range(8)}
    assert len(starts) > 4  # by chance


def test_the_same_game_as_in_lanes():
    lanes, env = WorldLanes(Snake(), 1), gymnasium.make("whygrad/Snake-v0")
    seen = lanes.start([11])[0]
    assert np.array_equal(seen, env.reset(seed=11)[0])
    for n in range(40):
        step = lanes.step([n % 3])
        final, reward, terminated, _, _ = env.step(n % 3)
        assert np.array_equal(step.final[0], final)
        assert step.reward[0] == np.float32(reward)
        if terminated:
            assert np.array_equal(step.observation[0], env.reset()[0])


def test_what_is_seen_is_the_users_own():
    for name in gymnasium_ids.KINDS:
        env, other = gymnasium.make(name).unwrapped, gymnasium.make(name).unwrapped
        seen = env.reset(seed=1)[0]
        other.reset(seed=1)
        seen[:] = 5.0  # writing into it changes no game
        action = env.action_space.sample()
        assert np.array_equal(env.step(action)[0], other.step(action)[0])


def test_a_game_from_a_given_position():
    env = gymnasium.make("whygrad/Snake-v0", height=5, width=5)
    options = {"snake": [[2, 2], [2, 1], [1, 1]], "fruits": [[2, 3]], "heading": "right"}
    seen, info = env.reset(seed=0, options=options)
    assert info == {"eaten": 0, "won": False, "length": 3}
    assert np.argwhere(seen[..., 0]).tolist() == [[1, 1], [2, 1], [2, 2]]
    assert np.argwhere(seen[..., 1]).tolist() == [[2, 3]]
    assert seen[2, 2, 0] == 2
    _, reward, _, _, info = env.step(0)
    assert (reward, info) == (10.0, {"eaten": 1, "won": False, "length": 4})
    seen, _ = env.reset(seed=0, options={"snake": np.array([[4, 4]]), "heading": "up"})
    assert seen[..., 1].sum() == 1
    assert env.step(0)[1] != -10.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"snakes": [[0, 0]]},
            "a game of Snake begins with the options snake, fruits and heading, got 'snakes': write "
            'reset(options={"snake": [[4, 5], [4, 4]], "fruits": [[0, 0]]})',
        ),
        ({"fruits": [[0, 0]]}, "where a game begins with 'fruits' given, 'snake' has to be given too"),
        ({"snake": "long"}, "snake is a list of cells, each [row, column] of whole numbers, got 'long'"),
        ({"snake": [[0, 0.5]]}, "snake is a list of cells, each [row, column] of whole numbers, got [0, 0.5] in it"),
        ({"snake": []}, "snake is a list of cells from the head to the tail, got an empty one"),
        ({"snake": [[0, 3]]}, "snake has the cell [0, 3], and the board has rows 0 to 2 and columns 0 to 2"),
        ({"snake": [[0, 0], [0, 1], [0, 0]]}, "snake has the cell [0, 0] twice"),
        (
            {"snake": [[0, 0], [1, 1]]},
            "each cell of the snake, from the head to the tail, touches the next; [0, 0] does not touch [1, 1]",
        ),
        (
            {"snake": [[0, 0], [0, 1], [0, 2], [1, 2], [1, 1], [1, 0], [2, 0], [2, 1], [2, 2]]},
            "a snake of 9 cells fills the board: the game would be over before it began",
        ),
        ({"snake": [[0, 0]], "heading": "east"}, "heading is one of right, down, left, up, got 'east'"),
        (
            {"snake": [[0, 1], [0, 0]], "heading": "down"},
            "a snake with its head at [0, 1] and its neck at [0, 0] heads right, got 'down'",
        ),
        ({"snake": [[0, 1]], "fruits": [[0, 1]]}, "a fruit cannot lie on the snake, got [0, 1] for both"),
        (
            {"snake": [[0, 1]], "fruits": [[0, 0], [2, 2]]},
            "there are 1 fruits on this board at a time, got 2: [(0, 0), (2, 2)]",
        ),
    ],
)
def test_positions_that_cannot_be(options, sentence):
    env = gymnasium.make("whygrad/Snake-v0", height=3, width=3)
    with pytest.raises(ValueError) as refused:
        env.reset(options=options)
    assert str(refused.value) == sentence


def test_classic_control():
    env = gymnasium.make("whygrad/CartPole-v1")
    seen, info = env.reset(options={"state": [0.1, 0.2, 0.03, 0.04]})
    assert np.allclose(seen, [0.1, 0.2, 0.03, 0.04])
    assert info == {}
    with pytest.raises(ValueError) as refused:
        env.reset(options={"low": 1})
    assert str(refused.value) == (
        "whygrad/CartPole-v1 begins with the option state, a list of 4 numbers (position, velocity, angle, angular "
        "velocity), got {'low': 1}"
    )
    env = gymnasium.make("whygrad/Pendulum-v1")
    assert (env.action_space.low, env.action_space.high) == ([-2.0], [2.0])
    theirs = gymnasium.make("Pendulum-v1").unwrapped
    theirs.reset(seed=0)
    for torque in (2.0, -1.3, 0.0, 7.5):  # the last is more than there is
        env.reset(options={"state": [1.0, 0.5]})
        theirs.state = np.array([1.0, 0.5])
        action = np.array([torque])
        ours, reward, *_ = env.unwrapped.step(action)
        seen, expected, *_ = theirs.step(action)
        assert np.allclose(ours, seen, atol=1e-5)
        assert reward == pytest.approx(expected, abs=1e-4)


def test_torques_that_are_none():
    env = gymnasium.make("whygrad/Pendulum-v1").unwrapped
    env.reset(seed=0)
    for action in (1.0, [0.5, 0.5], [float("nan")], ["much"]):
        with pytest.raises(
            ValueError, match=r"an action of whygrad/Pendulum-v1 is one of Box\(-2.0, 2.0, \(1,\), float32\)"
        ):
            env.step(action)


def test_what_is_refused():
    wrong = {
        "whygrad/Snake-v0 has no setting 'heigth'; did you mean 'height'?": {"heigth": 5},
        "whygrad/Snake-v0 is drawn as human, rgb_array, ansi, got render_mode='svg'": {"render_mode": "svg"},
        "the picture of a board of 9 x 9 is 77 to 4096 pixels wide, got 20": {"render_mode": "ansi", "render_size": 20},
    }
    for sentence, options in wrong.items():
        with pytest.raises(ValueError) as refused, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Gymnasium says of the render mode that it may not work
            gymnasium.make("whygrad/Snake-v0", **options)
        assert str(refused.value).startswith(sentence)
    env = gymnasium.make("whygrad/Snake-v0").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded, match="the game has not begun"):
        env.step(0)
    env.reset()
    for action in (3, -1, 0.5, "left"):
        with pytest.raises(ValueError, match=r"an action of whygrad/Snake-v0 is one of Discrete\(3\), got"):
            env.step(action)
