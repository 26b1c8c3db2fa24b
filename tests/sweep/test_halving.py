"""Which configurations are stopped early, by hand."""

from __future__ import annotations

import math

from whygrad.rl.sweeping.halving import Halving, Stopped, rungs


def test_rungs_are_a_quarter_and_a_half_of_the_training() -> None:
    assert rungs(20_000) == (5_000, 10_000)
    assert rungs(600) == (150, 300)
    assert rungs(20_000, grace=1_000) == (1_000, 2_000, 4_000, 8_000, 16_000)
    assert rungs(100, grace=100) == ()
    assert rungs(1) == ()


def test_the_worse_half_is_stopped_once_four_are_known() -> None:
    halving = Halving((100,))
    assert halving.told(0, 1, 100, 1.0) is None  # the first three have nothing to be compared with
    assert halving.told(1, 1, 100, 2.0) is None
    assert halving.told(2, 1, 100, 3.0) is None
    assert halving.told(3, 1, 100, 2.5) is None  # second of four
    assert halving.told(4, 1, 100, 0.5) == Stopped(configuration=4, rung=100, mean=0.5, place=5, known=5)
    assert list(halving.stopped) == [4]


def test_nothing_is_said_before_the_rung_and_only_once_at_it() -> None:
    halving = Halving((100,))
    for configuration in range(4):
        halving.told(configuration, 1, 100, 10.0)
    assert halving.told(4, 1, 99, 0.0) is None
    assert halving.told(4, 1, 130, 0.0) is not None  # the first evaluation after it counts
    assert halving.told(4, 2, 130, 0.0) is None


def test_a_configuration_is_worth_the_mean_of_its_seeds() -> None:
    halving = Halving((100,))
    for configuration, value in enumerate((6.0, 5.0, 4.0)):
        halving.told(configuration, 1, 100, value)
    assert halving.told(3, 1, 100, 5.5) is None
    # An unlucky seed does not stop it (5.5 and 4.9 are 5.2, second of four); a second one does (5.5, 4.9, 0).
    assert halving.told(3, 2, 100, 4.9) is None
    found = halving.told(3, 3, 100, 0.0)
    assert found is not None
    assert math.isclose(found.mean, 10.4 / 3)
    assert found.place == 4


def test_equals_are_not_stopped() -> None:
    halving = Halving((100,))
    assert [halving.told(configuration, 1, 100, 9.0) for configuration in range(8)] == [None] * 8


def test_a_return_that_is_no_number_is_the_worst() -> None:
    halving = Halving((100,))
    for configuration, value in enumerate((-1e9, -1e9, -1e9)):
        halving.told(configuration, 1, 100, value)
    assert halving.told(3, 1, 100, math.nan) is not None


def test_what_is_known_already_is_not_judged_again() -> None:
    halving = Halving((100, 200))
    for configuration, value in enumerate((6.0, 5.0, 4.0, 3.0)):
        assert halving.told(configuration, 1, 250, value, judge=False) is None
    assert halving.told(3, 1, 300, 0.0) is None  # it has reached both rungs before
    found = halving.told(3, 2, 100, 3.0)
    assert found is not None
    assert (found.rung, found.known) == (100, 4)
