"""A run that was begun on one framework goes on on another."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
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


@pytest.fixture(scope="module", params=["dqn", "sac"])
def begun(request, tmp_path_factory):
    return begin(request.param, tmp_path_factory.mktemp("begun"), steps=128).path


@pytest.mark.parametrize("other", OTHERS)
def test_a_run_goes_on_on_another_framework(begun, other, tmp_path):
    moved = tmp_path / begun.name
    shutil.copytree(begun, moved)
    before, _ = read(RunFolder(moved).last)
    given = tmp_path / "outputs.npz"
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "outputs", str(moved), str(given)],
        env={**os.environ, "KERAS_BACKEND": other},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"was written on {HERE} and goes on on {other}" in done.stderr
    with np.load(given, allow_pickle=False) as file:
        wanted = outputs(begun)
        assert sorted(file.files) == sorted(wanted)
        for name, value in wanted.items():
            np.testing.assert_allclose(file[name], value, rtol=1e-5, atol=1e-5, err_msg=name)
    after, facts = read(RunFolder(moved).last)
    assert facts["backend"] == other
    assert {key for key in before if key != "torch_rng"} == {key for key in after if key != "torch_rng"}
    rows = RunFolder(moved).rows()
    assert rows[-1]["step"] == 192
    assert int(after["engine/updates"]) > int(before["engine/updates"])
    for loss in {key.split("/")[2] for key in before if key.startswith("engine/adam/")}:
        assert after[f"engine/adam/{loss}/steps"] > before[f"engine/adam/{loss}/steps"]


def test_what_does_not_move_is_said(begun):
    path = RunFolder(begun).last
    arrays, facts = read(path)
    with pytest.warns(OtherBackend, match="equality to the bit does not"):
        warn_of_backend(path, {**facts, "backend": OTHERS[0]})
    held = {key.removeprefix("engine/"): value for key, value in arrays.items() if key.startswith("engine/")}
    module = {key.replace("dense.kernel", "0.weight"): value for key, value in held.items()}
    with pytest.raises(CannotResume, match=r"A torch.nn.Module has names that only PyTorch knows"):
        fitting(path, module, held)
