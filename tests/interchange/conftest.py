"""These tests run once for each backend: `KERAS_BACKEND=torch python -m pytest tests/interchange`, and so on."""

from __future__ import annotations

import pytest
import tfjs_node


def pytest_configure(config: pytest.Config) -> None:
    # Keras turns tensors into arrays with `np.array(tensor)`; NumPy 2 complains of how the frameworks answer that.
    config.addinivalue_line(
        "filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    )


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """A folder with models that TF.js made and saved, each with inputs and what TF.js says to them."""
    folder = tmp_path_factory.mktemp("saved")
    tfjs_node.run("make_models.js", folder)
    return folder
