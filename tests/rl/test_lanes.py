"""Lanes: what a step gives at the end of an episode, actions and observations, processes, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

from whygrad.rl.agent import Spaces
from whygrad.rl.lanes import EnvironmentFailed, Episode, Lanes
from whygrad.rl.spaces import Unsupported


class Counter(gymnasium.Env[Any, Any]):
    """Observes a counter; over after `length` steps, or when a negative reward is asked for."""

    def __init__(self, length: int = 3, box: Any = None, fails: Any = None) -> None:
        self.observation_space = Box(-np.inf, np.inf, (1,), np.float32)
        self.action_space = Discrete(5) if box is None else box
        self.length, self.fails = length, fails
        self.got: list[Any] = []
        self.at = np.zeros(1, np.float32)  # An environment may hand out the same array again and again.

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at[:] = 0.0
        return self.at, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.got.append(action)
        self.at += 1.0
        if self.fails is not None and self.at[0] == 2.0:
            if isinstance(self.fails, Exception):
                raise self.fails
            if self.fails == "vanish":
                os._exit(9)
            return self.at, self.fails, False, False, {}
        return self.at, 1.5, bool(self.at[0] == self.length), False, {"odd": object()}


def test_a_step_in_the_middle_and_one_at_an_end() -> None:
    lanes = Lanes(Counter, 2, length=2)
    assert lanes.start([0, 1]).tolist() == [[0.0], [0.0]]
    first = lanes.step(np.array([0, 1]))
    assert first.observation.tolist() == first.final.tolist() == [[1.0], [1.0]]
    assert first.reward.tolist() == [1.5, 1.5] and first.reward.dtype == np.float32
    assert first.terminated.tolist() == first.truncated.tolist() == [False, False] and first.episodes == []
    last = lanes.step(np.array([0, 1]))
    assert last.observation.tolist() == [[0.0], [0.0]]  # Of the next episode.
    assert last.final.tolist() == [[2.0], [2.0]]
    assert last.terminated.tolist() == [True, True]
    assert last.episodes == [Episode(0, 3.0, 2), Episode(1, 3.0, 2)]
    assert first.observation.tolist() == [[1.0], [1.0]]  # What was given stays as it was.


def test_a_time_limit_truncates_and_final_is_what_followed() -> None:
    lanes = Lanes("CartPole-v1", 1, max_episode_steps=4)
    raw = gymnasium.make("CartPole-v1", max_episode_steps=4)
    seen, _ = raw.reset(seed=7)
    assert np.array_equal(lanes.start([7])[0], seen)
    for t in range(9):
        action = t % 2
        step = lanes.step(np.array([action]))
        seen, _, terminated, truncated, _ = raw.step(action)
        assert np.array_equal(step.final[0], seen)
        assert (step.terminated[0], step.truncated[0]) == (terminated, truncated) == (False, t % 4 == 3)
        if truncated:
            seen, _ = raw.reset()
            assert step.episodes == [Episode(0, 4.0, 4)]
        assert np.array_equal(step.observation[0], seen)


def test_a_start_forgets_open_episodes() -> None:
    lanes = Lanes(Counter, 1, length=3)
    lanes.start([0])
    lanes.step(np.array([0]))
    lanes.start([0])
    episodes = [lanes.step(np.array([0])).episodes for _ in range(3)]
    assert episodes == [[], [], [Episode(0, 4.5, 3)]]


def test_the_same_seeds_give_the_same_again_and_lanes_differ() -> None:
    lanes = Lanes("CartPole-v1", 2)
    first = lanes.start([3, 4])
    lanes.step(np.array([0, 1]))
    assert np.array_equal(lanes.start([3, 4]), first)
    assert not np.array_equal(first[0], first[1])


def trajectory(lanes: Lanes, actions: Any) -> list[Any]:
    seen = [lanes.start([10 + k for k in range(lanes.count)])]
    episodes = []
    for action in actions:
        step = lanes.step(action)
        seen += step[:5]
        episodes.append(step.episodes)
    lanes.close()
    return [*seen, episodes]


SHORT = {"max_episode_steps": 9}


@pytest.mark.parametrize(("env", "options"), [("CartPole-v1", {}), ("FrozenLake-v1", {}), ("Pendulum-v1", SHORT)])
def test_processes_give_the_same_as_this_process(env: str, options: dict[str, Any]) -> None:
    here, away = Lanes(env, 2, **options), Lanes(env, 2, processes=True, **options)
    assert here.spaces == away.spaces
    rng = np.random.default_rng(0)
    if here.spaces.discrete:
        actions: Any = rng.integers(here.spaces.action_size, size=(40, 2))
    else:
        actions = rng.uniform(-1.5, 1.5, (40, 2, 1)).astype(np.float32)
    ours, theirs = trajectory(here, actions), trajectory(away, actions)
    assert any(ours[-1]) and ours[-1] == theirs[-1]
    for one, other in zip(ours[:-1], theirs[:-1], strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)


def test_probes_are_known_to_processes() -> None:
    lanes = Lanes("whygrad/ProbeMatch-v0", 1, processes=True)
    lanes.start([0])
    assert lanes.step(np.array([1])).episodes[0].length == 1
    lanes.close()


@pytest.mark.parametrize(("env", "states"), [("FrozenLake-v1", 16), ("Taxi-v4", 500)])
def test_discrete_observations_are_one_hot(env: str, states: int) -> None:
    lanes = Lanes(env, 2)
    assert lanes.spaces.observation == (states,)
    for seen in (lanes.start([0, 1]), lanes.step(np.array([0, 1])).observation):
        assert seen.shape == (2, states) and seen.dtype == np.float32
        assert seen.sum(axis=1).tolist() == [1.0, 1.0] and seen.max() == 1.0


def test_actions_are_scaled_and_cut_to_the_bounds() -> None:
    env = Counter(length=99, box=Box(np.float32([-2.0, 0.0]), np.float32([2.0, 10.0]), dtype=np.float32))
    lanes = Lanes(env)
    lanes.start([0])
    for action in ([0.5, 0.0], [-1.0, 1.0], [-3.0, 7.0]):
        lanes.step(np.array([action], np.float32))
    assert [a.tolist() for a in env.got] == [[1.0, 5.0], [-2.0, 10.0], [-2.0, 10.0]]
    assert env.got[0].dtype == np.float32


def test_pendulum_gets_its_torque() -> None:
    lanes, raw = Lanes("Pendulum-v1"), gymnasium.make("Pendulum-v1")
    lanes.start([1])
    raw.reset(seed=1)
    seen, reward, *_ = raw.step(np.array([1.5], np.float32))
    step = lanes.step(np.array([[0.75]], np.float32))  # Of bounds -2 and 2.
    assert np.array_equal(step.observation[0], seen) and step.reward[0] == np.float32(reward)


def test_boxes_of_other_shapes_and_kinds() -> None:
    table = Counter(length=99, box=Box(-1.0, 1.0, (2, 2), np.float64))
    lanes = Lanes(table)
    assert lanes.spaces.action_size == 4
    lanes.start([0])
    lanes.step(np.array([[0.0, 0.25, 0.5, 1.0]]))
    assert table.got[0].tolist() == [[0.0, 0.25], [0.5, 1.0]] and table.got[0].dtype == np.float64
    whole = Counter(length=99, box=Box(0, 10, (1,), np.int32))
    lanes = Lanes(whole)
    lanes.start([0])
    lanes.step(np.array([[0.33]]))  # 5 + 0.33 × 5 = 6.65
    assert whole.got[0].tolist() == [7] and whole.got[0].dtype == np.int32


def test_choices_begin_where_the_space_begins() -> None:
    env = Counter(length=99, box=Discrete(3, start=5))
    lanes = Lanes(env)
    lanes.start([0])
    lanes.step(np.array([2], np.int32))
    assert env.got == [7] and type(env.got[0]) is int


def test_unsupported_spaces_are_named_and_the_environment_closed() -> None:
    with pytest.raises(Unsupported, match="its bounds are not finite"):
        Lanes(Counter, 1, box=Box(-np.inf, np.inf, (1,)))


@pytest.mark.parametrize("processes", [False, True])
def test_an_error_of_an_environment_says_where(processes: bool) -> None:
    lanes = Lanes(Counter, 2, processes=processes, fails=KeyError("lost"))
    lanes.start([0, 1])
    lanes.step(np.array([1, 4]))
    with pytest.raises(EnvironmentFailed) as caught:
        lanes.step(np.array([1, 4]))
    sentence = "Counter raised KeyError in lane {} when stepped with the action {}: 'lost'"
    # Both workers fail; Gymnasium raises what it hears last.
    assert str(caught.value) in {sentence.format(0, 1), *([sentence.format(1, 4)] if processes else [])}
    if not processes:
        assert isinstance(caught.value.__cause__, KeyError)
    lanes.close()


def test_a_worker_that_vanishes_is_missed() -> None:
    lanes = Lanes(Counter, 1, processes=True, fails="vanish")
    lanes.start([0])
    lanes.step(np.array([0]))
    with pytest.raises(EnvironmentFailed) as caught:
        lanes.step(np.array([0]))
    assert str(caught.value) == (
        "a worker process of Counter has gone without a word: out of memory, or ended from outside"
    )
    lanes.close()


def test_stepping_needs_no_framework() -> None:
    # Or every worker would spend seconds and hundreds of megabytes on one.
    program = "import sys, whygrad.rl.lanes; print({'keras', 'torch', 'tensorflow', 'jax'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize("reward", [float("nan"), float("inf")])
def test_a_reward_that_is_not_a_number_says_where(reward: float) -> None:
    lanes = Lanes(Counter, 1, fails=reward)
    lanes.start([0])
    lanes.step(np.array([3]))
    with pytest.raises(EnvironmentFailed) as caught:
        lanes.step(np.array([3]))
    assert str(caught.value) == f"Counter gave the reward {reward} in lane 0 when stepped with the action 3"


class Old(Counter):
    """Steps as before Gymnasium 0.26."""

    def step(self, action: Any) -> Any:
        return self.at, 1.0, False, {}


class Liar(Counter):
    """Has observations of another shape than it says."""

    def reset(self, **options: Any) -> Any:
        super().reset(**options)
        return np.zeros(7, np.float32), {}


class Silent(Counter):
    """Forgets the infos at its reset."""

    def reset(self, **options: Any) -> Any:
        return super().reset(**options)[0]


def test_environments_that_break_the_interface_are_named() -> None:
    lanes = Lanes(Old)
    lanes.start([0])
    with pytest.raises(EnvironmentFailed, match=r"^Old raised ValueError in lane 0 .*\(expected 5, got 4\)"):
        lanes.step(np.array([0]))
    with pytest.raises(EnvironmentFailed) as caught:
        Lanes(Liar).start([0])
    assert str(caught.value) == (
        "Liar says that its observations are Box(-inf, inf, (1,), float32), of shape (1,), but gave one of shape (7,) "
        "when it was reset"
    )
    with pytest.raises(EnvironmentFailed, match=r"^Silent raised ValueError in lane 0 when reset with seed 5: "):
        Lanes(Silent).start([5])


def test_actions_that_are_not_numbers_are_named() -> None:
    lanes = Lanes("Pendulum-v1")
    lanes.start([0])
    with pytest.raises(ValueError) as caught:
        lanes.step(np.array([[np.nan]]))
    assert str(caught.value) == "the policy gave an action that is not a number: [[nan]]"


def test_wrong_arguments_are_named() -> None:
    env = Counter()
    with pytest.raises(ValueError, match=r"is already made, so it can only be one lane.*received count=2"):
        Lanes(env, 2)
    with pytest.raises(ValueError, match=r"is already made.*processes=True"):
        Lanes(env, 1, processes=True)
    with pytest.raises(ValueError, match=r"at least one lane is needed; received count=0"):
        Lanes("CartPole-v1", 0)
    with pytest.raises(ValueError, match=r"one seed for each of 2 lanes is needed; received 1"):
        Lanes("CartPole-v1", 2).start([0])
    with pytest.raises(ValueError, match=r"one action for each of 2 lanes is needed; received 1"):
        lanes = Lanes("CartPole-v1", 2)
        lanes.start([0, 1])
        lanes.step(np.array([0]))
    with pytest.raises(TypeError, match=r"^an environment is a Gymnasium id, a function that makes one, or one"):
        Lanes(5)  # type: ignore[arg-type]
    with pytest.raises(gymnasium.error.NameNotFound, match="CartPole"):
        Lanes("CartPol-v1")


def test_one_that_was_handed_in_stays_open() -> None:
    closed = []

    class Door(Counter):
        def close(self) -> None:
            closed.append(1)

    lanes = Lanes(Door())
    lanes.close()
    assert closed == []
    Lanes(Door, 2).close()
    assert closed == [1, 1]
    assert Lanes(lambda: Counter(), 1).spaces == Spaces((1,), choices=5)
