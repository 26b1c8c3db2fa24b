"""Removing runs takes only what a training wrote."""

from __future__ import annotations

import json

import pytest
from test_run_listing import made_old, small
from view.made_runs import make_metrics_only

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.live.run_listing import run_at
from whygrad.live.run_removal import Removal, removal, remove
from whygrad.live.watched_run import watched_run


def agent(folder):
    make_metrics_only(folder)
    (folder / "checkpoints").mkdir()
    (folder / "checkpoints" / "last.npz").write_bytes(b"x" * 100)
    (folder / "checkpoints" / ".best.npz.41.unfinished").write_bytes(b"x")
    (folder / "tensorboard").mkdir()
    (folder / "tensorboard" / "events.out.tfevents.1.host.2.0").write_bytes(b"x" * 10)
    (folder / "lock").write_text("1")
    made_old(folder)
    return run_at(folder)


def test_a_whole_run_goes(tmp_path):
    for run in (agent(tmp_path / "agent"), run_at(small(tmp_path / "script"))):
        found = removal(run)
        assert isinstance(found, Removal)
        assert found.stays == ()
        assert found.size == run.size()
        assert remove(found) is None
        assert not run.folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_what_others_put_there_stays(tmp_path):
    run = agent(tmp_path / "run")
    kept = ["notes.txt", "q.tfjs/model.json", "checkpoints/mine.npz", "tensorboard/readme.md"]
    for name in kept:
        (run.folder / name).parent.mkdir(exist_ok=True)
        (run.folder / name).write_text("mine")
    found = removal(run)
    assert found.stays == ("checkpoints/mine.npz", "notes.txt", "q.tfjs", "tensorboard/readme.md")
    assert remove(found) is None
    left = [str(f.relative_to(run.folder)) for f in run.folder.rglob("*") if f.is_file()]
    assert sorted(left) == sorted(kept)
    assert run_at(run.folder) is None


def test_links_are_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("last.npz", "events.out.tfevents.1", "metrics.jsonl"):
        (outside / name).write_text("precious")
    folder = small(tmp_path / "run")
    (folder / "checkpoints").symlink_to(outside, target_is_directory=True)
    (folder / "metrics.jsonl").symlink_to(outside / "metrics.jsonl")
    assert remove(removal(run_at(folder))) is None
    assert sorted(f.name for f in outside.iterdir()) == ["events.out.tfevents.1", "last.npz", "metrics.jsonl"]
    assert sorted(f.name for f in folder.iterdir()) == ["checkpoints", "metrics.jsonl"]
    link = tmp_path / "link"
    link.symlink_to(small(tmp_path / "other"), target_is_directory=True)
    assert removal(run_at(link)) == "it is a link"


def test_a_live_run_stays(tmp_path):
    held = watched_run(tmp_path / "run")
    held.store.flush()
    run = run_at(tmp_path / "run")
    assert removal(run) == "it is being trained"
    held.close()
    assert isinstance(removal(run), Removal)


def test_a_run_that_is_gone_on_with_meanwhile_stays(tmp_path):
    run = agent(tmp_path / "run")
    found = removal(run)
    with RunFolder.open(run.folder).alone():
        try:
            assert remove(found) == "it is being trained"
        except BadRun as error:
            pytest.fail(str(error))
    assert run_at(run.folder) is not None


def test_what_is_not_certainly_ours_stays(tmp_path):
    for name, text in (("a", {"agent": "smith"}), ("b", {"agent": "x", "fontSize": 1})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "settings.json").write_text(json.dumps(text))
        made_old(tmp_path / name)
        assert "neither a record nor settings" in removal(run_at(tmp_path / name))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "watch.db").write_bytes(b"SQLite format 3\0" + b"\0" * 500)
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "metrics.jsonl").write_text("{}\n")
    for name in "cd":
        made_old(tmp_path / name)
        assert "neither a record nor settings" in removal(run_at(tmp_path / name))


def test_a_removal_that_is_broken_off_leaves_a_run(tmp_path):
    run = agent(tmp_path / "run")
    found = removal(run)
    names = [file.name for file in found.files]
    assert names[-2:] == ["settings.json", "lock"]
