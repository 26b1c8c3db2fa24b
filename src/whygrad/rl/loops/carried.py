"""What a compiled program carries from call to call, as arrays by name and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from keras import ops


def flat(tree: Mapping[str, Any], prefix: str = "carried") -> dict[str, np.ndarray]:
    """Nested dicts of tensors as arrays with names like paths."""
    found: dict[str, np.ndarray] = {}
    for name, value in tree.items():
        path = f"{prefix}/{name}"
        found.update(flat(value, path) if isinstance(value, Mapping) else {path: ops.convert_to_numpy(value).copy()})
    return found


def unflat(like: Mapping[str, Any], arrays: Mapping[str, Any], prefix: str = "carried") -> dict[str, Any]:
    """The arrays in the form of `like`, on the device."""
    found: dict[str, Any] = {}
    for name, value in like.items():
        path = f"{prefix}/{name}"
        if isinstance(value, Mapping):
            found[name] = unflat(value, arrays, path)
        else:
            found[name] = ops.convert_to_tensor(np.array(arrays[path]))
    return found


def merged(values: Any, axes: int) -> Any:
    """The first axes as one."""
    return ops.reshape(values, (-1, *values.shape[axes:]))
