"""The smallest sweep that does everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TINY = {"hidden": (8,), "learning_starts": 20, "train_every": 8, "updates": 4}
"""Settings of DQN."""
QUICK = {"evaluate_episodes": 2, "tensorboard": False}
"""Options of the trainings."""


def rows(run: Path) -> list[dict[str, Any]]:
    """What a run logged, but for how long it took."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [{name: value for name, value in row.items() if name != "seconds"} for row in lines]
