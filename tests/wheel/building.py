"""Building whygrad as it is released, and installing it where nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).with_name("programs")


@dataclass(frozen=True)
class Result:
    """What a process left."""

    status: int
    out: str
    err: str


def execute(command: list[str], folder: Path, seconds: int = 120, **variables: str) -> Result:
    """Run something that finds nothing of this repository but what was installed."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "KERAS", "VIRTUAL_ENV", "COV_"))}
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "OMP_NUM_THREADS": "1", "COLUMNS": "80"}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, **quiet, **variables},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def build(kind: str, source: Path, into: Path) -> Path:
    """The wheel or the sdist, with the build system of this environment: nothing is downloaded."""
    done = execute([sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(into)], source)
    assert done.status == 0, done.err
    (built,) = into.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return built


def unpacked(sdist: Path, into: Path) -> Path:
    """The folder that an sdist holds."""
    with tarfile.open(sdist) as archive:
        archive.extractall(into, filter="data")
    (folder,) = into.iterdir()
    return folder


class Environment:
    """A new virtual environment with nothing in it, of $WHEEL_PYTHON or this Python; leaving the block removes it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        python = os.environ.get("WHEEL_PYTHON", sys.executable)
        done = execute([python, "-m", "venv", "--without-pip", str(folder)], folder.parent)
        assert done.status == 0, done.err

    def __enter__(self) -> Environment:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder)

    def install(self, *words: str) -> None:
        """Have the pip of this environment install into that one."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet"]
        done = execute([*pip, *words], self.folder, seconds=1500)
        assert done.status == 0, done.err

    def whygrad(self, folder: Path, *words: str, seconds: int = 300, **variables: str) -> Result:
        """The command that was installed."""
        return execute([str(self.bin / "whygrad"), *words], folder, seconds, **variables)

    def python(self, folder: Path, *words: str, **variables: str) -> Result:
        """Python, with what was installed."""
        return execute([str(self.bin / "python"), *words], folder, 300, **variables)
