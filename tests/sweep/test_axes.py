"""What is swept: from words to configurations."""

from __future__ import annotations

import numpy as np
import pytest

from whygrad.cli import sweep_axes
from whygrad.cli.agent_settings import BadSetting
from whygrad.rl.agents.dqn import DQN
from whygrad.rl.sweeping.axes import Axis, BadSweep, between, check_axes, configurations, make_axis, seeds


def parsed(*words: str) -> list[Axis]:
    return sweep_axes.parse(DQN, words)


def test_seeds_are_every_whole_number_of_a_range() -> None:
    assert seeds(parsed("seed=1..5")) == (1, 2, 3, 4, 5)
    assert seeds(parsed("seed=0..19")) == tuple(range(20))
    assert seeds(parsed("seed=3/7")) == (3, 7)
    assert seeds(parsed("lr=1e-3/1e-2")) == (0,)


def test_few_whole_numbers_are_all_of_them_and_many_are_drawn() -> None:
    (few,) = parsed("n_step=1..10")
    assert few.values == tuple(range(1, 11))
    (many,) = parsed("batch_size=16..512")
    assert (many.drawn, many.whole, many.log) == (True, True, True)
    drawn = many.draw(20, 0)
    assert all(isinstance(value, int) and 16 <= value <= 512 for value in drawn)


def test_a_range_of_numbers_is_logarithmic_when_it_spans_ten_times_or_more() -> None:
    (rate,) = parsed("lr=1e-4..1e-2")
    assert (rate.field, rate.low, rate.high, rate.log) == ("learning_rate", 1e-4, 1e-2, True)
    (edge,) = parsed("lr=1e-3..1e-2")
    assert edge.log
    (gamma,) = parsed("gamma=0.9..0.999")
    assert gamma.drawn
    assert not gamma.log
    (zero,) = parsed("gamma=0..1")
    assert not zero.log  # no power of ten is zero
    assert not zero.whole  # the ends are whole, the setting is not


def test_one_value_is_drawn_out_of_each_part() -> None:
    (rate,) = parsed("lr=1e-4..1e-2")
    decades = sorted(np.log10(rate.draw(4, 0)))
    for part, value in enumerate(decades):  # four parts of half a power of ten; values have three digits
        assert -4 + part / 2 - 0.01 <= value <= -4 + (part + 1) / 2 + 0.01
    (gamma,) = parsed("gamma=0.9..0.999")
    for part, value in enumerate(sorted(gamma.draw(3, 0))):
        assert 0.9 + 0.033 * part - 0.001 <= value <= 0.9 + 0.033 * (part + 1) + 0.001


def test_what_is_drawn_follows_from_the_seed_of_the_sweep_alone() -> None:
    alone, beside = parsed("lr=1e-4..1e-2"), parsed("gamma=0.9..0.99", "lr=1e-4..1e-2")
    first = configurations(alone, 5, 0)
    assert first == configurations(alone, 5, 0)
    assert first != configurations(alone, 5, 1)
    both = configurations(beside, 5, 0)
    assert sorted(one["learning_rate"] for one in both) == [one["learning_rate"] for one in first]
    assert len(both) == 5  # ranges are drawn together, not combined


def test_lists_are_combined_with_lists_and_with_what_is_drawn() -> None:
    axes = parsed("hidden=64,64/256,256", "double=true/false", "lr=1e-4..1e-2", "seed=1..2")
    found = configurations(axes, 3, 0)
    assert len(found) == 2 * 2 * 3
    assert {(one["hidden"], one["double"]) for one in found} == {
        ((64, 64), True), ((64, 64), False), ((256, 256), True), ((256, 256), False),
    }  # fmt: skip
    assert list(found[0]) == ["hidden", "double", "learning_rate"]


def test_whole_numbers_that_are_drawn_twice_are_trained_once() -> None:
    (axis,) = parsed("batch_size=2..13")
    assert len(configurations([axis], 100, 0)) == 12


def test_only_seeds_are_one_configuration() -> None:
    assert configurations(parsed("seed=1..3"), 5, 0) == [{}]


def test_a_setting_may_be_absent_in_a_list_and_a_number_in_a_range() -> None:
    (listed,) = parsed("clip=none/10")
    assert listed.values == (None, 10.0)
    (drawn,) = parsed("clip=0.1..10")
    assert drawn.log


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("lr", "--over takes field=low..high or field=one/another, and 'lr' has no '='."),
        ("lr=", "--over learning_rate= has no values: learning_rate=low..high, or learning_rate=one/another."),
        ("lr=1e-4..", "a range has two ends, learning_rate=low..high, got 'lr=1e-4..'."),
        ("lr=1e-2..1e-4", "the range 0.01..0.0001 of learning_rate is empty: write learning_rate=0.0001..0.01"),
        ("seed=5..1", "the range 5..1 of seed is empty: write seed=1..5"),
        ("seed=-3..2", "a seed is a whole number, 0 or more, got -3"),
        ("seed=0..1e9", "seed=0..1000000000 are 1,000,000,001 values; a sweep has at most 10,000 trials"),
        ("hidden=64..256", "hidden is no number and has no range; list its values: --over hidden=one/another"),
        ("trunk=plain..board", "trunk is no number and has no range; list its values: --over trunk=one/another"),
        ("double=true..false", "double is no number and has no range; list its values: --over double=one/another"),
        ("lr=1e-3/1e-3", "learning_rate has the value 0.001 twice"),
    ],
)
def test_what_cannot_be_swept_over_is_a_sentence(word: str, sentence: str) -> None:
    with pytest.raises(BadSweep) as caught:
        parsed(word)
    assert str(caught.value) == sentence


def test_a_setting_that_is_none_is_named_with_its_neighbour() -> None:
    with pytest.raises(BadSweep, match=r"^dqn has no setting 'gama'\. Did you mean gamma\? Its settings are l"):
        parsed("gama=0.9/0.99")


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("lr=1e-4..fast", "learning_rate is a number, got 'fast'."),
        ("lr=1e-4/", "learning_rate is a number, got ''."),
        ("n_step=1..2.5", "n_step is a whole number, got '2.5'."),
        ("seed=one/two", "a seed is a whole number, 0 or more, got 'one'."),
        ("lr=nan..1", "learning_rate is a number, got 'nan'."),
    ],
)
def test_values_are_read_as_set_reads_them(word: str, sentence: str) -> None:
    with pytest.raises(BadSetting) as caught:
        parsed(word)
    assert str(caught.value) == sentence


def test_a_setting_is_given_once() -> None:
    with pytest.raises(BadSweep, match="learning_rate is swept over twice; give all of its values at once"):
        check_axes(parsed("lr=1e-4..1e-2", "learning_rate=1"), {})
    with pytest.raises(BadSweep, match="gamma is both set and swept over; leave one of them out"):
        check_axes(parsed("gamma=0.9/0.99"), {"gamma": 0.9})
    with pytest.raises(BadSweep, match="over what"):
        check_axes([], {})


def test_from_python_lists_ranges_and_numbers_of_numpy() -> None:
    assert make_axis(DQN, "seed", range(1, 4)).values == (1, 2, 3)
    assert make_axis(DQN, "lr", np.array([0.1, 0.2])).values == (0.1, 0.2)
    assert make_axis(DQN, "lr", between(1e-4, 1e-2)) == parsed("lr=1e-4..1e-2")[0]
    with pytest.raises(BadSweep, match=r"learning_rate is swept over a list, \[1, 2, 3\], or a range"):
        make_axis(DQN, "lr", 0.1)
    with pytest.raises(BadSweep, match="gamma has no value"):
        make_axis(DQN, "gamma", [])
    with pytest.raises(BadSweep, match=r"n_step is a whole number, and its range is 1..2\.5"):
        make_axis(DQN, "n_step", between(1, 2.5))
