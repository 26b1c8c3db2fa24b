"""Histograms over powers of two: every number in its bucket, whatever it is."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from whygrad.live import buckets

FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, width=32)


@given(arrays(np.float32, st.integers(1, 50), elements=FLOATS))
def test_a_number_lies_within_the_limits_of_its_bucket(numbers):
    for number, place in zip(numbers, buckets.places(numbers), strict=True):
        low, high = buckets.limits(int(place))
        assert low <= number <= high
        assert number == 0 or low < number < high or number in (low, high)


@given(arrays(np.float64, st.integers(1, 50), elements=FLOATS))
def test_both_kinds_of_floats_have_the_same_buckets(numbers):
    assert buckets.places(numbers).tolist() == buckets.places(numbers.astype(np.float32)).tolist()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_is_not_finite_has_buckets_of_its_own(kind):
    numbers = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], kind)
    places = buckets.places(numbers) & (buckets.NEGATIVE - 1)
    assert places.tolist() == [buckets.NOT_FINITE] * 3 + [buckets.SMALLEST] * 2


def test_beyond_float32_there_is_the_largest_and_the_smallest_bucket():
    assert buckets.places(np.array([1e300, 1e-300, -1e300])).tolist() == [254, 0, 256 + 254]


def test_histograms_of_parts_add_up_to_that_of_the_whole():
    numbers = np.random.default_rng(0).normal(size=1000).astype(np.float32)
    assert (buckets.count(numbers[:300]) + buckets.count(numbers[300:]) == buckets.count(numbers)).all()


def test_packed_histograms_come_back_as_they_were():
    counts = np.random.default_rng(0).integers(0, 10**12, (3, buckets.COUNT))
    assert (buckets.unpack(buckets.pack(counts)) == counts).all()


def test_buckets_in_order_touch_each_other():
    ordered = buckets.ordered()
    ends = [buckets.limits(bucket) for bucket in ordered]
    assert len(ordered) == 2 * buckets.NOT_FINITE
    assert all(before[1] == after[0] for before, after in itertools.pairwise(ends))
