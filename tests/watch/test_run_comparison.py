"""Runs side by side."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from view.made_runs import look, rows_of

from whygrad.live import looks
from whygrad.live.event import Event
from whygrad.live.looks import INDEX
from whygrad.live.run_comparison import compare, total
from whygrad.live.run_listing import run_at
from whygrad.live.store import Store, Variable


def watched(folder, norm, clip=None, returns=(1.0, 5.0, 3.0), events=0):
    store, rng = Store(folder), np.random.default_rng(0)
    store.about(framework="torch", began=1.0, pid=2)
    group = store.group("Adam", [Variable("a", "net", (4,)), Variable("b", "net", (4,))])
    for at, value in enumerate(returns):
        store.looks(group, [look(at, rows_of(np.array([3.0, 4.0]) * norm, rng, clip=clip))])
        store.scalar("return", at, value)
        store.scalar("loss", at, 10.0 - value)
    for at in range(events):
        store.event(group, Event(at, "dead", "W401", "a", "dead"))
    store.progress(group, len(returns), len(returns), 1)
    store.close()
    return run_at(folder)


def rows(*runs):
    return {(row.part, row.name): row.values for row in compare(runs)}


def test_results_side_by_side(tmp_path):
    found = rows(watched(tmp_path / "a", 1.0), watched(tmp_path / "b", 2.0, clip=1.0, returns=(2.0, 8.0), events=2))
    assert not any(part == "settings" for part, _ in found)
    assert found["results", "updates"] == (3, 2)
    assert found["results", "return, last"] == (3.0, 8.0)
    assert found["results", "return, best"] == (5.0, 8.0)
    assert found["results", "loss, last"] == (7.0, 2.0)
    assert found["results", "loss, lowest"] == (5.0, 2.0)
    assert found["results", "norm, last"] == pytest.approx((5.0, 10.0))
    assert found["results", "clipping leaves"] == pytest.approx((1.0, 0.1))
    assert found["results", "events"] == ("none", "W401 × 2")


def test_settings_that_differ(tmp_path):
    for name, gamma in (("a", 0.9), ("b", 0.99)):
        (tmp_path / name).mkdir()
        settings = {"agent": "dqn", "settings": {"gamma": gamma, "tau": 1}, "plan": {"seed": 0}}
        (tmp_path / name / "settings.json").write_text(json.dumps(settings))
        (tmp_path / name / "metrics.jsonl").write_text('{"step": 10, "return": 3.0, "q.loss": null}\n')
    found = rows(run_at(tmp_path / "a"), run_at(tmp_path / "b"))
    assert {key: values for key, values in found.items() if key[0] == "settings"} == {
        ("settings", "gamma"): (0.9, 0.99)
    }
    assert found["results", "steps"] == (10, 10)
    assert ("results", "q.loss, last") not in found


def test_the_length_of_a_whole_gradient():
    rows = looks.empty(3)
    rows[:2, INDEX["norm"]] = [3.0, 4.0]  # the third one has no gradient
    none = looks.empty(3)
    found = total([look(0, rows), look(1, none)], "norm")
    assert found[0] == 5.0
    assert math.isnan(found[1])
