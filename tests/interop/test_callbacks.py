"""The callbacks for Keras, Lightning and Stable-Baselines3, each in a process of its own with the real library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent / "programs"
SOURCE = str(HERE.parents[2] / "src")


def run(program: str, *arguments: str) -> list[dict[str, Any]]:
    """One training for each argument after the first; importing the libraries costs more than all of them."""
    done = subprocess.run(
        [sys.executable, str(HERE / program), *arguments],
        env={**os.environ, "PYTHONPATH": SOURCE, "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def line_of(program: str, text: str) -> int:
    return next(n for n, line in enumerate((HERE / program).read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "tf_keras", "jax"])
def test_keras(backend):
    healthy, plain, broken, *functional = run(
        "keras_fit.py", backend, "healthy", "plain", "cut", "functional", "functional+cut"
    )
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert healthy["losses"] == pytest.approx(plain["losses"], rel=1e-5)  # fit compiles, recording runs eagerly
    assert (broken["codes"], broken["error"], broken["told"]) == (["W102"], "", 1)
    assert broken["lines"] == [line_of("keras_fit.py", "right = stop(right)")]
    assert len(broken["variables"][0]) == 2
    assert len(broken["losses"]) == 2
    assert [one["codes"] for one in functional] == [[], ["W102"]]
    assert functional[1]["lines"] == [line_of("keras_fit.py", "return stop(x)")]


def test_keras_raises_where_it_is_asked_to():
    broken, healthy = run("keras_fit.py", "torch", "cut+raise", "raise")
    assert broken["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")
    assert (healthy["error"], healthy["codes"]) == ("", [])


@pytest.mark.parametrize("package", ["lightning", "pytorch_lightning"])
def test_lightning(package):
    healthy, plain, broken = run("lightning_fit.py", package, "healthy", "plain", "cut")
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert (healthy["updates"], healthy["steps"]) == (4, 16)
    assert healthy["weights"] == plain["weights"]  # bit for bit
    assert (broken["codes"], broken["error"], broken["told"]) == (["W102"], "", 1)
    assert broken["lines"] == [line_of("lightning_fit.py", "right = right.detach()")]
    assert broken["variables"] == [["module.right.weight", "module.right.bias"]]


def test_lightning_manual_optimization_failures_and_raising():
    healthy, broken, failed, raised = run("lightning_fit.py", "lightning", "manual", "manual+cut", "fail", "cut+raise")
    assert (healthy["codes"], broken["codes"]) == ([], ["W102"])
    assert "does not require grad" in failed["error"]
    assert (failed["codes"], failed["told"]) == (["W102"], 1)
    assert raised["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")


@pytest.mark.parametrize("algorithm", ["A2C", "PPO", "DQN", "TD3", "SAC"])
def test_stable_baselines(algorithm):
    healthy, plain, broken, raised = run("sb3_learn.py", algorithm, "healthy", "plain", "cut", "cut+raise")
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert healthy["weights"] == plain["weights"]  # bit for bit
    assert (set(broken["codes"]), broken["error"], broken["told"]) == ({"W102"}, "", 1)
    assert set(broken["lines"]) == {line_of("sb3_learn.py", "features = features.detach()")}
    assert raised["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")
