"""Write gradients.npz: each loss of each agent and its gradients, as the backend of this process computes them.

    KERAS_BACKEND=jax python tests/rl_backends/make_gradients.py

Run it when a loss is meant to change, and say in the commit why; the tests compare every backend with the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from battery import CASES, LOSSES, make_batch, make_engine

FILE = Path(__file__).with_name("gradients.npz")
ROWS = 16


def computed(case: str, name: str) -> dict[str, Any]:
    """A loss and its gradients, under the names that they have in the file."""
    agent, spaces = CASES[case]
    value, gradients = make_engine(agent, spaces).gradients(name, make_batch(agent, spaces, ROWS))
    return {f"{case}/{name}": np.float32(value), **{f"{case}/{name}/{v}": g for v, g in gradients.items()}}


if __name__ == "__main__":
    arrays: dict[str, Any] = {}
    for case, name in LOSSES:
        arrays |= computed(case, name)
    np.savez_compressed(FILE, **arrays)
