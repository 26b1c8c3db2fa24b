"""`whygrad run` on programs that use Stable-Baselines3 as a library: the line named is the program's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"


def test_a_head_made_after_the_library_built_its_optimizer(tmp_path):
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "whygrad", "run", "--json", str(report), str(PROGRAMS / "sb3_late_head.py")]
    subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, timeout=200, check=True)
    [finding] = [f for f in json.loads(report.read_text())["findings"] if f["severity"] != "note"]
    assert finding["code"] == "W201"
    assert finding["variables"] == [f"policy.dreams.{n}.{part}" for n in (0, 2) for part in ("weight", "bias")]
    assert Path(finding["where"]["file"]).name == "sb3_late_head.py"
    assert "nn.Linear(64, 16)" in finding["where"]["code"]
    assert [Path(part["file"]).name for part in finding["path"]] == [
        "sb3_late_head.py",
        "policies.py",
        "sb3_late_head.py",
    ]
