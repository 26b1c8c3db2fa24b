"""Sweeps run on PyTorch here; the framework is chosen before anything imports Keras."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("KERAS_BACKEND", "torch")
# Ray gives way to everything else on the machine. Beside another suite its trials would wait for minutes.
os.environ.setdefault("RAY_worker_niceness", "0")


def pytest_configure(config: pytest.Config) -> None:
    # Keras turns tensors into arrays with `np.array(tensor)`; NumPy 2 complains of how the frameworks answer that.
    config.addinivalue_line(
        "filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    )
