"""Datasets made by ourselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from whygrad.rl.collecting import collect, in_bounds
from whygrad.rl.dataset import Dataset, read_dataset, write_dataset
from whygrad.rl.plan import BadPlan


class Counting:
    """Always the same action; counts how often it was asked."""

    def __init__(self, action: Any) -> None:
        self.action = np.asarray([action])
        self.asked = 0

    def __call__(self, observation: Any) -> Any:
        assert observation.shape[0] == 1
        self.asked += 1
        return self.action


def episodes(dataset: Dataset) -> list[np.ndarray]:
    """The actions of each episode."""
    ends = np.flatnonzero(dataset.terminated | dataset.truncated) + 1
    return np.split(dataset.action, ends)[: len(ends)]


@pytest.mark.parametrize("ending", ["npz", "h5"])
def test_same_seed_same_file(tmp_path: Path, ending: str) -> None:
    names = [tmp_path / f"{n}.{ending}" for n in range(3)]
    for name, seed in zip(names, (4, 4, 5), strict=True):
        write_dataset(name, collect("CartPole-v1", 100, policy=Counting(1), mix=0.5, seed=seed))
    first, again, other = (name.read_bytes() for name in names)
    assert first == again
    assert first != other


def test_rows_follow_one_another(tmp_path: Path) -> None:
    dataset = collect("CartPole-v1", 200, seed=1)
    inside = ~(dataset.terminated | dataset.truncated)[:-1]
    np.testing.assert_array_equal(dataset.next_observation[:-1][inside], dataset.observation[1:][inside])
    assert inside.sum() < len(inside)
    # The last row was not the end of an episode, and says so by being cut off.
    assert dataset.truncated[-1] != dataset.terminated[-1]
    write_dataset(tmp_path / "d.npz", dataset)
    found = read_dataset(tmp_path / "d.npz")
    assert (found.env, found.spaces.choices, found.facts["random_steps"]) == ("CartPole-v1", 2, 200)
    assert found.facts["mean_return"] == pytest.approx(
        np.mean([len(e) for e in episodes(dataset)[: found.facts["episodes"]]])
    )


def test_a_mixture_is_of_whole_episodes() -> None:
    policy = Counting(1)
    dataset = collect("CartPole-v1", 1_000, policy=policy, mix=0.25, seed=2)
    random = dataset.facts["random_steps"]
    assert policy.asked == 1_000 - random
    # A random episode begins while the share is not reached: at most one episode too many.
    assert 250 <= random <= 250 + 100
    # Always to the right: an episode of the policy falls after about ten steps, with no other action in it.
    pure = sum(len(actions) for actions in episodes(dataset) if (actions == 1).all())
    assert pure >= policy.asked


def test_continuous_actions_are_written_as_the_environment_takes_them() -> None:
    dataset = collect("Pendulum-v1", 50, policy=Counting([0.25]))
    np.testing.assert_array_equal(dataset.action, np.full((50, 1), 0.5, np.float32))  # Pendulum takes −2 to 2
    np.testing.assert_allclose(dataset.scaled_action(dataset.spaces), 0.25)
    random = collect("Pendulum-v1", 200).action
    assert 1.5 < random.max() <= 2.0
    assert -2.0 <= random.min() < -1.5
    beyond = in_bounds(np.array([[1.7]]), dataset.spaces)
    assert beyond.item() == 2.0


def test_options_of_the_environment() -> None:
    assert collect("CartPole-v1", 12, policy=Counting(0), env_options={"max_episode_steps": 4}).truncated.sum() == 3


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"steps": 0}, "a dataset has at least one step, got steps=0"),
        ({"steps": 5, "mix": 1.5}, "mix is the share of random steps, from 0 to 1, got 1.5"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadPlan) as caught:
        collect("CartPole-v1", **options)
    assert str(caught.value) == sentence
