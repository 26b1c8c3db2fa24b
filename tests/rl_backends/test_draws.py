"""Random numbers of worlds: the same on every backend, and random enough."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from keras import ops

from whygrad.rl.agent import Noise
from whygrad.rl.worlds.draws import bits, integers, mix, noise, stream, uniform

array = keras.ops.convert_to_numpy


def int32(values):
    return ops.convert_to_tensor(np.asarray(values, np.int32))


def lowbias32(x):
    """The hash in Python's own whole numbers."""
    x ^= x >> 16
    x = x * 0x7FEB352D % 2**32
    x ^= x >> 15
    x = x * 0x846CA68B % 2**32
    return x ^ x >> 16


def test_the_hash_is_that_of_whole_numbers_without_a_sign():
    given = [0, 1, 2, 12345, 2**31 - 1, -1, -(2**31)]
    expected = [np.uint32(lowbias32(x % 2**32)).view(np.int32) for x in given]
    np.testing.assert_array_equal(array(mix(int32(given))), expected)


def test_numbers_that_every_backend_gives():
    assert array(bits(int32([7, 8]), int32([0, 1]))).tolist() == BITS
    assert array(integers(bits(int32(3), ops.arange(8, dtype="int32")), 79, 81)).tolist() == PLACES
    assert int(array(stream(int32(5), 1, int32(2)))) == KEY


@pytest.mark.parametrize("below", [1, 2, 3, 79])
def test_integers_are_spread_evenly(below):
    found = array(integers(bits(int32(11), ops.arange(79_000, dtype="int32")), below, 81))
    assert found.min() == 0 and found.max() == below - 1
    counts = np.bincount(found, minlength=below)
    np.testing.assert_allclose(counts, 79_000 / below, atol=5 * np.sqrt(79_000 / below))


def test_neighbouring_keys_and_counts_are_unrelated():
    grid = bits(int32(np.arange(200))[:, None], int32(np.arange(200))[None])
    numbers = array(uniform(grid)).astype(np.float64)
    assert abs(numbers.mean() - 0.5) < 0.01
    assert len(np.unique(numbers)) > 39_900
    for axis in (0, 1):
        first, second = np.moveaxis(numbers, axis, 0)[:-1], np.moveaxis(numbers, axis, 0)[1:]
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 0.02


@pytest.mark.parametrize(
    ("kind", "mean", "deviation"), [("uniform", 0.5, 12**-0.5), ("normal", 0.0, 1.0), ("gumbel", 0.5772, 1.2825)]
)
def test_noise_has_the_moments_of_its_kind(kind, mean, deviation):
    drawn = array(noise(Noise(kind, (3,)), int32(1), (20_000,)))
    assert drawn.shape == (20_000, 3) and drawn.dtype == np.float32
    assert np.isfinite(drawn).all()
    assert abs(drawn.mean() - mean) < 0.02
    assert abs(drawn.std() - deviation) < 0.02


# Made once; the same everywhere.
BITS = [-1384030416, -1992040768]
PLACES = [70, 60, 13, 51, 41, 21, 10, 2]
KEY = 1264890717
