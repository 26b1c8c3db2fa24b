"""These tests run once for each backend: `KERAS_BACKEND=torch python -m pytest tests/rl_backends`, and so on.

Tests marked `once` take long and are the same everywhere but for the framework beneath: they run on PyTorch, and on the
others with `--everywhere`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import keras
import pytest
from runs import begin

from whygrad.rl.training import Trained


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--everywhere", action="store_true", help="also run on this backend what runs on PyTorch alone")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "once: takes long, so it runs on PyTorch, and elsewhere with --everywhere")
    # Keras turns tensors into arrays with `np.array(tensor)`; NumPy 2 complains of how the frameworks answer that.
    config.addinivalue_line(
        "filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if keras.backend.backend() == "torch" or config.getoption("--everywhere"):
        return
    left_out = [item for item in items if item.get_closest_marker("once")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("once")]


@pytest.fixture
def optimized() -> Iterator[None]:
    """JAX compiles as it does for everybody: convolutions that it has not optimized (Makefile) take minutes."""
    if keras.backend.backend() != "jax":
        yield
        return
    import jax

    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", False)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Trained]:
    """A training of `runs` from its beginning to its end, once for all tests that only read what it left."""

    @cache
    def trained(name: str) -> Trained:
        return begin(name, tmp_path_factory.mktemp("whole"))

    return trained
