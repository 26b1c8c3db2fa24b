"""Events: at the right update, with the right code, once, and not where nothing is wrong."""

import numpy as np

from whygrad.live.detecting import SINCE, Detector, StandingTarget
from whygrad.live.looks import INDEX, Looks, empty


def look(update, norms, applied=None, nans=(0, 0)):
    rows = empty(2)
    for place, norm in enumerate(norms):
        if norm is not None:
            rows[place, INDEX["present"]] = 1
            rows[place, INDEX["norm"]] = rows[place, INDEX["applied"]] = norm
    if applied is not None:
        rows[:, INDEX["applied"]] = applied
    rows[:, INDEX["nans"]] = nans
    return Looks(update, update, 1, 0.0, rows)


def told(looks, **options):
    """One by one, and in handfuls: that must not make a difference."""
    alone, together = Detector(["a", "b"], **options), Detector(["a", "b"], **options)
    found = [event for one in looks for event in alone.take([one])] + list(alone.end())
    parts = [looks[at : at + 13] for at in range(0, len(looks), 13)]
    assert [event for part in parts for event in together.take(part)] + list(together.end()) == found
    return found


def test_healthy_gradients_are_not_worth_a_word():
    rng = np.random.default_rng(0)
    assert told([look(update, rng.lognormal(0, 2, 2)) for update in range(500)]) == []


def test_a_gradient_that_never_comes():
    (event,) = told([look(update, (1.0, None)) for update in range(20)])
    assert (event.at, event.code, event.variable) == (0, "W105", "b")
    assert event.text == "b gets no gradient since update 0: nothing that the loss is made of leads back to it."


def test_a_gradient_that_is_lost():
    (event,) = told([look(update, (1.0, 1.0 if update < 7 else None)) for update in range(30)])
    assert (event.at, event.kind) == (7, "absent")
    assert event.text.startswith("b gets no gradient any more since update 7:")


def test_a_frozen_variable_is_said_at_once():
    (event,) = told([look(0, (1.0, None))], frozen=[False, True])
    assert (event.at, event.code) == (0, "W109")
    assert event.text == "b gets no gradient since update 0: it is frozen, and the optimizer is given it to train."


def test_few_looks_are_enough_at_the_end():
    assert [event.code for event in told([look(0, (1.0, None)), look(1, (1.0, None))])] == ["W105"]


def test_heads_that_take_turns_are_healthy():
    assert told([look(update, (1.0, None) if update % 5 else (None, 1.0)) for update in range(60)]) == []


def test_the_first_nan_is_told_once_while_it_lasts():
    looks = [
        look(update, (1.0, 1.0), nans=(0, 3) if 5 <= update < 9 or update == 20 else (0, 0)) for update in range(30)
    ]
    events = told(looks)
    assert [(event.at, event.code, event.variable) for event in events] == [(5, "W402", "b"), (20, "W402", "b")]
    assert events[0].text == "The gradient of b is NaN in update 5."


def test_a_layer_that_dies():
    (event,) = told([look(update, (1.0, 0.0 if update >= 12 else 0.5)) for update in range(40)])
    assert (event.at, event.code, event.variable) == (12, "W401", "b")
    assert event.text == "The gradient of b is zero since update 12; it was alive in update 11."


def test_a_zero_now_and_then_is_no_death():
    assert told([look(update, (1.0, 0.0 if update % SINCE else 1.0)) for update in range(100)]) == []


def test_a_clip_that_takes_nearly_everything():
    events = told([look(update, (30.0, 40.0), (0.0006, 0.0008) if update >= 3 else None) for update in range(30)])
    assert [(event.at, event.code) for event in events] == [(3, "W405")]
    assert events[0].text == "Clipping leaves 0.002 % of the gradient since update 3: a norm of 50 becomes 0.001."


def test_an_ordinary_clip_is_healthy():
    assert told([look(update, (30.0, 40.0), (3.0, 4.0)) for update in range(50)]) == []


def test_a_leap():
    events = told([look(update, (1e6, 1.0) if update == 25 else (1.0, 1.0)) for update in range(40)])
    assert [(event.at, event.code) for event in events] == [(25, "W404")]
    assert events[0].text == "The norm of all gradients is 1e+06 in update 25, 707107 times what was usual."


def test_after_convergence_small_ups_and_downs_are_healthy():
    assert told([look(u, (10.0 * 0.8**u + (1e-3 if u == 90 else 0), 1e-9)) for u in range(100)]) == []


def test_a_target_that_stands_still():
    target = StandingTarget("target", patience=100)
    events = [event for at in range(0, 400, 10) for event in target.take(at, float(at) if at <= 50 else 50.0)]
    assert [(event.at, event.code, event.variable) for event in events] == [(50, "W503", "target")]


def test_a_target_that_follows_now_and_then_is_healthy():
    target = StandingTarget("target", patience=100)
    assert [event for at in range(0, 1000, 10) for event in target.take(at, float(at // 90))] == []
