"""The gradients of our own agents are under watch, without being asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from marks import once_but
from runs import AGENTS, begin

from whygrad.live.looks import INDEX
from whygrad.live.reading import Reading
from whygrad.rl.training import Trained, resume


@pytest.mark.parametrize("name", once_but(("dqn", "ppo"), ["dqn", "td3", "ppo", "compiled-dqn", "cql"]))
def test_every_loss_is_a_group_and_every_update_has_its_norms(whole: Callable[[str], Trained], name: str) -> None:
    reading = Reading(whole(name).path)
    groups = reading.groups()
    assert groups
    for group in groups:
        assert group.updates > 0
        looks = reading.looks(group.id)
        assert 0 <= looks[0].first <= looks[-1].last < group.updates
        assert all(variable.network for variable in group.variables)
        norms = np.stack([one.rows[:, INDEX["norm"]] for one in looks])
        assert np.isfinite(norms).all()
        assert (norms > 0).any()
        applied = np.stack([one.rows[:, INDEX["applied"]] for one in looks])
        assert (applied <= norms * (1 + 1e-6)).all()
        sizes = [int(np.prod(variable.shape)) for variable in group.variables]
        counts = sum(one.counts for one in reading.spreads(group.id))
        assert (counts.sum(axis=1) % sizes == 0).all()
        assert (counts.sum(axis=1) > 0).all()
    assert "evaluation.return" in reading.scalars()


def test_steps_are_measured_by_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whygrad.rl.training.TimeShare.allows", lambda self: True)  # at every log time
    reading = Reading(begin("dqn", tmp_path).path)
    (group,) = reading.groups()
    seen = np.stack([one.rows for one in reading.looks(group.id)])
    ratio, weights = seen[..., INDEX["ratio"]], seen[..., INDEX["weights"]]
    known = np.isfinite(ratio)
    assert (known & (ratio > 0)).any(axis=0).all()  # not in the last update, when its learning rate has come down to 0
    assert (ratio[known] >= 0).all()
    assert (ratio[known] < 1).all()
    assert (weights[known] > 0).all()


def test_a_loss_that_has_its_turn_now_and_then_is_seen_in_its_updates(whole: Callable[[str], Trained]) -> None:
    reading = Reading(whole("td3").path)
    delay = AGENTS["td3"][0].policy_delay
    actor = next(group for group in reading.groups() if group.name == "actor")
    assert {one.first % delay for one in reading.looks(actor.id) if one.count == 1} == {delay - 1}


def test_a_resumed_run_has_no_update_twice(tmp_path: Path) -> None:
    trained = begin("dqn", tmp_path, steps=150)
    resume(trained.path, steps=300, quiet=True)
    reading = Reading(trained.path)
    (group,) = reading.groups()
    firsts = [one.first for one in reading.looks(group.id)]
    assert firsts == sorted(set(firsts))
    assert max(step.last for step in reading.scalars()["episodes"]) >= 300


def test_nobody_has_to_be_watched(tmp_path: Path) -> None:
    assert not (begin("dqn", tmp_path, watch=False).path / "watch.db").exists()
