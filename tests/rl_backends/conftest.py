"""These tests run once for each backend: `KERAS_BACKEND=torch python -m pytest tests/rl_backends`, and so on."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Keras turns tensors into arrays with `np.array(tensor)`; NumPy 2 complains of how the frameworks answer that.
    config.addinivalue_line(
        "filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    )
