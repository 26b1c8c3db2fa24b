"""`compiled=True`: `torch.compile` on top of the captured operations changes speed, not results."""

import shutil

import keras
import numpy as np
import pytest

from whygrad.rl import DQN
from whygrad.rl.agent import Spaces
from whygrad.rl.building import build
from whygrad.rl.engine import engine_class

ROWS = 8


@pytest.mark.skipif(keras.backend.backend() != "torch", reason="TensorFlow and JAX always compile")
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler")
@pytest.mark.filterwarnings("ignore")  # its own imports warn
def test_compiled_updates_are_the_same_updates():
    spaces, agent = Spaces((3,), 2), DQN(hidden=(4,))
    rng = np.random.default_rng(0)
    batches = {
        "observation": rng.standard_normal((2, ROWS, 3), dtype=np.float32),
        "next_observation": rng.standard_normal((2, ROWS, 3), dtype=np.float32),
        "action": rng.integers(2, size=(2, ROWS)),
        "reward": rng.standard_normal((2, ROWS), dtype=np.float32),
        "discount": np.full((2, ROWS), 0.9, np.float32),
        "weight": np.ones((2, ROWS), np.float32),
    }
    plain = engine_class()(agent, build(agent, spaces), spaces)
    compiled = engine_class()(agent, build(agent, spaces), spaces, compiled=True)
    compiled.load(plain.state())
    plain.update(batches)
    compiled.update(batches)
    for name, value in plain.state().items():
        np.testing.assert_allclose(compiled.state()[name], value, rtol=1e-4, atol=1e-6, err_msg=name)
