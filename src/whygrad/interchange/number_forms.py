"""The forms in which weights lie in a TF.js file: float32, or made smaller as float16, uint16 or uint8."""

from __future__ import annotations

from typing import Any

import numpy as np

from whygrad.interchange.bad_model import BadModel

STORED = {"float32": "<f4", "int32": "<i4", "uint8": "u1", "bool": "u1"}
"""The types a weight can have, as the bytes lie in the file."""

SMALLER = {"float16": "<f2", "uint16": "<u2", "uint8": "u1"}
"""The types it can be made smaller to."""


def stored_as(name: str, dtype: Any, quantization: Any) -> np.dtype[Any]:
    """How the numbers of a weight lie in the file; `BadModel` for a form that is not known."""
    if not isinstance(dtype, str) or dtype not in STORED:
        raise BadModel(f"the weight {name!r} has the dtype {dtype!r}; known are {', '.join(STORED)}.")
    if quantization is None:
        return np.dtype(STORED[dtype])
    form = quantization.get("dtype") if isinstance(quantization, dict) else None
    if not isinstance(form, str) or form not in SMALLER:
        raise BadModel(f"the weight {name!r} is quantised as {quantization!r}; known are {', '.join(SMALLER)}.")
    if form != "float16":
        for key in ("scale", "min"):
            if not isinstance(quantization.get(key), (int, float)):
                raise BadModel(f"the weight {name!r} is quantised as {form} without a number for {key!r}.")
    return np.dtype(SMALLER[form])


def restored(numbers: np.ndarray, quantization: dict[str, Any] | None) -> np.ndarray:
    """The weight, as float32, from the numbers in the file."""
    if quantization is None or quantization["dtype"] == "float16":
        return numbers.astype(np.float32)
    # TF.js computes in double precision and rounds once.
    return (numbers.astype(np.float64) * quantization["scale"] + quantization["min"]).astype(np.float32)


def made_smaller(weight: np.ndarray, form: str | None) -> tuple[np.ndarray, dict[str, Any] | None]:
    """The numbers to write for a weight, and the `quantization` that goes into the manifest."""
    if form is None:
        return weight.astype(STORED["float32"]), None
    if form == "float16":
        largest = float(np.finfo(np.float16).max)
        if weight.size and np.abs(weight).max() > largest:
            raise BadModel(f"a weight of {np.abs(weight).max():.3g} does not fit into float16 (up to {largest:.5g}).")
        return weight.astype(SMALLER[form]), {"dtype": form, "original_dtype": "float32"}
    top = int(np.iinfo(SMALLER[form]).max)
    low, high = (float(weight.min()), float(weight.max())) if weight.size else (0.0, 0.0)
    if not np.isfinite([low, high]).all():
        raise BadModel(f"a weight is not finite, so it cannot be written as {form}.")
    scale = (high - low) / top or 1.0
    if low < 0.0 < high:
        low = -round(-low / scale) * scale  # so that zero stays zero
    numbers = np.clip(np.round((weight.astype(np.float64) - low) / scale), 0, top)
    return numbers.astype(SMALLER[form]), {"dtype": form, "scale": scale, "min": low, "original_dtype": "float32"}
