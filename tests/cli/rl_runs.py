"""Running several RL commands in one process, because importing Keras takes most of the time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cli_runs import Result, execute

_SEVERAL = """
import contextlib, io, json, sys
from whygrad.cli.main import main
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
"""

TINY = ("--set", "hidden=8", "learning_starts=20", "train_every=32", "updates=2", "--evaluate-episodes", "2", "--quiet")
"""For DQN: the smallest training that does everything."""


def several(folder: Path, *commands: str, backend: str = "torch") -> list[Result]:
    """Each command's status and output, all run in one process."""
    words = json.dumps([command.split() for command in commands])
    done = execute([sys.executable, "-c", _SEVERAL, words], folder, KERAS_BACKEND=backend)
    results = [Result(*json.loads(line)) for line in done.out.splitlines()]
    assert len(results) == len(commands), done.err
    return results
