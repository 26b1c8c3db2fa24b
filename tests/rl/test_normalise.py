"""Running moments against NumPy's, and the scale of rewards by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whygrad.rl.normalise import RewardScale, RunningMoments, merged


@settings(deadline=None)
@given(sizes=st.lists(st.integers(0, 9), min_size=1, max_size=8), offset=st.sampled_from([0.0, 1e4]))
def test_moments_are_those_of_all_rows(sizes: list[int], offset: float) -> None:
    rng = np.random.default_rng(sum(sizes))
    moments = RunningMoments((2, 3))
    batches = [offset + rng.normal(size=(size, 2, 3)) for size in sizes]
    for batch in batches:
        moments.update(batch)
    rows = np.concatenate(batches)
    assert moments.count == len(rows)
    if len(rows):
        np.testing.assert_allclose(moments.mean, rows.mean(axis=0), rtol=1e-9)
        np.testing.assert_allclose(moments.variance, rows.var(axis=0), rtol=1e-6, atol=1e-9)


def test_scaling_by_hand() -> None:
    moments = RunningMoments((1,))
    moments.update([[1.0], [3.0]])
    moments.update([[5.0], [7.0]])
    # Mean 4; squared distances 9 + 1 + 1 + 9 = 20, variance 5.
    assert moments.mean.tolist() == [4.0] and moments.variance.tolist() == [5.0]
    scaled = moments.scale(np.array([[4.0], [4.0 + 5.0**0.5], [1e9]]))
    assert scaled.ravel().tolist() == pytest.approx([0.0, 1.0, 10.0])
    assert scaled.dtype == np.float32


def test_nothing_seen_scales_nothing() -> None:
    assert RunningMoments((2,)).scale(np.array([[0.5, -2.0]])).tolist() == [[0.5, -2.0]]


def test_what_never_changes_becomes_zero() -> None:
    moments = RunningMoments((1,))
    moments.update(np.full((10, 1), 3.3))
    assert abs(float(moments.scale(np.array([[3.3]]))[0, 0])) < 1e-6


def test_wrong_shapes_are_named() -> None:
    with pytest.raises(ValueError) as caught:
        RunningMoments((3,)).update(np.zeros((5, 2)))
    assert str(caught.value) == "rows of shape (3,) expected, in an array [n, …]; received (5, 2)"
    with pytest.raises(ValueError) as caught:
        RunningMoments((3,)).load(RunningMoments((2,)).state())
    assert str(caught.value) == "moments of shape (3,) expected; the state has (2,)"
    with pytest.raises(ValueError) as caught:
        RewardScale(2, 0.9).load(RewardScale(3, 0.9).state())
    assert str(caught.value) == "returns of 2 lanes expected; the state has (3,)"


def test_rewards_by_hand() -> None:
    scale = RewardScale(2, 0.5)
    # Returns 4 and 0: mean 2, variance 4, deviation 2.
    assert scale.scale(np.array([4.0, 0.0], np.float32), np.array([False, False])).tolist() == pytest.approx([2.0, 0.0])
    # Returns 4/2 + 2 = 4 and 0; of 4 0 4 0 the deviation is 2 again. Lane 0 ends here.
    assert scale.scale(np.array([2.0, 0.0], np.float32), np.array([True, False])).tolist() == pytest.approx([1.0, 0.0])
    # Returns 0 + 1 (a new episode) and 0/2 + 1: of 4 0 4 0 1 1 the mean is 10/6, the variance 34/6 - 100/36 = 104/36.
    got = scale.scale(np.array([1.0, 1.0], np.float32), np.array([False, False]))
    assert got.tolist() == pytest.approx([(36 / 104) ** 0.5] * 2, rel=1e-6)


def test_a_cut_forgets_open_episodes() -> None:
    one, other = RewardScale(1, 0.9), RewardScale(1, 0.9)
    on, off = np.array([True]), np.array([False])
    one.scale(np.array([5.0]), off)
    one.cut()
    other.scale(np.array([5.0]), on)
    assert one.scale(np.array([2.0]), off) == other.scale(np.array([2.0]), off)


def test_put_back_they_go_on_the_same() -> None:
    rng = np.random.default_rng(0)
    scale, moments = RewardScale(3, 0.9), RunningMoments((2,))
    for _ in range(5):
        scale.scale(rng.normal(size=3), rng.random(3) < 0.3)
        moments.update(rng.normal(size=(4, 2)))
    other_scale, other_moments = RewardScale(3, 0.9), RunningMoments((2,))
    other_scale.load(scale.state())
    other_moments.load(moments.state())
    reward, rows = rng.normal(size=3), rng.normal(size=(4, 2))
    for _ in range(3):
        ended = rng.random(3) < 0.3
        np.testing.assert_array_equal(scale.scale(reward, ended), other_scale.scale(reward, ended))
        moments.update(rows)
        other_moments.update(rows)
        np.testing.assert_array_equal(moments.scale(rows), other_moments.scale(rows))


def test_moments_of_several_that_went_on_from_one_are_those_of_all_rows() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(loc=i, scale=1 + i, size=(50 + 30 * i, 3)) for i in range(4)]
    common, rows = parts[0], parts[1:]
    begun = RunningMoments((3,))
    begun.update(common)
    states = []
    for part in rows:
        one = RunningMoments((3,))
        one.load(begun.state())
        one.update(part[:20])
        one.update(part[20:])
        states.append(one.state())
    idle = RunningMoments((3,))
    idle.load(begun.state())  # saw nothing
    found = merged(begun.state(), [*states, idle.state()])
    everything = np.concatenate(parts)
    assert found["count"] == len(everything)
    np.testing.assert_allclose(found["mean"], everything.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found["squares"] / len(everything), everything.var(axis=0), rtol=1e-12)


def test_moments_of_one_alone_are_its_own_to_the_bit() -> None:
    one = RunningMoments((2,))
    before = one.state()
    one.update(np.random.default_rng(0).normal(size=(7, 2)))
    found = merged(before, [one.state()])
    for name, value in one.state().items():
        np.testing.assert_array_equal(found[name], value)
