"""`make test` itself, with a stand-in for Python that only writes down what it was asked."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from building import ROOT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

STAND_IN = """\
#!/bin/sh
echo "first line of $*"
echo "$*" >> "$ASKED"
sleep 0.1
echo "last line of $*"
case "$*" in *"$FAILS"*) exit 1 ;; esac
"""
ELSEWHERE = {"tf_agents"}  # wants an environment of its own: make test-tf-agents
NOTHING = "no suite has this in its command"


def make_test(folder, fails):
    tools = folder / "bin"
    tools.mkdir()
    for name in ("python", "ruff", "mypy", "lint-imports"):
        (tools / name).write_text(STAND_IN)
        (tools / name).chmod(0o755)
    (folder / "installed").touch()
    there = [f"{name}={folder}/installed" for name in ("STAMP", "TFJS")]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    return subprocess.run(
        ["make", "test", f"BIN={tools}", "JOBS=3", *there],
        cwd=ROOT,
        env={**kept, "ASKED": f"{folder}/asked", "FAILS": fails},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_everything_is_run_and_what_is_said_stays_in_one_piece(tmp_path):
    done = make_test(tmp_path, NOTHING)
    assert done.returncode == 0, done.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    folders = {path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")}
    folders -= ELSEWHERE
    assert len(folders) > 15
    for folder in folders:
        assert any(f"tests/{folder}" in line for line in asked), f"no suite of `make test` runs tests/{folder}"
    lines = [line for line in done.stdout.splitlines() if " line of " in line]
    assert len(lines) == 2 * len(asked)
    if "--output-sync" not in subprocess.run(["make", "--help"], capture_output=True, text=True, check=True).stdout:
        return  # a make before 4.0 cannot do that
    for first, last in zip(lines[::2], lines[1::2], strict=True):
        assert first.replace("first line", "last line") == last


@pytest.mark.parametrize("fails", ["tests/flow", "tests/rl_backends", "tests/contracts/test_torch_contracts.py"])
def test_one_failure_is_enough(tmp_path, fails):
    done = make_test(tmp_path, fails)
    assert done.returncode != 0
    asked = (tmp_path / "asked").read_text()
    # After a failing check nothing is begun; a failing suite keeps no other from being run.
    assert ("tests/keras_torch" in asked) == (fails != "tests/flow")
