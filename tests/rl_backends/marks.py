"""Which of many agents a test takes on every backend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def once_but(quick: Iterable[str], names: Iterable[str]) -> list[Any]:
    """All names; those that are not quick run once (`conftest`)."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.once) for name in names]
