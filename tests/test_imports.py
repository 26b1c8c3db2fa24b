"""whygrad itself needs no framework, and importing it imports none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"
HEAVY = ("torch", "tensorflow", "keras", "tf_keras", "jax", "numpy")


def packages(*names: str) -> list[str]:
    """The modules of these packages, by their files."""
    return [
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        for name in names
        for path in sorted((SOURCE / "whygrad" / name).rglob("*.py"))
    ]


def heavy_after(statement: str, *folders: str) -> list[str]:
    """What a fresh interpreter has of the heavy packages after a statement."""
    code = f"{statement}\nimport sys\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    path = os.pathsep.join([*folders, str(SOURCE)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_importing_whygrad_imports_no_framework():
    assert heavy_after("import whygrad") == []


def test_flow_rules_report_and_the_commands_import_no_framework():
    modules = packages("flow", "rules", "report", "cli")
    assert len(modules) > 20
    assert heavy_after("import whygrad.diagnose, whygrad.script\nimport " + ", ".join(modules)) == []


@pytest.mark.parametrize("name", HEAVY)
def test_the_tests_above_can_fail(tmp_path, name):
    """Were one of them imported, they would say so."""
    (tmp_path / f"{name}.py").write_text("")
    (tmp_path / "careless.py").write_text(f"import whygrad\nimport {name}\n")
    assert heavy_after("import careless", str(tmp_path)) == [name]
