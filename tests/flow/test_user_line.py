"""Whose code a file is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import whygrad


def test_our_own_files_are_skipped_where_a_link_leads_to_them(tmp_path: Path) -> None:
    link = tmp_path / "linked"
    link.symlink_to(Path(whygrad.__file__).parent.parent)
    code = (
        "import whygrad.trace.session as ours; from whygrad.trace.user_line import SKIP, classify;"
        "print(ours.__file__, classify(ours.__file__) == SKIP)"
    )
    environment = {**os.environ, "PYTHONPATH": str(link)}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == [str(link / "whygrad" / "trace" / "session.py"), "True"]
