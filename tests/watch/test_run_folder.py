"""Run folders: new ones never meet an old one, metrics survive crashes, wrong folders are named."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from whygrad.live.run_folder import BadRun, RunFolder
from whygrad.whole_file import UNFINISHED


@pytest.fixture
def run(tmp_path):
    made = RunFolder.create("dqn-CartPole-v1-0", tmp_path)
    made.write_settings({"agent": "dqn"})
    yield made
    made.close()


def test_names_count_up_and_hold_no_slash(tmp_path):
    names = [RunFolder.create("dqn-ALE/Pong-v5-0", tmp_path).path.name for _ in range(3)]
    assert names == ["dqn-ALE_Pong-v5-0-1", "dqn-ALE_Pong-v5-0-2", "dqn-ALE_Pong-v5-0-3"]


def test_an_old_folder_or_file_is_never_touched(tmp_path):
    (tmp_path / "a-1").mkdir()
    (tmp_path / "a-2").write_text("mine")
    assert RunFolder.create("a", tmp_path).path == tmp_path / "a-3"
    assert (tmp_path / "a-2").read_text() == "mine"


def test_without_a_root_runs_lie_in_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert RunFolder.create("a").path.resolve() == tmp_path / "runs" / "a-1"


def test_two_processes_never_get_the_same_one(tmp_path):
    program = (
        "import sys\nfrom whygrad.live.run_folder import RunFolder\n"
        "sys.stdin.readline()\n"
        "for _ in range(40): print(RunFolder.create('a', sys.argv[1]).path.name)"
    )
    command = [sys.executable, "-c", program, tmp_path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **pipes) for _ in range(2)]
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    made = [name for process in both for name in process.communicate(timeout=120)[0].split()]
    assert sorted(made, key=lambda name: int(name[2:])) == [f"a-{n}" for n in range(1, 81)]


def test_settings_come_back_as_json(run):
    run.write_settings({"hidden": (64, 64), "clip": None, "rate": np.float32(0.5), "best": float("inf")})
    assert RunFolder.open(run.path).settings() == {"hidden": [64, 64], "clip": None, "rate": 0.5, "best": None}


def test_rows_are_there_at_once_and_strictly_json(run):
    run.log({"step": np.int64(10), "loss": np.float32(0.5), "norms": np.array([1, 2]), "episodes": [[1, 2.0]]})
    run.log({"step": 20, "loss": float("nan")})
    assert run.metrics_file.read_text() == (
        '{"step": 10, "loss": 0.5, "norms": [1, 2], "episodes": [[1, 2.0]]}\n{"step": 20, "loss": null}\n'
    )
    assert RunFolder.open(run.path).rows() == [
        {"step": 10, "loss": 0.5, "norms": [1, 2], "episodes": [[1, 2.0]]},
        {"step": 20, "loss": None},
    ]


def test_a_row_without_step(run):
    with pytest.raises(ValueError) as caught:
        run.log({"loss": 1.0, "norm": 2.0})
    assert str(caught.value) == "a row of metrics needs its 'step'; this one has 'loss', 'norm'."


def test_no_rows_yet(run):
    assert run.rows() == []
    run.rewind(0)
    assert run.rows() == []


def test_a_resumed_run_forgets_what_came_after_its_checkpoint(run):
    for step in (10, 20, 20, 30, 40):
        run.log({"step": step})
    run.rewind(20)
    run.log({"step": 30, "again": True})
    assert run.rows() == [{"step": 10}, {"step": 20}, {"step": 20}, {"step": 30, "again": True}]


@pytest.mark.parametrize("half", ['{"step": 20, "lo', '{"step": 20}', "{", '{"step": 20, "name": "gr\xc3'])
def test_a_last_line_half_written(run, half):
    run.log({"step": 10})
    run.close()
    with run.metrics_file.open("a") as file:
        file.write(half)
    assert run.rows() == [{"step": 10}]
    again = RunFolder.open(run.path)
    again.log({"step": 30})
    assert again.rows() == [{"step": 10}, {"step": 30}]
    again.close()


@pytest.mark.parametrize("line", ['{"step": 2, "lo', "[1]", '{"loss": 1}', ""])
def test_a_damaged_line_in_the_middle_is_named(run, line):
    run.metrics_file.write_text(f'{{"step": 1}}\n{line}\n{{"step": 3}}\n')
    with pytest.raises(BadRun) as caught:
        run.rows()
    assert str(caught.value) == f"line 2 of '{run.metrics_file}' is not a row of metrics: {line!r}."


def test_what_a_kill_left_behind_is_cleared_before_going_on(run):
    for left in (run.path, run.last.parent):
        (left / f".last.npz.123{UNFINISHED}").write_bytes(b"half")
    RunFolder.open(run.path)  # somebody only looks: the run may still be writing
    assert len(list(run.path.rglob(f".*{UNFINISHED}"))) == 2
    run.rewind(0)
    assert sorted(path.name for path in run.path.rglob("*")) == ["checkpoints", "metrics.jsonl", "settings.json"]


def test_no_folder(tmp_path):
    with pytest.raises(BadRun) as caught:
        RunFolder.open(tmp_path / "runs" / "a-1")
    assert str(caught.value) == f"There is no run at '{tmp_path}/runs/a-1': no such folder."


def test_a_mistyped_folder_gets_the_newest_names(run):
    with pytest.raises(BadRun) as caught:
        RunFolder.open(run.path.parent / "dqn")
    parent = run.path.parent
    assert str(caught.value) == (
        f"There is no run at '{parent}/dqn': no such folder. The newest runs there: '{run.path}'."
    )


def test_the_folder_of_all_runs_is_not_a_run(run):
    with pytest.raises(BadRun) as caught:
        RunFolder.open(run.path.parent)
    assert str(caught.value) == (
        f"'{run.path.parent}' is not a run: it has no settings.json, which every run has from its first moment on. "
        f"The newest runs there: '{run.path}'."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON any more: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)."),
        ("[]", "should hold a JSON object, and holds list."),
    ],
)
def test_damaged_settings(run, text, message):
    run.settings_file.write_text(text)
    with pytest.raises(BadRun) as caught:
        run.settings()
    assert str(caught.value) == f"'{run.settings_file}' {message}"


def test_the_file_reads_line_by_line_in_plain_python(run):
    run.log({"step": 1, "return": 20.0})
    run.log({"step": 2, "return": 25.0})
    with run.metrics_file.open() as lines:
        assert [json.loads(line)["return"] for line in lines] == [20.0, 25.0]
