"""`whygrad`, and a stand-in for `python`, in forks of a process that has imported a framework already."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from cli_runs import Result, environment


class Warm:
    """Real processes with a status of their own; only what they import was imported before they began."""

    def __init__(self, what: str, **more: str) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm.py")), what],
            env=environment(**more), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._server.stdout is not None
        assert self._server.stdout.readline() == "ready\n"
        self._folder = tempfile.TemporaryDirectory()
        atexit.register(self._close)

    def _close(self) -> None:
        self._server.communicate()
        self._folder.cleanup()

    def whygrad(self, folder: Path, *arguments: str, **variables: str) -> Result:
        return self._ask(folder, "whygrad", arguments, variables)

    def python(self, folder: Path, *arguments: str, **variables: str) -> Result:
        return self._ask(folder, "python", arguments, variables)

    def several(self, folder: Path, commands: list[list[str]]) -> Result:
        """Commands of whygrad in one fork; what became of each is a line of its output."""
        return self._ask(folder, "several", (json.dumps(commands),), {})

    def _ask(self, folder: Path, kind: str, arguments: tuple[str, ...], variables: dict[str, str]) -> Result:
        server = self._server
        assert server.stdin is not None
        assert server.stdout is not None
        out, err = (Path(self._folder.name) / name for name in ("stdout.txt", "stderr.txt"))
        request = {
            "folder": str(folder), "kind": kind, "arguments": arguments, "variables": variables, "out": str(out),
            "err": str(err),
        }  # fmt: skip
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        return Result(status, out.read_text(errors="replace"), err.read_text(errors="replace"))


@cache
def warm_process(what: str, **more: str) -> Warm:
    """One for all tests that ask."""
    return Warm(what, **more)
