"""One game of Snake by the agent of a run, with what it thought of each choice, as JSON.

For the page of `whygrad view`, which plays it in a process of its own: `python -m whygrad.rl.snake_game RUN best`.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any

import numpy as np
from keras import ops

from whygrad.live.run_folder import RunFolder
from whygrad.rl.lanes import Episode
from whygrad.rl.loops.round import seeds
from whygrad.rl.plan import Plan
from whygrad.rl.playing import camera_for, moments
from whygrad.rl.restoring import Restored, restore

_STREAM = 11
"""Seeds of its own."""
_MOST = 1_500
"""Moves after which a game is cut off: more than anybody looks at."""


def play(path: str, which: str | None = None, seed: int = 0) -> dict[str, Any]:
    """The boards of a game, from the first to the last, and for each move the values of all choices."""
    plan = Plan.from_data(RunFolder.open(path).settings()["plan"])
    camera = camera_for(plan, "ansi")
    thoughts: list[dict[str, Any]] = []
    ended: list[Episode] = []
    try:
        with restore(path, which, env=camera) as restored:
            policy, kind = restored.policy, _kind(restored)

            def thinking(observation: Any) -> Any:
                action = policy(observation)
                values = _values(restored, kind, observation)
                thoughts.append({"action": int(action[0]), "values": [round(float(v), 5) for v in values]})
                return action

            seen = moments(thinking, restored.lanes, camera, seeds(seed, _STREAM, count=1), ended, _MOST)
            boards = [board for _, board in seen]
            return {
                "kind": kind,
                "which": restored.which,
                "steps": restored.steps,
                "height": boards[0].height,
                "width": boards[0].width,
                "boards": [
                    {key: value for key, value in asdict(board).items() if key not in ("height", "width")}
                    for board in boards
                ],
                "moves": thoughts,
                "score": ended[0].score,
                "won": bool(ended[0].facts.get("won")),
            }
    finally:
        camera.close()


def _kind(restored: Restored) -> str:
    """`q` for values, `probability` for a policy."""
    return "q" if "q" in restored.engine.networks else "probability"


def _values(restored: Restored, kind: str, observation: Any) -> Any:
    seen = observation if restored.moments is None else restored.moments.scale(observation)
    return np.asarray(restored.engine.call(_q if kind == "q" else _probabilities, {"observation": seen}))[0]


def _q(nets: Any, batch: Any) -> Any:
    return nets["q"](batch["observation"])


def _probabilities(nets: Any, batch: Any) -> Any:
    return ops.softmax(nets["policy"](batch["observation"]), axis=-1)


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the training goes first
    print(json.dumps(play(sys.argv[1], sys.argv[2])))
