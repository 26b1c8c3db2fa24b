"""A run that was begun on one framework goes on on another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import keras
import numpy as np
import pytest
from runs import begin, outputs

from whygrad.live.run_folder import RunFolder
from whygrad.rl.checkpoint import read
from whygrad.rl.resuming import CannotResume, OtherBackend, fitting, warn_of_backend

pytestmark = pytest.mark.once

HERE = keras.backend.backend()
OTHERS = [name for name in ("torch", "tensorflow", "jax") if name != HERE]
PROGRAM = Path(__file__).with_name("runs.py")


RUNS = ("dqn", "sac")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: begin(name, tmp_path_factory.mktemp(name), steps=128).path for name in RUNS}


@pytest.fixture(scope="module")
def moved(begun: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, str]]:
    """The folder in which copies of the runs have gone on on another framework, and what was said of it.

    One process for all runs: importing the framework takes longer than they do.
    """

    @cache
    def on(other: str) -> tuple[Path, str]:
        folder = tmp_path_factory.mktemp(other)
        words = []
        for name, path in begun.items():
            shutil.copytree(path, folder / name)
            words += [str(folder / name), str(folder / f"{name}.npz")]
        done = subprocess.run(
            [sys.executable, str(PROGRAM), "outputs", *words],
            env={**os.environ, "KERAS_BACKEND": other},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return folder, done.stderr

    return on


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("other", OTHERS)
def test_a_run_goes_on_on_another_framework(begun, moved, name, other):
    folder, said = moved(other)
    last = RunFolder(folder / name).last
    before, _ = read(RunFolder(begun[name]).last)
    assert f"{str(last)!r} was written on {HERE} and goes on on {other}" in said
    with np.load(folder / f"{name}.npz", allow_pickle=False) as file:
        wanted = outputs(begun[name])
        assert sorted(file.files) == sorted(wanted)
        for network, value in wanted.items():
            np.testing.assert_allclose(file[network], value, rtol=1e-5, atol=1e-5, err_msg=network)
    after, facts = read(last)
    assert facts["backend"] == other
    assert {key for key in before if key != "torch_rng"} == {key for key in after if key != "torch_rng"}
    rows = RunFolder(folder / name).rows()
    assert rows[-1]["step"] == 192
    assert int(after["engine/updates"]) > int(before["engine/updates"])
    for loss in {key.split("/")[2] for key in before if key.startswith("engine/adam/")}:
        assert after[f"engine/adam/{loss}/steps"] > before[f"engine/adam/{loss}/steps"]


@pytest.mark.parametrize("name", RUNS)
def test_what_does_not_move_is_said(begun, name):
    path = RunFolder(begun[name]).last
    arrays, facts = read(path)
    with pytest.warns(OtherBackend, match="equality to the bit does not"):
        warn_of_backend(path, {**facts, "backend": OTHERS[0]})
    held = {key.removeprefix("engine/"): value for key, value in arrays.items() if key.startswith("engine/")}
    module = {key.replace("dense.kernel", "0.weight"): value for key, value in held.items()}
    with pytest.raises(CannotResume, match=r"A torch.nn.Module has names that only PyTorch knows"):
        fitting(path, module, held)
