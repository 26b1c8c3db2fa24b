"""What is said about runs whose every number is known."""

from __future__ import annotations

import base64
import json

import made_runs
import numpy as np
import pytest

from whygrad.live import buckets, heat
from whygrad.live.event import Event
from whygrad.live.looks import INDEX, empty
from whygrad.live.run_listing import Runs
from whygrad.live.spread_rows import SpreadMemory
from whygrad.live.spreads import Spread
from whygrad.live.store import Store, Variable
from whygrad.view import answers


def run_named(root, name):
    return next(run for run in Runs(root).all() if run.name == name)


def cells(found):
    return np.frombuffer(base64.b64decode(found["cells"]), np.uint8).reshape(len(found["rows"]), found["columns"])


def small(folder, norms):
    """One group of two variables; `norms` are pairs, None for no gradient."""
    store = Store(folder)
    group = store.group("Adam", [Variable("b.w", "b", (2, 2)), Variable("a.w", "a", (3,))])
    for at, pair in enumerate(norms):
        rows = empty(2)
        for place, norm in enumerate(pair):
            if norm is not None:
                rows[place, INDEX["present"]] = 1
                rows[place, INDEX["norm"]] = rows[place, INDEX["applied"]] = norm
                rows[place, INDEX["zeros"]] = 1.0 if norm == 0 else 0.0
                if not np.isfinite(norm):
                    rows[place, INDEX["nans"]] = 1
        store.looks(group, [made_runs.look(at, rows)])
    numbers = np.array([1.0, -1.5, 0.25, 0.0, np.inf], np.float32)
    counts = np.stack([buckets.count(numbers), buckets.count(numbers[:1])])
    store.spread(group, Spread(0, 1, 2, counts))
    store.spread(group, Spread(2, 3, 2, counts * 3))
    store.scalar("loss", 0, 2.0)
    store.scalar("loss", 3, float("nan"))
    store.event(group, Event(1, "died", "W401", "b.w", "it is zero"))
    store.progress(group, len(norms), len(norms), 1)
    store.close()


@pytest.fixture
def tiny(tmp_path):
    small(tmp_path / "tiny", [(1.0, 0.01), (0.0, 0.01), (None, 0.01), (float("nan"), 10.0)])
    return run_named(tmp_path, "tiny")


def test_the_heat_map_says_zero_absent_and_broken_apart(tiny):
    found = answers.heat_map(tiny, "norm")
    assert [row["name"] for row in found["rows"]] == ["b.w", "a.w"]
    assert (found["first"], found["last"], found["columns"]) == (0, 3, 4)
    first, second = cells(found)
    assert first.tolist()[1:] == [heat.ZERO, heat.ABSENT, heat.BROKEN]
    assert first[0] > second[0] >= heat.LOWEST
    assert second.tolist()[:3] == [second[0]] * 3
    assert second[3] == 255


def test_many_zeros_are_dark(tiny):
    first, second = cells(answers.heat_map(tiny, "zeros"))
    assert first[1] == heat.ZERO
    assert second[0] == 255


def test_a_part_of_the_time(tiny):
    found = answers.heat_map(tiny, "norm", 1, 2)
    assert (found["first"], found["last"], found["columns"], found["whole"]) == (1, 2, 2, False)
    assert cells(found)[0].tolist() == [heat.ZERO, heat.ABSENT]
    assert answers.heat_map(tiny, "norm", 500, 600)["columns"] == 1  # nothing there, and no error


def test_a_moment_is_the_nearest_look_and_its_histogram(tiny):
    found = answers.moment(tiny, 1, 0, 0, SpreadMemory())
    assert found["seen"]["norm"] == 1.0
    histogram = found["histogram"]
    exponents = {histogram["low"] + at: count for at, count in enumerate(histogram["positive"]) if count}
    assert exponents == {0: 1, -2: 1}  # 1 and 0.25
    below = {histogram["low"] + at: count for at, count in enumerate(histogram["negative"]) if count}
    assert below == {0: 1}  # -1.5
    assert (histogram["zero"], histogram["broken"]) == (1, 1)
    late = answers.moment(tiny, 1, 0, 10**9, SpreadMemory())
    assert late["seen"]["nans"] == 1
    assert late["seen"]["norm"] is None  # JSON has no NaN
    assert late["histogram"]["first"] == 2
    json.dumps(late, allow_nan=False)


def test_a_variable_over_time(tiny):
    found = answers.variable(tiny, 1, 1, SpreadMemory())
    assert found["lines"]["x"] == [0.0, 1.0, 2.0, 3.0]
    assert found["lines"]["norm"] == pytest.approx([0.01, 0.01, 0.01, 10.0])
    assert found["timeline"]["columns"] == 2
    assert found["timeline"]["edges"] == [[0, 1], [2, 3]]


def test_unknown_variables(tiny):
    for group, place in ((1, 2), (1, -1), (2, 0)):
        with pytest.raises(answers.Unknown):
            answers.variable(tiny, group, place, SpreadMemory())


def test_the_overview(tiny):
    found = answers.overview(tiny)
    assert found["groups"][0] | {"id": 1} == {
        "id": 1,
        "name": "Adam",
        "updates": 4,
        "looks": 4,
        "every": 1,
        "variables": 2,
    }
    loss, total = found["series"]
    assert (total["name"], total["kind"]) == ("gradient norm", "norm")
    assert total["mean"] == pytest.approx([np.hypot(1.0, 0.01), 0.01, 0.01, 10.0], rel=1e-4)
    assert (loss["name"], loss["kind"], loss["axis"], loss["mean"]) == ("loss", "loss", "update", [2.0, None])
    assert [(one["at"], one["code"], one["variable"]) for one in found["events"]] == [(1, "W401", "b.w")]
    assert not found["report"]
    json.dumps(found, allow_nan=False)


def test_a_dead_layer_is_black_from_its_update_on(made):
    found = answers.heat_map(run_named(made, "td3-walker"), "norm")
    row = [one["name"] for one in found["rows"]].index(made_runs.DEAD)
    line = cells(found)[row]
    at = int((made_runs.DIES - found["first"]) / (found["last"] - found["first"] + 1) * found["columns"])
    assert (line[at + 1 :] == heat.ZERO).all()
    assert (line[:at] >= heat.LOWEST).all()
    others = np.delete(cells(found), [row, row + 1], axis=0)
    assert not (others == heat.ZERO).any()


def test_metrics_without_a_record(made):
    run = run_named(made, "dqn-CartPole-v1-0-1")
    found = answers.overview(run)
    assert [one["name"] for one in found["series"]] == ["return", "q.loss", "q.norm"]
    assert found["series"][1]["mean"][17] is None  # a loss that blew up
    assert ["agent", "dqn"] in found["facts"]
    assert answers.heat_map(run, "norm")["rows"] == []
    assert found["events"] == []


def test_new_looks_are_added_to_what_was_read(tmp_path):
    store = Store(tmp_path / "run")
    group = store.group("Adam", [Variable("w", "net", (2,))])
    run = None
    for at in range(60):
        rows = empty(1)
        rows[0, [INDEX["present"], INDEX["norm"]]] = 1, 1 + at
        store.looks(group, [made_runs.look(at, rows)])
        if at % 20 == 19:
            store.flush()
            run = run or run_named(tmp_path, "run")
            found = answers.variable(run, group, 0, SpreadMemory())
            assert found["lines"]["norm"] == pytest.approx(range(1, at + 2))
    store.close()


def test_of_a_hundred_layers_and_a_million_updates_only_what_a_screen_shows_is_sent(big):
    run = run_named(big, "deep-mlp")
    spreads = SpreadMemory()
    overview, found = answers.overview(run), answers.heat_map(run, "norm")
    answers.variable(run, 1, 114, spreads)
    answers.moment(run, 1, 114, 700_000, spreads)
    assert len(found["rows"]) == 200
    assert found["columns"] <= 400
    assert len(json.dumps([overview, found])) < 400_000
