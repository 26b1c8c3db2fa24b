"""Trainings on a real Ray: one small cluster for all tests of a file, but for those that bring their own."""

from __future__ import annotations

import os

import pytest

pytest.importorskip("ray")

# Ray gives way to everything else on the machine. Beside another suite its workers would wait for minutes.
os.environ.setdefault("RAY_worker_niceness", "0")

from whygrad.rl.cluster.joining import joined


def pytest_configure(config: pytest.Config) -> None:
    # Keras turns tensors into arrays with `np.array(tensor)`; NumPy 2 complains of how the frameworks answer that.
    config.addinivalue_line(
        "filterwarnings", "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
    )
    # Ray leaves sockets and files to the end of the process.
    config.addinivalue_line("filterwarnings", "ignore::ResourceWarning")
    config.addinivalue_line("filterwarnings", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(scope="module")
def cluster(monkeypatch_module):
    """Ray on this machine, with as many CPUs as the tests want."""
    monkeypatch_module.setenv("RAY_OVERRIDE_RESOURCES", '{"CPU": 8}')
    with joined() as ray:
        yield ray


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch
