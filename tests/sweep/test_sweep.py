"""Whole sweeps on Ray Tune, in processes of their own: results, early stopping, a kill in the middle, refusals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import QUICK, TINY, rows

from whygrad.live.run_listing import Runs
from whygrad.rl import DQN, resume_sweep, sweep, train
from whygrad.rl.cluster.joining import joined
from whygrad.rl.sweeping import halving
from whygrad.rl.sweeping.sweep_folder import SweepFolder, Trial

SETTINGS = ["--no-preset", "--set", "hidden=8", "learning_starts=20", "train_every=8", "updates=4"]
SHORT = ["--evaluate-episodes", "2", "--no-tensorboard"]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    with joined() as connected:
        yield connected


def environment() -> dict[str, str]:
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1", "COLUMNS": "100"}


def whygrad(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "whygrad", *words],
        cwd=folder, env=environment(), capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip


@pytest.mark.timeout(900)  # seconds on an idle machine, many more on a busy one: each training imports a framework
def test_two_rates_and_two_seeds_give_a_table_a_picture_and_the_finding_of_what_went_wrong(
    ray: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(self: Any, configuration: int, seed: int, step: int, value: float, judge: bool = True) -> Any:
        """Two configurations are too few to stop one: here the second is, after its first evaluation past 60."""
        if configuration == 1 and step >= 60 and 1 not in self.stopped:
            self.stopped[1] = halving.Stopped(1, 60, value, 2, 2)
            return self.stopped[1]
        return None

    monkeypatch.setattr(halving.Halving, "told", told)
    marker = tmp_path / "killed"  # the process of one of them is; the training goes on in another
    swept = sweep(
        DQN(**TINY), "odd_environments:DiesOnce-v0", over={"lr": [1e-3, 1e30], "seed": [1, 2]}, steps=240, parallel=2,
        root=tmp_path, env_options={"marker": str(marker)}, **QUICK,
    )  # fmt: skip
    assert marker.exists()
    assert swept.complete
    kept, stopped = swept.rows
    assert (kept.settings, kept.ended, len(kept.counted), kept.at) == ({"learning_rate": 1e-3}, 2, 2, 240)
    assert kept.deviation is not None
    # Of the configuration that was stopped the second seed never began.
    assert [seed.state for seed in stopped.seeds] == ["stopped", "waiting"]
    assert (stopped.at, len(stopped.counted), stopped.ended) == (64, 1, 0)
    assert {(one.found.code, one.configuration, one.seed) for one in swept.wrong} == {("W402", 1, 1)}

    data = json.loads((swept.path / "results.json").read_bytes())
    assert data["complete"]
    assert [len(one["seeds"]) for one in data["configurations"]] == [2, 2]
    assert [one["code"] for one in data["findings"]] == ["W402"]
    assert (swept.path / "results.png").read_bytes()[:4] == b"\x89PNG"
    assert "<svg" in (swept.path / "results.svg").read_text()
    assert len(Runs(swept.path).all()) == 3  # as `whygrad runs` and `whygrad view` find them
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = sorted(line.partition(":")[0] for line in shown.err.splitlines())
    assert [line.split()[0] for line in lines] == ["1", "2", "3", "stopped"]
    assert sum(line.endswith("[W402]") for line in shown.err.splitlines()) == 1
    assert not (Path.home() / "ray_results" / swept.path.name).exists()


@pytest.mark.timeout(900)
def test_a_sweep_that_is_killed_goes_on(tmp_path: Path) -> None:
    words = ["sweep", "dqn", "--env", "CartPole-v1", "--over", "seed=1..2", "lr=1e-3", "--steps", "2_000"]
    plan = [*SHORT, "--checkpoint-every", "400", "--parallel", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "whygrad", *words, *SETTINGS, *plan],
        cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    path = tmp_path / "runs" / "sweep-dqn-CartPole-v1-1"
    first = path / "01_learning_rate=0.001" / "seed-1.json"
    second = path / "01_learning_rate=0.001" / "dqn-CartPole-v1-2-1"
    deadline = time.monotonic() + 400
    while not (first.exists() and (second / "checkpoints" / "last.npz").exists()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    over = first.stat().st_mtime_ns
    folder = SweepFolder.open(path)
    asked = folder.asked()
    assert folder.outcome(asked, Trial(0, 2)) is None

    done = whygrad(tmp_path, "sweep", "--resume", str(path))
    assert done.returncode == 0, done.stderr
    assert first.stat().st_mtime_ns == over
    assert [line[:6] for line in done.stderr.splitlines()] == ["2 of 2"]
    assert done.stdout.splitlines()[1].split()[3:] == ["2", "2", "of", "2"]  # n, and how many ran to the end
    assert [run.name for run in path.glob("*/dqn-*")].count("dqn-CartPole-v1-2-1") == 1
    # What was killed in the middle and went on ended as one that never stopped.
    alone = train(
        DQN(**TINY, learning_rate=1e-3), "CartPole-v1", steps=2_000, seed=2, root=tmp_path / "alone", quiet=True,
        checkpoint_every=400, **QUICK,
    )  # fmt: skip
    assert rows(second) == rows(alone.path)

    again = resume_sweep(path)  # nothing is left to train
    assert again.complete
    assert first.stat().st_mtime_ns == over


def test_refusals_are_one_sentence(tmp_path: Path) -> None:
    new = ["sweep", "dqn", "--env", "CartPole-v1", "--steps", "100"]
    cases = {
        ("sweep",): "whygrad: which algorithm? One of a2c, cql, ddpg, dqn, ppo, reinforce, sac, td3: whygrad sweep dqn "
        "--env CartPole-v1 --over lr=1e-4..1e-2",
        ("sweep", "dqn", "--env", "CartPole-v1"): "whygrad: over what? --over lr=1e-4..1e-2 --over seed=1..5",
        (*new, "--over", "rate=1/2"): "whygrad: dqn has no setting 'rate'.",
        (*new, "--over", "gamma=0.9/2", "--set", "gamma=1"): "whygrad: gamma is both set and swept over",
        (*new, "--over", "lr=1e-3/1e-2", "--ray", "127.0.0.1:1"): "whygrad: no Ray cluster answers at 127.0.0.1:1 (",
        (*new, "--over", "lr=1e-3/1e-2", "--ray", "ray://127.0.0.1:1"): "whygrad: a sweep joins a cluster from one of",
        ("sweep", "dqn", "--env", "Pendulum-v1", "--steps", "9", "--over", "lr=1/2"): "whygrad: dqn ",
        ("sweep", "--resume", "nowhere"): "whygrad: There is no sweep at 'nowhere': no such folder.",
        ("sweep", "--resume", "nowhere", "--steps", "9"): "whygrad: --steps is for a new sweep; a resumed one keeps",
    }
    code = (
        "import contextlib, io, json, sys\n"
        "from whygrad.cli.main import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    err = io.StringIO()\n"
        "    with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):\n"
        "        status = main(words)\n"
        "    print(json.dumps([status, err.getvalue()]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps([list(words) for words in cases])],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == len(cases), done.stderr
    for (words, sentence), line in zip(cases.items(), lines, strict=True):
        status, said = json.loads(line)
        assert status == 2, words
        assert said.startswith(sentence), words
        assert said.count("\n") == 1, words


def test_without_ray_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['ray'] = None; from whygrad.cli.main import main; sys.exit(main(['sweep', 'dqn']))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "whygrad: sweeps run on Ray, which is not installed here: pip install 'whygrad[ray]'\n"
