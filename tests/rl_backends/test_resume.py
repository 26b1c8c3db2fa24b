"""A run that was stopped and resumed ends as one that was not, to the bit; what keeps a run from going on says so."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from marks import once_but
from runs import AGENTS, begin

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.rl.agents.ppo import PPO
from whygrad.rl.checkpoint import read
from whygrad.rl.resuming import CannotResume
from whygrad.rl.trainer import Trainer
from whygrad.rl.training import resume

PROGRAM = Path(__file__).with_name("runs.py")
pytestmark = pytest.mark.timeout(900)  # TensorFlow compiles each training anew: on a busy machine that takes minutes


class Stopped(Exception):
    pass


def stop_at(monkeypatch, step):
    """Trainings raise when they come to this step: as good as any other end, for nothing is saved then."""
    round_ = Trainer.round

    def one_round(trainer):
        if trainer.steps >= step:
            raise Stopped
        round_(trainer)

    monkeypatch.setattr(Trainer, "round", one_round)


def only_run(root):
    (found,) = [path.parent for path in Path(root).glob("*/settings.json")]
    return found


def assert_same_runs(first, second):
    """Everything but the time it took."""
    for name in ("last", "best"):
        (one, one_facts), (other, other_facts) = (read(getattr(RunFolder(run), name)) for run in (first, second))
        assert sorted(one) == sorted(other)
        for key, value in one.items():
            assert value.dtype == other[key].dtype, key
            np.testing.assert_array_equal(other[key], value, err_msg=key)
        for facts in (one_facts, other_facts):
            facts["plan"].pop("dataset")
        assert one_facts == other_facts
    rows = [[{**row, "seconds": None} for row in RunFolder(run).rows()] for run in (first, second)]
    assert len(rows[0]) > 3
    assert rows[0] == rows[1]


@pytest.mark.parametrize("name", once_but(("dqn", "ppo", "compiled-dqn"), AGENTS))
def test_a_run_that_ended_early_goes_on_as_if_it_had_not(name, whole, tmp_path, monkeypatch):
    whole = whole(name)
    with monkeypatch.context() as patched, pytest.raises(Stopped):
        stop_at(patched, 150)
        begin(name, tmp_path / "parts")
    parts = only_run(tmp_path / "parts")
    at = int(read(RunFolder(parts).last)[0]["loop/steps"])
    assert 0 < at < whole.steps
    resumed = resume(parts, quiet=True)
    assert resumed.finished and resumed.steps == whole.steps
    assert resumed.scores == whole.scores and resumed.best == whole.best
    assert_same_runs(whole.path, parts)


def test_a_run_with_everything_on_goes_on_as_if_it_had_not_stopped(tmp_path, monkeypatch):
    # The contract check and the histograms compute losses between updates; neither may leave a trace.
    options = {"check": True, "tensorboard": True, "steps": 200}
    whole = begin("td3", tmp_path / "whole", **options)
    for at in (30, 130):  # before the first update, and after
        with monkeypatch.context() as patched, pytest.raises(Stopped):
            stop_at(patched, at)
            if at == 30:
                begin("td3", tmp_path / "parts", checkpoint_every=16, **options)
            else:
                resume(only_run(tmp_path / "parts"), quiet=True)
    resume(only_run(tmp_path / "parts"), quiet=True)
    without = begin("td3", tmp_path / "without", checkpoint_every=16, steps=200)
    parts, plain = (read(RunFolder(run).last)[0] for run in (only_run(tmp_path / "parts"), without.path))
    for key, value in plain.items():
        np.testing.assert_array_equal(parts[key], value, err_msg=key)
    assert whole.finished


def start(*words):
    return subprocess.Popen(
        [sys.executable, str(PROGRAM), *map(str, words)], stderr=subprocess.PIPE, text=True, env=os.environ
    )


def checkpointed(root):
    return list(Path(root).glob("*/checkpoints/last.npz"))


def wait_for(process, sign):
    for _ in range(3000):
        if sign() or process.poll() is not None:
            return
        time.sleep(0.02)


# That what is left of it can be read does not depend on who computes; on every backend one agent goes on.
@pytest.mark.parametrize("name", once_but(("dqn",), ("dqn", "ppo")))
def test_a_run_killed_at_any_moment_goes_on_as_if_it_had_not_been(name, tmp_path):
    options = {"steps": 1200, "checkpoint_every": 32}
    whole = begin(name, tmp_path / "whole", **options)
    root = tmp_path / "parts"
    process = start("train", name, root, *(f"{k}={v}" for k, v in options.items()))
    wait_for(process, lambda: checkpointed(root))
    for _ in range(2):
        time.sleep(random.random() * 0.5)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        before = checkpointed(root)[0].stat().st_mtime_ns
        process = start("resume", only_run(root))
        wait_for(process, lambda before=before: checkpointed(root)[0].stat().st_mtime_ns != before)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert_same_runs(whole.path, only_run(root))
    assert not list(root.rglob("*.unfinished"))


def test_ctrl_c_saves_says_so_and_can_be_resumed(tmp_path):
    process = start("train", "dqn", tmp_path, "steps=100000", "checkpoint_every=100000", "quiet=0")
    wait_for(process, lambda: any(p.stat().st_size for p in tmp_path.glob("*/metrics.jsonl")))
    with pytest.raises(BadRun, match="is being trained by another process"):
        resume(only_run(tmp_path), quiet=True)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate()
    assert process.returncode == 0, said
    run = only_run(tmp_path)
    assert f"and saved; go on with resume({str(run)!r})" in said
    at = int(read(RunFolder(run).last)[0]["loop/steps"])
    assert 0 < at < 100_000
    resumed = resume(run, steps=at + 32, quiet=True)
    assert resumed.finished and resumed.steps >= at + 32
    assert RunFolder(run).settings()["plan"]["steps"] == at + 32


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return begin("ppo", tmp_path_factory.mktemp("finished"), steps=64, checkpoint_every=32).path


def test_a_finished_run_has_nothing_to_do(finished):
    before = finished.joinpath("metrics.jsonl").read_text()
    again = resume(finished, quiet=True)
    assert again.finished and again.steps == 64
    assert finished.joinpath("metrics.jsonl").read_text() == before


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        (replace(AGENTS["ppo"][0], lanes=4), "lanes was 2 and is 4"),
        (replace(AGENTS["ppo"][0], hidden=(8,)), r"hidden was \[16\] and is \[8\]"),
        (PPO(), "begun with other settings of 'ppo'"),
        (AGENTS["dqn"][0], "trained 'ppo', and 'dqn' was given"),
    ],
)
def test_another_agent_than_the_run_has_is_refused(finished, agent, sentence):
    with pytest.raises(CannotResume, match=sentence):
        resume(finished, agent=agent, quiet=True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"seed": 4}, "its seed is 4, and this run has 3"), ({"name": "reinforce"}, "its agent is 'reinforce'")],
)
def test_a_checkpoint_of_another_run_is_refused(finished, tmp_path, options, sentence):
    given = {"name": "ppo", "steps": 64, "checkpoint_every": 32, **options}
    other = begin(given.pop("name"), tmp_path, **given).path
    kept = finished.joinpath("checkpoints/last.npz").read_bytes()
    try:
        finished.joinpath("checkpoints/last.npz").write_bytes(other.joinpath("checkpoints/last.npz").read_bytes())
        with pytest.raises(CannotResume, match=sentence):
            resume(finished, quiet=True)
    finally:
        finished.joinpath("checkpoints/last.npz").write_bytes(kept)


def test_another_environment_than_the_run_has_is_refused(finished):
    import gymnasium

    with pytest.raises(CannotResume, match=r"has shape .* here: the networks or the environment are not those"):
        resume(finished, env=lambda: gymnasium.make("Acrobot-v1"), quiet=True)


def test_settings_of_a_run_are_plain_json(finished):
    assert json.loads(finished.joinpath("settings.json").read_text())["settings"]["hidden"] == [16]
