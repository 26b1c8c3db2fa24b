"""Many games in one environment: the games that single ones would play, in both ways of beginning anew."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from whygrad import gymnasium_ids

pytestmark = pytest.mark.once

gymnasium_ids.register()


def same(ours, theirs):
    if isinstance(theirs, dict):
        assert set(ours) == set(theirs)
        for name in theirs:
            same(ours[name], theirs[name])
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        for one, other in zip(ours, theirs, strict=True):
            assert (one is None) == (other is None)
            assert one is None or np.allclose(one, other, atol=1e-5)
    else:
        assert np.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("whygrad/Snake-v0", AutoresetMode.NEXT_STEP),
        ("whygrad/Snake-v0", AutoresetMode.SAME_STEP),
        ("whygrad/CartPole-v1", AutoresetMode.NEXT_STEP),
        ("whygrad/Pendulum-v1", AutoresetMode.SAME_STEP),
    ],
)
def test_as_single_environments(name, mode):
    ours = gymnasium.make_vec(name, num_envs=3, limit=25, autoreset_mode=mode)
    theirs = gymnasium.make_vec(
        name, num_envs=3, limit=25, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}
    )
    assert ours.metadata["autoreset_mode"] is mode
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    for a, b in zip(ours.reset(seed=5), theirs.reset(seed=5), strict=True):
        same(a, b)
    ours.action_space.seed(1)
    ends = 0
    for _ in range(60):
        action = ours.action_space.sample()
        told, expected = ours.step(action), theirs.step(action)
        for a, b in zip(told, expected, strict=True):
            same(a, b)
        ends += int((told[2] | told[3]).sum())
    assert ends >= 6
    assert told[1].dtype == np.float32
    assert told[2].dtype == told[3].dtype == bool


def test_gymnasiums_wrappers_take_it():
    env = gymnasium.make_vec("whygrad/Snake-v0", num_envs=4, height=4, width=4)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    env = gymnasium.wrappers.vector.FlattenObservation(env)
    env.reset(seed=0)
    lengths = []
    for _ in range(30):
        seen, *_, infos = env.step(np.zeros(4, int))
        lengths += infos["episode"]["l"][infos["_episode"]].tolist() if "episode" in infos else []
    assert seen.shape == (4, 32)
    assert lengths
    assert max(lengths) <= 4  # straight on, into the wall


def test_some_games_alone_begin_anew():
    env = gymnasium.make_vec("whygrad/Snake-v0", num_envs=3, height=5, width=5)
    first, _ = env.reset(seed=[1, 2, 3])
    assert np.array_equal(first[1], gymnasium.make("whygrad/Snake-v0", height=5, width=5).reset(seed=2)[0])
    after = env.step(np.array([1, 2, 1]))[0]
    seen, _ = env.reset(seed=[1, None, None], options={"reset_mask": np.array([True, False, False])})
    assert np.array_equal(seen[0], first[0])
    assert np.array_equal(seen[1:], after[1:])


def test_drawn():
    options = {"height": 4, "width": 4, "render_mode": "rgb_array", "render_size": 100}
    env = gymnasium.make_vec("whygrad/Snake-v0", num_envs=2, **options)
    env.reset(seed=0)
    env.step(np.array([1, 2]))
    one, other = env.render()
    assert one.shape == other.shape == (100, 100, 3)
    assert not np.array_equal(one, other)
    env.close()


def test_what_is_refused():
    def make(**options):
        return gymnasium.make_vec("whygrad/Snake-v0", num_envs=2, **options)

    wrong = {
        "autoreset_mode is NextStep or SameStep, got 'never'": {"autoreset_mode": "never"},
        "whygrad/Snake-v0 is drawn as rgb_array, ansi, got render_mode='human'": {"render_mode": "human"},
        "whygrad/Snake-v0 has no setting 'heigth'; did you mean 'height'?": {"heigth": 5},
    }
    for sentence, options in wrong.items():
        with pytest.raises(ValueError) as refused:
            make(**options)
        assert str(refused.value).startswith(sentence)
    assert make(max_episode_steps=7).world.limit == 7
    env = make()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step([0, 0])
    env.reset(seed=0)
    for sentence, actions in {
        "one action for each of 2 games is needed, got an array (3,)": [0, 0, 0],
        "an action of whygrad/Snake-v0 is one of Discrete(3), got array([0, 3])": [0, 3],
        "an action of whygrad/Snake-v0 is one of Discrete(3), got array([0. , 0.5])": [0, 0.5],
    }.items():
        with pytest.raises(ValueError) as refused:
            env.step(actions)
        assert str(refused.value) == sentence
    for sentence, asked in {
        "one seed for each of 2 games is needed, got 3": {"seed": [1, 2, 3]},
        "reset_mask is an array of 2 truths, got [True, False]": {"options": {"reset_mask": [True, False]}},
        "games of a vector environment are reset with the option reset_mask alone": {"options": {"snake": [[0, 0]]}},
    }.items():
        with pytest.raises(ValueError) as refused:
            env.reset(**asked)
        assert str(refused.value).startswith(sentence)
