"""Where the arithmetic happens, and which versions of everything did it."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import keras

from whygrad.rl.plan import BadPlan


def on_device(device: str | None) -> AbstractContextManager[Any]:
    """Run the block on `cpu`, `gpu`, `gpu:1`, …; None leaves it to the framework."""
    _grow_memory()
    if device is None:
        return nullcontext()
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "gpu", "cuda") or (number and not number.isdigit()):
        raise BadPlan(f"a device is cpu, gpu or gpu:N, got {device!r}")
    kind = "cpu" if kind == "cpu" else "gpu"
    found = _count(kind)
    if int(number or 0) >= found:
        raise BadPlan(f"there is no device {device!r} here: {keras.backend.backend()} sees {found} of kind {kind}")
    return keras.device(f"{kind}:{number or 0}")  # type: ignore[no-any-return]


def machine(device: str | None) -> str:
    """`gpu` or `cpu`: where a training runs when it is asked for this device."""
    if device is not None:
        return "cpu" if device.startswith("cpu") else "gpu"
    return "gpu" if _count("gpu") else "cpu"


@contextmanager
def precision(name: str) -> Iterator[None]:
    """Networks that are built in the block compute in `float32`, or in `bfloat16` with weights in float32.

    Layers keep the precision that they were built with, so nothing is left switched over for others.
    """
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16" if name == "bfloat16" else "float32")
    try:
        yield
    finally:
        keras.config.set_dtype_policy(before)


def versions() -> dict[str, str]:
    """Of what a run depends on, for its folder."""
    names = (
        "whygrad",
        "keras",
        "gymnasium",
        "numpy",
        {"jax": "jax", "torch": "torch"}.get(keras.backend.backend(), ""),
    )
    found = {name: importlib.metadata.version(name) for name in names if name and _installed(name)}
    if keras.backend.backend() == "tensorflow":
        found["tensorflow"] = __import__("tensorflow").__version__
    return {"backend": keras.backend.backend(), "python": platform.python_version(), **found}


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _count(kind: str) -> int:
    backend = keras.backend.backend()
    if kind == "cpu":
        return 1
    if backend == "torch":
        import torch

        return int(torch.cuda.device_count())
    if backend == "tensorflow":
        import tensorflow as tf

        return len(tf.config.list_physical_devices("GPU"))
    import jax

    return sum(device.platform in ("gpu", "cuda", "rocm") for device in jax.devices())


def _grow_memory() -> None:
    """TensorFlow takes all of a GPU's memory unless told otherwise; others may want some of it."""
    if keras.backend.backend() != "tensorflow":
        return
    import tensorflow as tf

    for gpu in tf.config.list_physical_devices("GPU"):
        try:
            tf.config.experimental.set_memory_growth(gpu, True)
        except RuntimeError:  # already in use: it stays as it is
            return
