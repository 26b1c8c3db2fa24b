"""Fixtures of the command-line tests."""

from __future__ import annotations

import pytest
from warm_runs import Warm, warm_process


@pytest.fixture(scope="session")
def warm() -> Warm:
    """A process that has torch."""
    return warm_process("torch")
