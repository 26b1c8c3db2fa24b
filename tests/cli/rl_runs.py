"""Running RL commands where Keras is imported already: importing it takes most of the time."""

from __future__ import annotations

import json
from pathlib import Path

from cli_runs import Result
from warm_runs import Warm, warm_process

TINY = ("--set", "hidden=8", "learning_starts=20", "train_every=32", "updates=2", "--evaluate-episodes", "2", "--quiet")
"""For DQN: the smallest training that does everything."""


def agents(backend: str = "torch") -> Warm:
    """`whygrad` and `python` in processes that have Keras and the agents, on a backend."""
    return warm_process("agents", KERAS_BACKEND=backend)


def several(folder: Path, *commands: str, backend: str = "torch") -> list[Result]:
    """Each command's status and output, all run in one process."""
    done = agents(backend).several(folder, [command.split() for command in commands])
    results = [Result(*json.loads(line)) for line in done.out.splitlines()]
    assert len(results) == len(commands), done.err
    return results
