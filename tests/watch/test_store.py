"""What is stored stays, stays small, and can be read while it is written."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from whygrad.live import buckets
from whygrad.live.event import Event
from whygrad.live.looks import FIELDS, INDEX, Looks, merged
from whygrad.live.reading import BadRecord, Reading
from whygrad.live.spreads import Spread
from whygrad.live.store import Store, Variable
from whygrad.live.tables import LOOKS, SCALARS, SPREADS

VARIABLES = [Variable("net.weight", "net", (2, 3)), Variable("net.bias", "net", (2,))]


def look(update, value=1.0):
    return Looks(update, update, 1, float(update), np.full((2, len(FIELDS)), value))


def test_what_was_stored_is_read(tmp_path):
    store = Store(tmp_path)
    group = store.group("Adam", VARIABLES)
    store.about(framework="PyTorch")
    store.looks(group, [look(0), look(1, 2.0)])
    store.spread(group, Spread(0, 1, 2, np.ones((2, buckets.COUNT), int)))
    store.scalar("loss", 1, 0.5)
    store.event(group, Event(1, "dead", "W401", "net.bias", "it died"))
    store.progress(group, 2, 2, 1)
    store.flush()
    reading = Reading(tmp_path)  # while it is open for writing
    assert reading.about() == {"framework": "PyTorch"}
    (found,) = reading.groups()
    assert (found.name, found.updates, found.looks, found.variables) == ("Adam", 2, 2, tuple(VARIABLES))
    assert [(one.first, one.rows[0, 0]) for one in reading.looks(group)] == [(0, 1.0), (1, 2.0)]
    assert reading.spreads(group)[0].counts.sum() == 2 * buckets.COUNT
    assert [(one.first, one.mean) for one in reading.scalars()["loss"]] == [(1, 0.5)]
    assert [(one.at, one.code) for one in reading.events()] == [(1, "W401")]
    store.close()
    store.close()


def test_a_long_run_stays_small_and_keeps_its_means(tmp_path):
    store = Store(tmp_path)
    group = store.group("Adam", VARIABLES)
    updates = 3 * LOOKS.cap + 17
    for update in range(updates):
        store.looks(group, [look(update, float(update))])
        store.scalar("loss", update, float(update))
        if update % 8 == 0:
            store.spread(group, Spread(update, update + 7, 8, np.ones((2, buckets.COUNT), int)))
    store.close()
    reading = Reading(tmp_path)
    looks = reading.looks(group)
    assert LOOKS.cap / 2 <= len(looks) <= LOOKS.cap
    assert sum(one.count for one in looks) == updates
    assert [one.first for one in looks[1:]] == [one.last + 1 for one in looks[:-1]]
    mean = sum(one.rows[0, INDEX["norm"]] * one.count for one in looks) / updates
    assert mean == pytest.approx((updates - 1) / 2)
    assert looks[-1].rows[0, INDEX["peak"]] == updates - 1
    spreads = reading.spreads(group)
    assert len(spreads) <= SPREADS.cap
    assert sum(one.counts.sum() for one in spreads) == -(-updates // 8) * 2 * buckets.COUNT
    scalars = reading.scalars()["loss"]
    assert len(scalars) <= SCALARS.cap
    assert (scalars[0].low, scalars[-1].high) == (0.0, updates - 1)


def test_a_run_that_is_opened_again_goes_on(tmp_path):
    for begin in (0, 5):
        store = Store(tmp_path)
        group = store.group("Adam", VARIABLES)
        store.looks(group, [look(update) for update in range(begin, begin + 5)])
        store.close()
    assert [one.first for one in Reading(tmp_path).looks(group)] == list(range(10))
    assert len(Reading(tmp_path).groups()) == 1


def test_other_variables_under_the_same_name_are_another_group(tmp_path):
    store = Store(tmp_path)
    first = store.group("Adam", VARIABLES)
    second = store.group("Adam", VARIABLES[:1])
    store.close()
    assert first != second
    assert [group.name for group in Reading(tmp_path).groups()] == ["Adam", "Adam (2)"]


def test_a_resumed_run_forgets_what_came_after_its_checkpoint(tmp_path):
    store = Store(tmp_path)
    group = store.group("Adam", VARIABLES)
    store.looks(group, [look(update) for update in range(10)])
    store.event(group, Event(3, "dead", "W401", "x", "x"))
    store.event(group, Event(8, "dead", "W401", "x", "x"))
    store.rewind(4, 4)
    store.looks(group, [look(5, 7.0)])
    store.close()
    reading = Reading(tmp_path)
    assert [one.first for one in reading.looks(group)] == [0, 1, 2, 3, 4, 5]
    assert [event.at for event in reading.events()] == [3]


def test_numbers_that_are_not_finite_do_not_take_their_neighbours_with_them():
    one, other = look(0, 2.0), look(1, 4.0)
    other.rows[0, INDEX["norm"]] = np.nan
    other.rows[:, INDEX["nans"]] = 3
    both = merged([one, other])
    assert both.rows[:, INDEX["norm"]].tolist() == [2.0, 3.0]
    assert both.rows[:, INDEX["nans"]].tolist() == [5.0, 5.0]


def test_a_full_disk_is_said_and_training_goes_on(tmp_path, monkeypatch):
    store = Store(tmp_path)
    group = store.group("Adam", VARIABLES)

    def full(_db):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store, "_commit", full)
    store.looks(group, [look(0)])
    with pytest.raises(OSError, match=r"cannot be written any more: OperationalError: database or disk is full"):
        store.flush()
    store.looks(group, [look(1)])
    store.close()


def test_a_folder_without_a_record_is_named(tmp_path):
    with pytest.raises(BadRecord, match=r"has no watch\.db: nothing was watched there"):
        Reading(tmp_path)
    (tmp_path / "watch.db").write_bytes(b"this is no database, but it is long enough to look like one" * 50)
    with pytest.raises(BadRecord, match="cannot be read"):
        Reading(tmp_path).groups()


KILLED = """
import sys
import numpy as np
from whygrad.live.looks import FIELDS, Looks
from whygrad.live.store import Store, Variable
store = Store(sys.argv[1])
group = store.group("Adam", [Variable("w", "net", (2,))])
update = int(sys.argv[2])
while True:
    for _ in range(int(sys.argv[3])):
        store.looks(group, [Looks(update, update, 1, 0.0, np.full((1, len(FIELDS)), float(update)))])
        update += 1
    store.flush()
    print(update - 1, flush=True)
"""


@pytest.mark.timeout(600)
def test_a_hundred_kills_lose_nothing_that_was_acknowledged(tmp_path):
    rng = np.random.default_rng(0)
    script = tmp_path / "killed.py"
    script.write_text(textwrap.dedent(KILLED))
    folder, done, acknowledged = tmp_path / "run", -1, []
    for _kill in range(100):
        process = subprocess.Popen(
            [sys.executable, str(script), str(folder), str(done + 1), str(rng.integers(1, 40))],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _line in range(int(rng.integers(1, 4))):
            done = int(process.stdout.readline())
        os.kill(process.pid, signal.SIGKILL)
        rest = process.communicate()[0].split()
        done = int(rest[-1]) if rest else done
        acknowledged.append(done)
        looks = Reading(folder).looks(1)
        seen = max(one.last for one in looks)
        assert seen >= done
        done = seen  # what was committed and not said yet is there all the same
    assert sum(one.count for one in Reading(folder).looks(1)) == done + 1
    assert acknowledged == sorted(acknowledged)
