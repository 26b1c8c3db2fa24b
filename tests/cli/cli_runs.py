"""Running `whygrad` and plain `python` on small scripts, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
WHYGRAD = [sys.executable, "-m", "whygrad"]


@dataclass(frozen=True)
class Result:
    """What a process left."""

    status: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "PYTHONWARNINGS")}
    path = os.pathsep.join([SOURCE, *filter(None, [kept.get("PYTHONPATH")])])
    return {**kept, "PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", **more}


def execute(command: list[str], folder: Path, stdin: str = "", **more: str) -> Result:
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(**more),
        input=stdin.encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def whygrad(folder: Path, *arguments: str, stdin: str = "", **more: str) -> Result:
    return execute([*WHYGRAD, *arguments], folder, stdin, **more)


def python(folder: Path, *arguments: str, stdin: str = "", **more: str) -> Result:
    return execute([sys.executable, *arguments], folder, stdin, **more)


def same_but_for_the_report(plain: Result, watched: Result) -> str:
    """The same output, status and standard error; what is left of standard error is the report."""
    assert watched.out == plain.out
    assert watched.status == plain.status
    assert watched.err.startswith(plain.err)
    return watched.err[len(plain.err) :]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
