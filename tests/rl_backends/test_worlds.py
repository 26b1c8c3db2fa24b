"""CartPole and Pendulum are Gymnasium's, worlds are found by their ids, and time limits are their own."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from keras import ops

from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.catalogue import WORLDS, find_world
from whygrad.rl.worlds.gym_programs import arrays, programs
from whygrad.rl.worlds.pendulum import Pendulum
from whygrad.rl.worlds.snake import Snake


def test_cartpole_is_gymnasiums():
    theirs = gymnasium.make("CartPole-v1").unwrapped
    world = CartPole()
    step = programs(world).step
    zero = np.zeros(1, np.int32)
    free = None
    for start in ([0.01, -0.02, 0.03, 0.04], [-1.0, 0.4, -0.1, 0.2]):
        theirs.reset(seed=0)
        theirs.state = np.array(start)
        rng = np.random.default_rng(0)
        for n in range(200):
            x, speed, angle, spin = map(float, theirs.state)
            action = int(angle + 0.4 * spin + 0.05 * x + 0.1 * speed > 0)
            action = action if rng.random() < 0.95 else 1 - action
            push = ops.ones((1,), "int32") * action
            numbers = np.array([[x, speed, angle, spin]], np.float32)
            free = numbers if n == 0 else free
            after, told = step(_tensors(key=zero, drawn=zero, steps=zero, numbers=numbers), push)
            own, _ = step(_tensors(key=zero, drawn=zero, steps=zero, numbers=free), push)
            free = arrays(own["numbers"])
            seen, reward, terminated, _, _ = theirs.step(action)
            assert np.allclose(arrays(after["numbers"])[0], theirs.state, atol=1e-5)
            assert np.allclose(arrays(told["observation"])[0], seen, atol=1e-5)
            assert float(arrays(told["reward"])[0]) == reward
            assert bool(arrays(told["terminated"])[0]) == terminated
            if n < 50:  # an upright pole makes the smallest difference large: later they part
                assert np.allclose(free[0], theirs.state, atol=1e-4)
            if terminated:
                break
        assert n > 50


def test_pendulum_is_gymnasiums():
    theirs = gymnasium.make("Pendulum-v1").unwrapped
    step = programs(Pendulum()).step
    zero = np.zeros(1, np.int32)
    theirs.reset(seed=0)
    theirs.state = np.array([2.5, -0.7])
    rng = np.random.default_rng(0)
    angle, speed = np.float32([2.5]), np.float32([-0.7])
    for n in range(200):
        torque = float(np.float32(rng.uniform(-2.5, 2.5)))  # also more than there is
        state = _tensors(key=zero, drawn=zero, steps=zero, angle=angle, speed=speed)
        after, told = step(state, ops.convert_to_tensor(np.float32([[torque / 2]])))
        seen, reward, terminated, _, _ = theirs.step(np.array([torque]))
        angle, speed = arrays(after["angle"]), arrays(after["speed"])
        assert np.allclose(arrays(told["observation"])[0], seen, atol=1e-4)
        assert float(arrays(told["reward"])[0]) == pytest.approx(reward, abs=1e-3)
        assert not arrays(told["terminated"])[0]
        assert not terminated
        if n % 20 == 19:  # differences of rounding do not add up for ever
            angle, speed = (np.float32([x]) for x in theirs.state)


def _tensors(**numbers):
    return {name: ops.convert_to_tensor(value) for name, value in numbers.items()}


@pytest.mark.parametrize(("world", "last"), [(CartPole(limit=3), 3), (Pendulum(limit=4), 4), (Pendulum(), 200)])
def test_time_limits(world, last):
    begin, _, step, *_ = programs(world)
    state, _ = begin(ops.zeros((2,), dtype="int32"), ops.zeros((2,), dtype="int32"))
    action = ops.zeros((2,), dtype="int32") if world.spaces.discrete else ops.zeros((2, 1))
    for n in range(1, last + 1):
        state, told = step(state, action)
        assert arrays(told["truncated"]).tolist() == [n == last] * 2
    assert world.cut_off
    assert not CartPole(limit=None).cut_off


def test_worlds_are_found_by_their_ids():
    assert [world.ID for world in WORLDS] == ["whygrad/Snake-v0", "whygrad/CartPole-v1", "whygrad/Pendulum-v1"]
    assert find_world("whygrad/Snake-v0", {"height": 5}) == Snake(height=5)
    assert find_world("CartPole-v1", {}) is None
    with pytest.raises(ValueError) as refused:
        find_world("whygrad/CartPole-v1", {"limits": 5})
    assert str(refused.value).startswith("whygrad/CartPole-v1 has no setting 'limits'; did you mean 'limit'?")
