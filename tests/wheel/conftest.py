"""The wheel that the tests look at: one for all of them."""

from __future__ import annotations

import pytest
from building import ROOT, build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))
