"""Prioritised sampling: chances and weights against the formulas of Schaul et al. (2016)."""

from __future__ import annotations

import numpy as np
import pytest

from whygrad.rl.priorities import SMALLEST, Priorities
from whygrad.rl.replay import Replay


def filled(size: int, exponent: float, priority: list[float]) -> Priorities:
    made = Priorities(size, exponent)
    made.fresh(0, len(priority))
    made.set(np.arange(len(priority)), np.array(priority))
    return made


@pytest.mark.parametrize("exponent", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("size", [6, 7, 64, 1000])
def test_rows_are_drawn_in_proportion(size: int, exponent: float) -> None:
    priority = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    drawn = filled(size, exponent, priority)
    # One row a round: then the shares of the total do not make the draws more even than chance.
    index, _ = drawn.sample(np.random.default_rng(0), 20_000, 1, 6, 1.0)
    raised = (np.array(priority) + SMALLEST) ** exponent
    expected = 20_000 * raised / raised.sum()
    counts = np.bincount(index.ravel(), minlength=6)
    assert len(counts) == 6
    often = expected > 5
    chi = ((counts - expected)[often] ** 2 / expected[often]).sum()
    assert chi < 20.5  # Of 5 degrees of freedom, once in a thousand.


def test_weights_by_hand() -> None:
    drawn = filled(4, 1.0, [1.0, 3.0])
    # P = 1/4 and 3/4, N P = 1/2 and 3/2; to the power -1: 2 and 2/3; over the largest: 1 and 1/3.
    index, weight = drawn.sample(np.random.default_rng(0), 1, 64, 2, 1.0)
    assert set(index[0].tolist()) == {0, 1}
    assert weight.dtype == np.float32
    np.testing.assert_allclose(weight, np.where(index == 0, 1.0, 1.0 / 3.0), rtol=1e-5)
    # Half the correction: the root of it.
    index, weight = drawn.sample(np.random.default_rng(0), 1, 64, 2, 0.5)
    np.testing.assert_allclose(weight, np.where(index == 0, 1.0, (1.0 / 3.0) ** 0.5), rtol=1e-5)
    index, weight = drawn.sample(np.random.default_rng(0), 1, 64, 2, 0.0)
    assert (weight == 1.0).all()


def test_each_round_has_its_own_largest_weight() -> None:
    drawn = filled(100, 1.0, [float(p) for p in range(1, 51)])
    _, weight = drawn.sample(np.random.default_rng(0), 5, 8, 50, 0.7)
    assert (weight.max(axis=1) == 1.0).all()


def test_one_row_comes_from_each_share_of_the_total() -> None:
    drawn = filled(8, 1.0, [1.0] * 8)
    index, _ = drawn.sample(np.random.default_rng(0), 10, 8, 8, 1.0)
    assert np.array_equal(index, np.tile(np.arange(8), (10, 1)))


def test_new_rows_come_with_the_largest_priority_so_far() -> None:
    drawn = filled(10, 1.0, [1.0, 5.0])
    drawn.fresh(2, 4)
    assert drawn.state(4)["leaves"] == pytest.approx([1.0, 5.0, 5.0, 5.0], rel=1e-5)
    drawn.set(np.array([1]), np.array([0.1]))
    drawn.fresh(4, 5)
    assert drawn.state(5)["leaves"] == pytest.approx([1.0, 0.1, 5.0, 5.0, 5.0], rel=1e-4)


def test_the_sums_are_those_of_the_leaves_whatever_came_before() -> None:
    rng = np.random.default_rng(0)
    drawn = Priorities(700, 0.6)
    position = 0
    for _ in range(400):
        count = int(rng.integers(1, 30))
        end = min(position + count, 700)
        drawn.fresh(position, end)
        position = end % 700
        if rng.random() < 0.5:
            index, _ = drawn.sample(rng, 2, 8, end, 0.5)
            drawn.set(index.ravel(), rng.exponential(size=16))
    drawn.sample(rng, 1, 1, 700, 0.5)
    top, middle, leaves = drawn._levels
    np.testing.assert_array_equal(top.ravel(), middle.sum(axis=1))
    np.testing.assert_array_equal(middle.ravel(), leaves.sum(axis=1))


def test_no_index_is_beyond_the_rows() -> None:
    class Edge:
        def random(self, shape: tuple[int, ...]) -> np.ndarray:
            return np.full(shape, np.nextafter(1.0, 0.0))

    for count in range(1, 40):
        drawn = filled(40, 1.0, [0.1 * (k + 1) for k in range(count)])
        index, weight = drawn.sample(Edge(), 3, 7, count, 1.0)  # type: ignore[arg-type]
        assert index.max() < count and np.isfinite(weight).all()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), -1.0])
def test_a_priority_must_be_a_size(wrong: float) -> None:
    drawn = filled(4, 0.6, [1.0, 1.0])
    with pytest.raises(ValueError) as caught:
        drawn.set(np.array([0, 1]), np.array([1.0, wrong]))
    assert str(caught.value) == f"a priority is a finite size of an error; received {wrong} for row 1"


def test_a_memory_with_priorities_prefers_what_was_wrong() -> None:
    replay = Replay(100, (1,), (), np.int64, 1, priority_exponent=1.0)
    off = np.zeros(1, bool)
    for t in range(10):
        replay.add(np.full((1, 1), t), np.zeros(1), np.zeros(1), np.zeros((1, 1)), off, off)
    replay.reprioritise(np.arange(10), np.array([0.0] * 9 + [1.0]))
    batch = replay.sample(np.random.default_rng(0), 2, 32)
    assert (batch["observation"] == 9).all() and batch["index"].shape == (2, 32)
    replay.add(np.full((1, 1), 10), np.zeros(1), np.zeros(1), np.zeros((1, 1)), off, off)
    assert (replay.sample(np.random.default_rng(0), 1, 32)["index"] == 10).any()
