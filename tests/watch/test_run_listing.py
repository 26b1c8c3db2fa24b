"""Which runs there are, whether they are live, and what is known of each at a glance."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from view.made_runs import make_actor_critic, make_metrics_only

from whygrad.live import schema
from whygrad.live.run_folder import RunFolder
from whygrad.live.run_listing import Runs, is_run, run_at
from whygrad.live.store import Store, Variable
from whygrad.live.watched_run import watched_run

SOURCE = str(Path(__file__).resolve().parents[2] / "src")


def small(folder: Path, updates: int = 3, **facts) -> Path:
    """A record of a script."""
    store = Store(folder)
    store.about(**facts)
    group = store.group("Adam", [Variable("net.weight", "net", (2, 2))])
    for at in range(updates):
        store.scalar("loss", at, 1.0 / (1 + at))
    store.progress(group, updates, updates, 1)
    store.close()
    return folder


def made_old(folder: Path, seconds: float = 3600.0) -> None:
    when = time.time() - seconds
    for file in folder.rglob("*"):
        os.utime(file, (when, when))


def test_what_is_known_of_runs(tmp_path):
    make_actor_critic(tmp_path / "td3", updates=400)
    make_metrics_only(tmp_path / "group" / "dqn-CartPole-v1-0-1")
    small(tmp_path / "script-1", script="/home/me/train.py")
    made_old(tmp_path / "td3", 100)
    made_old(tmp_path / "group", 200)
    made_old(tmp_path / "script-1", 50)
    found = {run.name: run.glance() for run in Runs(tmp_path).all()}
    assert list(found) == ["script-1", "td3", "group/dqn-CartPole-v1-0-1"]  # the newest first
    script, td3, dqn = found.values()
    assert (script["kind"], script["script"], script["updates"], script["loss"]) == ("script", "train.py", 3, 1 / 3)
    assert (td3["updates"], td3["variables"], td3["events"], td3["watched"]) == (400, 12, 4, True)
    assert td3["return"] is not None
    assert (dqn["kind"], dqn["agent"], dqn["env"], dqn["steps"]) == ("agent", "dqn", "CartPole-v1", 50_000)
    assert (dqn["updates"], dqn["events"], dqn["watched"]) == (0, 0, False)
    assert not any(one["live"] or one["trouble"] for one in found.values())
    assert run_at(tmp_path / "td3").size() == sum(f.stat().st_size for f in (tmp_path / "td3").rglob("*"))


def test_folders_that_are_no_runs(tmp_path):
    elsewhere = small(tmp_path / "elsewhere" / "run")
    root = tmp_path / "runs"
    (root / "editor").mkdir(parents=True)
    (root / "editor" / "settings.json").write_text('{"editor.fontSize": 12}')
    (root / "list").mkdir()
    (root / "list" / "settings.json").write_text("[1, 2]")
    (root / "empty").mkdir()
    small(root / ".hidden")
    (root / "link").symlink_to(elsewhere, target_is_directory=True)
    assert Runs(root).all() == []
    assert run_at(root / "editor") is None
    assert is_run(elsewhere)
    assert [run.name for run in Runs(elsewhere).all()] == ["run"]  # the folder of one run is that run


def test_a_record_that_cannot_be_read_is_listed(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / schema.FILE).write_bytes(b"no database" * 200)
    (found,) = Runs(tmp_path).all()
    assert "cannot be read" in found.glance()["trouble"]
    assert not found.empty()  # nobody knows


def test_a_run_is_live_while_it_is_watched(tmp_path):
    held = watched_run(tmp_path / "run")
    held.store.flush()
    run = run_at(tmp_path / "run")
    assert run.live()
    made_old(run.folder)  # a training whose updates take minutes
    assert run.live()
    held.close()
    assert not run.live()  # at once
    run.reading.about()  # looking leaves empty files, which mean nothing
    assert not run.live()


def test_a_run_that_was_killed_is_not_live(tmp_path):
    program = (
        "import os, signal; from whygrad.live.watched_run import watched_run\n"
        f"run = watched_run({str(tmp_path / 'run')!r}); run.store.scalar('loss', 0, 1.0); run.store.flush()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": SOURCE}, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "run" / f"{schema.FILE}-wal").stat().st_size
    made_old(tmp_path / "run")
    run = run_at(tmp_path / "run")
    assert not run.live()
    assert run.glance()["loss"] == 1.0  # what was committed is there


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not say when a process began")
def test_a_number_that_was_given_to_another_process_is_not_the_writer(tmp_path):
    store = Store(tmp_path)
    store.about(pid=os.getpid(), began=time.time() - 10 * 86400)
    store.flush()
    made_old(tmp_path)
    assert not run_at(tmp_path).live()
    store.close()


def test_an_agent_holds_the_lock_of_its_run(tmp_path):
    folder = RunFolder.create("dqn", tmp_path)
    folder.write_settings({"agent": "dqn", "plan": {}})
    made_old(folder.path)
    run = run_at(folder.path)
    with folder.alone():
        made_old(folder.path)
        assert run.live()
    assert not run.live()
    assert run.empty()
    folder.log({"step": 1, "return": 2.0})
    folder.close()
    assert not run.empty()


def test_empty_runs(tmp_path):
    small(tmp_path / "none", updates=0)
    small(tmp_path / "some")
    assert [run_at(tmp_path / name).empty() for name in ("none", "some")] == [True, False]


def test_settings_of_a_wrong_kind_do_no_harm(tmp_path):
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "settings.json").write_text(json.dumps({"agent": ["x"], "plan": [1]}))
    (found,) = Runs(tmp_path).all()
    assert (found.glance()["agent"], found.glance()["env"]) == ("['x']", "")
