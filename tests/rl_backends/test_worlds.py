"""Random numbers that are the same everywhere, and worlds with the dynamics of Gymnasium's environments."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from keras import ops

from whygrad.rl.worlds.cartpole import CartPole
from whygrad.rl.worlds.catalogue import WORLDS, find_world
from whygrad.rl.worlds.draws import bits, integers, mix, uniform
from whygrad.rl.worlds.gym_programs import arrays, programs
from whygrad.rl.worlds.pendulum import Pendulum
from whygrad.rl.worlds.snake import Snake


def plain_mix(x):
    """The hash in whole numbers that have no end."""
    x ^= x >> 16
    x = x * 0x7FEB352D % 2**32
    x ^= x >> 15
    x = x * 0x846CA68B % 2**32
    return x ^ x >> 16


def signed(numbers):
    return np.array(numbers, np.uint32).view(np.int32)


def test_the_hash():
    some = [0, 1, 2, 12345, 2**31 - 1, 2**31, 2**32 - 1, 0xDEADBEEF]
    assert np.array_equal(arrays(mix(ops.convert_to_tensor(signed(some)))), signed([plain_mix(x) for x in some]))
    key, count = 77, list(range(8))
    expected = [plain_mix(key ^ plain_mix((n * (2**32 - 1640531527) + 1) % 2**32)) for n in count]
    drawn = bits(ops.convert_to_tensor(signed([key] * 8)), ops.convert_to_tensor(np.array(count, np.int32)))
    assert np.array_equal(arrays(drawn), signed(expected))


def test_whole_numbers_are_even_and_in_range():
    drawn = bits(ops.zeros((60_000,), dtype="int32"), ops.arange(60_000, dtype="int32"))
    for below in (1, 2, 3, 81):
        found = np.bincount(arrays(integers(drawn, below, 81)), minlength=below)
        assert len(found) == below
        assert np.abs(found / 60_000 - 1 / below).max() < 5 * np.sqrt(1 / below / 60_000)
    numbers = arrays(uniform(drawn))
    assert 0 <= numbers.min() < 0.001 < 0.999 < numbers.max() < 1
    assert abs(numbers.mean() - 0.5) < 0.006


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
            action = int(angle + 0.4 * spin + 0.05 * x + 0.1 * speed > 0) if rng.random() < 0.95 else int(rng.integers(2))
            numbers = np.array([[x, speed, angle, spin]], np.float32)
            free = numbers if n == 0 else free
            after, told = step(_tensors(key=zero, drawn=zero, steps=zero, numbers=numbers), ops.ones((1,), "int32") * action)
            own, _ = step(_tensors(key=zero, drawn=zero, steps=zero, numbers=free), ops.ones((1,), "int32") * action)
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
