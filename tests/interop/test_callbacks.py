"""The callbacks for Keras, Lightning and Stable-Baselines3, each in a process of its own with the real library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent / "programs"
SOURCE = str(HERE.parents[2] / "src")


_KERAS = ("healthy", "plain", "cut", "functional", "functional+cut", "watch", "cut+watch")
_LIGHTNING = ("healthy", "plain", "cut")
_MORE_LIGHTNING = ("watch", "cut+watch", "two+watch", "fail+watch", "manual", "manual+cut", "fail", "cut+raise")
_STABLE = ("healthy", "plain", "cut", "cut+raise", "watch", "cut+watch")
ALGORITHMS = ("A2C", "PPO", "DQN", "TD3", "SAC")

PROCESSES: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "tensorflow": (["keras_fit.py", "tensorflow"], _KERAS),
    "torch": (["keras_fit.py", "torch"], (*_KERAS, "cut+raise", "raise")),
    "tf_keras": (["keras_fit.py", "tf_keras"], _KERAS),
    "jax": (["keras_fit.py", "jax"], _KERAS),
    "lightning": (["lightning_fit.py", "lightning"], (*_LIGHTNING, *_MORE_LIGHTNING)),
    "pytorch_lightning": (["lightning_fit.py", "pytorch_lightning"], _LIGHTNING),
    "stable_baselines3": (["sb3_learn.py"], tuple(f"{name}+{kind}" for name in ALGORITHMS for kind in _STABLE)),
}
"""Which trainings each library makes, all in one process: importing the libraries costs more than all of them."""

SECONDS = 560

pytestmark = pytest.mark.timeout(SECONDS + 30)


class Trainings(dict[str, dict[str, Any]]):
    """What each training left, and what all of them said."""

    said: str


@pytest.fixture(scope="module")
def trainings(tmp_path_factory) -> Callable[[str], Trainings]:
    """The trainings of a library, made when a test first asks for them."""

    @cache
    def made(library: str) -> Trainings:
        (program, *chosen), kinds = PROCESSES[library]
        runs = tmp_path_factory.mktemp(library)
        more = {"PYTHONPATH": SOURCE, "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", "RUNS": str(runs)}
        done = subprocess.run(
            [sys.executable, str(HERE / program), *chosen, *kinds],
            env={**os.environ, **more},
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        found = Trainings(zip(kinds, json.loads(done.stdout.splitlines()[-1]), strict=True))
        found.said = done.stderr
        return found

    return made


def line_of(program: str, text: str) -> int:
    return next(n for n, line in enumerate((HERE / program).read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "tf_keras", "jax"])
def test_keras(trainings, backend):
    found = trainings(backend)
    healthy, plain, broken = (found[kind] for kind in ("healthy", "plain", "cut"))
    functional = [found[kind] for kind in ("functional", "functional+cut")]
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert healthy["losses"] == pytest.approx(plain["losses"], rel=1e-5)  # fit compiles, recording runs eagerly
    assert (broken["codes"], broken["error"], broken["told"]) == (["W102"], "", 1)
    assert broken["lines"] == [line_of("keras_fit.py", "right = stop(right)")]
    assert len(broken["variables"][0]) == 2
    assert len(broken["losses"]) == 2
    assert [one["codes"] for one in functional] == [[], ["W102"]]
    assert functional[1]["lines"] == [line_of("keras_fit.py", "return stop(x)")]


def test_keras_raises_where_it_is_asked_to(trainings):
    broken, healthy = (trainings("torch")[kind] for kind in ("cut+raise", "raise"))
    assert broken["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")
    assert (healthy["error"], healthy["codes"]) == ("", [])


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "tf_keras", "jax"])
def test_keras_watched(trainings, backend):
    plain, healthy, broken = (trainings(backend)[kind] for kind in ("plain", "watch", "cut+watch"))
    assert (healthy["codes"], healthy["error"], healthy["notes"]) == ([], "", [])
    assert healthy["losses"] == pytest.approx(plain["losses"], rel=1e-5)
    (group,) = healthy["watched"]["groups"].values()
    assert (group["updates"], len(group["variables"]), len(set(group["variables"]))) == (24, 6, 6)
    assert min(group["norms"]) > 0
    assert healthy["watched"]["scalars"]["loss"] == pytest.approx(healthy["losses"])
    assert healthy["watched"]["steps"]["loss"] == 24
    assert (healthy["watched"]["events"], healthy["watched"]["live"]) == ([], False)
    # In JAX a gradient that does not arrive is one of zeros.
    assert [code for code, _ in broken["watched"]["events"]] == ["W401" if backend == "jax" else "W105"] * 2


@pytest.mark.parametrize("package", ["lightning", "pytorch_lightning"])
def test_lightning(trainings, package):
    healthy, plain, broken = (trainings(package)[kind] for kind in ("healthy", "plain", "cut"))
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert (healthy["updates"], healthy["steps"]) == (4, 16)
    assert healthy["weights"] == plain["weights"]  # bit for bit
    assert (broken["codes"], broken["error"], broken["told"]) == (["W102"], "", 1)
    assert broken["lines"] == [line_of("lightning_fit.py", "right = right.detach()")]
    assert broken["variables"] == [["module.right.weight", "module.right.bias"]]


def test_lightning_watched(trainings):
    found = trainings("lightning")
    kinds = ("plain", "watch", "cut+watch", "two+watch", "fail+watch")
    plain, healthy, broken, two, failed = (found[kind] for kind in kinds)
    assert healthy["weights"] == plain["weights"]  # bit for bit
    assert (healthy["codes"], healthy["notes"], healthy["watched"]["events"]) == ([], [], [])
    group = healthy["watched"]["groups"]["Adam"]
    assert (group["updates"], len(group["norms"])) == (16, group["looks"])
    assert group["variables"] == [f"{net}.{part}" for net in ("left", "right", "head") for part in ("weight", "bias")]
    scalars = healthy["watched"]["scalars"]
    assert (len(scalars["loss"]), len(scalars["val_loss"])) == (2, 2)  # by the epoch
    assert len(scalars["loss/Adam"]) >= 8  # of each update whose backward was looked at
    assert broken["watched"]["events"] == [["W105", "right.weight"], ["W105", "right.bias"]]
    assert {name: one["variables"] for name, one in two["watched"]["groups"].items()} == {
        net: [f"{net}.weight", f"{net}.bias"] for net in ("left", "right")
    }
    assert [one["updates"] for one in two["watched"]["groups"].values()] == [16, 16]
    assert "does not require grad" in failed["error"]
    assert not any(one["watched"]["live"] for one in (healthy, broken, two, failed))
    assert found.said.count("whygrad: watching gradients in ") == 4


def test_lightning_manual_optimization_failures_and_raising(trainings):
    kinds = ("manual", "manual+cut", "fail", "cut+raise")
    healthy, broken, failed, raised = (trainings("lightning")[kind] for kind in kinds)
    assert (healthy["codes"], broken["codes"]) == ([], ["W102"])
    assert "does not require grad" in failed["error"]
    assert (failed["codes"], failed["told"]) == (["W102"], 1)
    assert raised["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_stable_baselines(trainings, algorithm):
    found = trainings("stable_baselines3")
    healthy, plain, broken, raised, watched, lost = (found[f"{algorithm}+{kind}"] for kind in _STABLE)
    assert (healthy["codes"], healthy["error"], healthy["notes"], healthy["told"]) == ([], "", [], 1)
    assert healthy["weights"] == plain["weights"]  # bit for bit
    assert (set(broken["codes"]), broken["error"], broken["told"]) == ({"W102"}, "", 1)
    assert set(broken["lines"]) == {line_of("sb3_learn.py", "features = features.detach()")}
    assert raised["error"].startswith("GradientFault: the gradients of this training are wrong\nerror[W102]")
    assert (watched["codes"], watched["error"], watched["notes"]) == ([], "", [])
    assert watched["weights"] == plain["weights"]
    off_policy = {"actor", "critic", *(["ent_coef"] if algorithm == "SAC" else [])}
    groups, scalars = watched["watched"]["groups"], watched["watched"]["scalars"]
    assert set(groups) == (off_policy if algorithm in ("TD3", "SAC") else {"policy"})
    assert all(one["updates"] >= 4 and min(one["norms"]) > 0 for one in groups.values())
    names = [name for one in groups.values() for name in one["variables"]]
    assert len(set(names)) == len(names)
    assert not any(name.startswith("parameter ") for name in names)
    assert any("loss" in name and not name.startswith("loss/") for name in scalars)
    if algorithm not in ("TD3", "SAC"):  # an episode of Pendulum is longer than this training
        assert scalars["return"] == scalars["length"] != []  # CartPole's reward is 1
    assert not watched["watched"]["live"]
    assert {code for code, _ in lost["watched"]["events"]} >= {"W105"}
    assert all("features_extractor" in name for code, name in lost["watched"]["events"] if code == "W105")


def test_what_watch_takes():
    from whygrad.interop.callback_watch import CallbackWatch

    with pytest.raises(ValueError, match="watch is True, False, the folder of a run, or a dict"):
        CallbackWatch(3)
    idle = CallbackWatch(False)
    idle.begin(lambda: pytest.fail("nothing was asked for"))
    idle.log(1, {"loss": 1.0})
    idle.end()
    assert idle.watching is None


def test_what_cannot_be_watched_is_said_in_one_line(tmp_path, capsys):
    from whygrad.interop.callback_watch import CallbackWatch, Watched

    def broken():
        raise RuntimeError("no such\nmodel")

    watch = CallbackWatch({"run": tmp_path / "run", "every": 1})
    watch.begin(lambda: [Watched("x", object(), object())])
    watch.begin(broken)
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("whygrad: gradients are not watched: whygrad.watch got builtins.object")
    assert second == "whygrad: gradients are not watched: RuntimeError: no such model"
    assert not watch.live


def test_several_optimizers_lie_in_one_run_and_events_are_told(tmp_path, capsys):
    import torch

    from whygrad.interop.callback_watch import CallbackWatch, named_apart
    from whygrad.live.reading import Reading

    net = torch.nn.ModuleDict({"one": torch.nn.Linear(2, 1), "two": torch.nn.Linear(2, 1)})
    optimizers = [torch.optim.SGD(part.parameters(), 0.1) for part in net.values()]
    watch = CallbackWatch({"run": tmp_path / "run", "every": 1})
    watch.begin(lambda: named_apart(net, optimizers))
    for step in range(12):
        for optimizer, part in zip(optimizers, net.values(), strict=True):
            optimizer.zero_grad()
            (part(torch.ones(1, 2)).square().sum() * (float("nan") if step == 9 else 1.0)).backward()
            optimizer.step()
        watch.log(step, {"loss": torch.tensor(float(step)), "name": "text", "many": torch.ones(3)})
    watch.end()
    reading = Reading(tmp_path / "run")
    assert [(group.name, group.updates, group.looks) for group in reading.groups()] == [
        ("one", 12, 12),
        ("two", 12, 12),
    ]
    assert [one.mean for one in reading.scalars()["loss"]] == [float(step) for step in range(12)]
    assert not {"name", "many"} & set(reading.scalars())
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"whygrad: watching gradients in {tmp_path / 'run'} (whygrad view shows them)"
    assert sorted(line for line in said if "W402" in line) == [
        f"whygrad: W402 The gradient of {name}.weight and 1 more is NaN in update 9." for name in ("one", "two")
    ]
    assert [event.code for event in watch.watching.events][:2] == ["W402", "W402"]
    assert watch.watching.path == str(tmp_path / "run")
