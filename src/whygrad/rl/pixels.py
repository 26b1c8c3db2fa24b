"""Images as networks see them, 0 to 1 in float32, and as a memory keeps them, a byte for each number."""

from __future__ import annotations

from typing import Any

import numpy as np

_SHARE = np.float32(1.0 / 255.0)


def seen(pixels: Any) -> Any:
    """Bytes 0 to 255 as float32 from 0 to 1."""
    return np.asarray(pixels) * _SHARE


def kept(shares: Any) -> Any:
    """What `seen` made, as bytes again: exactly those that went in."""
    return np.rint(np.asarray(shares) * np.float32(255.0)).astype(np.uint8)
