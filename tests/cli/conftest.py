"""Fixtures of the command-line tests."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runs import Result, environment


class Warm:
    """`whygrad` and a stand-in for `python` in forks of a process that has torch."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_torch.py"))],
            env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"

    def close(self) -> None:
        self._server.communicate()

    def whygrad(self, folder: Path, *arguments: str) -> Result:
        return self._ask(folder, list(arguments), True)

    def python(self, folder: Path, *arguments: str) -> Result:
        return self._ask(folder, list(arguments), False)

    def _ask(self, folder: Path, arguments: list[str], whygrad: bool) -> Result:
        server = self._server
        assert server.stdin is not None
        assert server.stdout is not None
        out, err = folder / "stdout.txt", folder / "stderr.txt"
        request = {"folder": str(folder), "arguments": arguments, "whygrad": whygrad, "out": str(out), "err": str(err)}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return Result(status, out.read_text(errors="replace"), err.read_text(errors="replace"))


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    server = Warm()
    yield server
    server.close()
