"""Runs to look at, made once for all tests, and servers that show them."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import made_runs

from whygrad.view.server import Server


@contextmanager
def serving(root, **options):
    server = Server(root, **options)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    for name, make in made_runs.MAKERS.items():
        if name not in ("live", "deep-mlp"):
            make(root / name)
    return root


@pytest.fixture(scope="session")
def big(tmp_path_factory):
    root = tmp_path_factory.mktemp("big")
    made_runs.make_big(root / "deep-mlp")
    return root


@pytest.fixture
def server(made):
    with serving(made) as found:
        yield found
