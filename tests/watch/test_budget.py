"""How often is looked, from what a look costs."""

import pytest

from whygrad.live.budget import FIRST, Budget


def looked_at(budget, updates, update_takes, look_takes):
    now, looked = 0.0, []
    for update in range(updates):
        due = budget.due(update)
        now += update_takes + (look_takes if due else 0.0)
        if due:
            looked.append(update)
        budget.ended(update, now, look_takes if due else 0.0)
    return looked, now


@pytest.mark.parametrize(("cost", "share"), [(0.3, 0.02), (0.01, 0.02), (2.0, 0.1)])
def test_looking_takes_no_more_than_its_share(cost, share):
    looked, took = looked_at(Budget(share), 5000, 1.0, cost)
    late = [update for update in looked if update > 1000]
    assert len(late) * cost <= share * took * 1.05
    assert len(late) * cost >= share * 4000 * 0.5 or len(late) == 3999


def test_the_first_updates_are_looked_at_in_any_case():
    assert looked_at(Budget(0.001), 100, 1.0, 5.0)[0][:FIRST] == list(range(FIRST))


def test_a_fixed_distance_stays_fixed():
    assert looked_at(Budget(every=7), 30, 1.0, 100.0)[0] == [0, 7, 14, 21, 28]


def test_a_pause_is_not_taken_for_slow_updates():
    budget, now = Budget(0.02), 0.0
    for update in range(500):
        now += 1000.0 if update == 250 else 1.0
        due = budget.due(update)
        budget.ended(update, now, 0.5 if due else 0.0)
        if due and update > 260:
            assert budget.every >= 15


@pytest.mark.parametrize(
    ("share", "every", "said"), [(0.0, None, "above 0"), (1.5, None, "up to 1"), (0.1, 0, "1 or more")]
)
def test_what_cannot_be_is_refused(share, every, said):
    with pytest.raises(ValueError, match=said):
        Budget(share, every)
