"""Advantages and returns, worked out by hand."""

from __future__ import annotations

import numpy as np

from whygrad.rl.returns import advantages


def column(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)[:, None]


def flags(text: str) -> np.ndarray:
    return np.array([c == "1" for c in text])[:, None]


def test_advantages_by_hand() -> None:
    # γ = 1/2, λ = 1/2, γλ = 1/4; no end.
    # δ = r + γ V' - V:  1 + 4/2 - 2 = 1;  2 + 6/2 - 4 = 1;  3 + 8/2 - 6 = 1.
    # A₂ = 1;  A₁ = 1 + 1/4 = 1.25;  A₀ = 1 + 1.25/4 = 1.3125.
    advantage, value = advantages(
        column(1, 2, 3), column(2, 4, 6), column(4, 6, 8), flags("000"), flags("000"), 0.5, 0.5
    )
    assert advantage.ravel().tolist() == [1.3125, 1.25, 1.0]
    assert value.ravel().tolist() == [3.3125, 5.25, 7.0]
    assert advantage.dtype == value.dtype == np.float32


def test_a_termination_in_the_middle_cuts_value_and_chain() -> None:
    # δ₁ = 2 + 0 - 4 = -2, and A₁ = δ₁ alone; A₀ = 1 - 2/4 = 0.5.
    advantage, _ = advantages(column(1, 2, 3), column(2, 4, 6), column(4, 6, 8), flags("010"), flags("000"), 0.5, 0.5)
    assert advantage.ravel().tolist() == [0.5, -2.0, 1.0]


def test_a_time_limit_in_the_middle_cuts_the_chain_but_not_the_value() -> None:
    # The value after step 1 is that of its final observation, 10, not of the next episode's first.
    # δ₁ = 2 + 10/2 - 4 = 3 = A₁;  A₀ = 1 + 3/4 = 1.75;  A₂ = 1 as before.
    advantage, value = advantages(
        column(1, 2, 3), column(2, 4, 6), column(4, 10, 8), flags("000"), flags("010"), 0.5, 0.5
    )
    assert advantage.ravel().tolist() == [1.75, 3.0, 1.0]
    assert value.ravel().tolist() == [3.75, 7.0, 7.0]


def test_lanes_do_not_mix() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(6, 3)).astype(np.float32) for _ in range(3)]
    ends = [rng.random((6, 3)) < 0.2 for _ in range(2)]
    together, _ = advantages(*arrays, *ends, 0.9, 0.8)
    for lane in range(3):
        alone, _ = advantages(*(a[:, lane : lane + 1] for a in (*arrays, *ends)), 0.9, 0.8)
        np.testing.assert_array_equal(alone[:, 0], together[:, lane])


def test_lambda_one_is_the_whole_return_and_lambda_zero_one_step() -> None:
    reward, value = column(1, 1, 1, 1), column(5, 6, 7, 8)
    following = column(6, 7, 8, 100)
    ends = flags("0001")
    _, whole = advantages(reward, value, following, ends, flags("0000"), 0.5, 1.0)
    assert whole.ravel().tolist() == [1.875, 1.75, 1.5, 1.0]
    one, _ = advantages(reward, value, following, ends, flags("0000"), 0.5, 0.0)
    assert one.ravel().tolist() == [1 + 3 - 5, 1 + 3.5 - 6, 1 + 4 - 7, 1 - 8]


def test_without_values_it_is_the_rewards_to_go_of_two_episodes() -> None:
    # 4 + (2 + 8/2)/2 = 7,  2 + 8/2 = 6,  8 |  1 + 6/2 = 4,  6.
    none = column(0, 0, 0, 0, 0)
    _, got = advantages(column(4, 2, 8, 1, 6), none, none, flags("00101"), flags("00000"), 0.5, 1.0)
    assert got.ravel().tolist() == [7.0, 6.0, 8.0, 4.0, 6.0]
    assert got.dtype == np.float32


def test_rewards_to_go_with_something_still_to_come() -> None:
    # The first episode was cut where 16 would have followed: 8 + 16/2 = 16, 2 + 16/2 = 10, 4 + 10/2 = 9.
    # The last row is not an end: 6 + 2/2 = 7 and 1 + 7/2 = 4.5.
    none, beyond = column(0, 0, 0, 0, 0), column(0, 0, 16, 0, 2)
    _, got = advantages(column(4, 2, 8, 1, 6), none, beyond, flags("00000"), flags("00100"), 0.5, 1.0)
    assert got.ravel().tolist() == [9.0, 10.0, 16.0, 4.5, 7.0]


def test_nothing_gives_nothing() -> None:
    shape = (0, 3)
    none, never = np.zeros(shape), np.zeros(shape, bool)
    advantage, following = advantages(none, none, none, never, never, 0.9, 0.8)
    assert advantage.shape == following.shape == shape
