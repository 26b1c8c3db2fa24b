"""Random numbers that do not come from a training's own generator: those that layers such as Dropout draw.

On TensorFlow and JAX, Keras' random layers keep their state in variables, which engines keep. On PyTorch they draw from
PyTorch's own generator.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import keras
import numpy as np

_TORCH = "torch_rng"


def begin(seed: int) -> None:
    """Let the first weights of networks, and what their layers draw, follow from a seed.

    As `keras.utils.set_random_seed`, which imports TensorFlow where it is installed, whatever the backend is: seconds.
    """
    if keras.backend.backend() == "tensorflow":
        keras.utils.set_random_seed(seed)
        return
    random.seed(seed)  # Keras' initializers and layers take their seeds from here
    np.random.seed(seed % 2**32)
    if keras.backend.backend() == "torch":
        import torch

        torch.manual_seed(seed)


def state() -> dict[str, Any]:
    """For a checkpoint."""
    if keras.backend.backend() != "torch":
        return {}
    import torch

    return {_TORCH: torch.get_rng_state().numpy().copy()}


def load(arrays: Mapping[str, Any]) -> None:
    """Put back what `state` gave; on another framework there is nothing to put it into."""
    if keras.backend.backend() != "torch" or _TORCH not in arrays:
        return
    import torch

    torch.set_rng_state(torch.from_numpy(np.array(arrays[_TORCH], np.uint8)))
