"""Keras on the PyTorch backend: its own optimizers are seen to step."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
keras = pytest.importorskip("keras")

from whygrad.trace import torch_recorder
from whygrad.trace.session import Session

if keras.config.backend() != "torch":
    pytest.skip("needs KERAS_BACKEND=torch", allow_module_level=True)


def test_fit_is_followed_and_lets_go() -> None:
    before = keras.src.optimizers.base_optimizer.BaseOptimizer.apply
    session = Session(ring=0)
    recorder = torch_recorder.start(session)
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(0.01), loss="mse")
    model.fit(torch.ones(6, 3), torch.ones(6, 1), batch_size=1, verbose=0)
    assert not recorder.deep
    recording = recorder.finish()
    assert session.notes == []
    assert len(recording.steps) == 4 and session.updates == 6
    assert all(len(step.applied) == 4 for step in recording.steps)
    assert {optimizer.name for optimizer in recording.optimizers.values()} == {"SGD"}
    assert keras.src.optimizers.base_optimizer.BaseOptimizer.apply is before


def test_an_update_without_a_gradient_for_one_variable() -> None:
    session = Session()
    recorder = torch_recorder.start(session)
    used, unused = keras.Variable(1.0), keras.Variable(1.0)
    optimizer = keras.optimizers.SGD(0.01)
    loss = used.value * 2.0
    loss.backward()
    with pytest.warns(UserWarning, match="Gradients do not exist"):
        optimizer.apply([used.value.grad, None], [used, unused])
    recording = recorder.finish()
    [step] = recording.steps
    assert (len(step.applied), len(step.without), session.updates) == (1, 1, 1)
    assert session.notes == []
