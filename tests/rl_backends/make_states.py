"""Write state_of_<backend>.npz: an engine's state after three updates, and after one more, as this backend has them.

    for b in torch tensorflow jax; do KERAS_BACKEND=$b python tests/rl_backends/make_states.py; done

The tests load each file on every backend.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
from battery import NUMBERS, make_batch, make_engine

from whygrad.rl.agents.td3 import TD3

AGENT = TD3(hidden=(4,), tau=0.1)
BATCHES = make_batch(AGENT, NUMBERS, 3, 8, seed=1)
NEXT = make_batch(AGENT, NUMBERS, 1, 8, seed=2)


def state_file(backend: str) -> Path:
    """Where the state that a backend made is kept."""
    return Path(__file__).with_name(f"state_of_{backend}.npz")


if __name__ == "__main__":
    engine = make_engine(AGENT, NUMBERS)
    engine.update(BATCHES)
    arrays: dict[str, Any] = {f"before/{k}": v for k, v in engine.state().items()}
    engine.update(NEXT)
    arrays |= {f"after/{k}": v for k, v in engine.state().items()}
    np.savez_compressed(state_file(keras.backend.backend()), **arrays)
