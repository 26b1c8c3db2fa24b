"""Keras imported before its framework: the order in which most Keras 3 scripts do it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[1] / "programs"


@pytest.mark.parametrize(
    ("program", "backend", "code"),
    [("tensorflow/w201_head_only.py", "tensorflow", "W201"), ("keras_torch/w102_fit_branch.py", "torch", "W102")],
)
def test_updates_are_seen_when_keras_comes_first(program: str, backend: str, code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "whygrad", "run", "--quiet", str(PROGRAMS / program)],
        env={**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert f"[{code}]" in done.stderr, done.stderr
    assert "nothing was trained" not in done.stderr
