"""Making this process ready for Keras: what is installed, and which framework Keras runs on.

Keras decides for its framework when it is imported, once and for all, so this comes before anything of `whygrad.rl`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys

BACKENDS = ("jax", "torch", "tensorflow")
"""In the order in which they are taken when nobody chooses: the fastest first."""

DEFAULT = "$KERAS_BACKEND, else the first installed of jax, torch, tensorflow"

_NEEDED = ("keras", "gymnasium", "numpy", "tqdm", "tensorboard")


def add_option(parser: argparse.ArgumentParser, default: str) -> None:
    """`--backend`, with what happens without it."""
    parser.add_argument("--backend", metavar="B", help=f"tensorflow, torch or jax (default: {default})")


def get_ready(backend: str | None) -> str | None:
    """Look what is installed and choose the framework; a sentence where something is missing."""
    return missing() or choose(backend)


def missing() -> str | None:
    """A sentence where the packages that all trainings need are not installed."""
    absent = [name for name in _NEEDED if not installed(name)]
    if absent:
        return f"this needs {' and '.join(absent)}, not installed here: pip install 'whygrad[rl]'"
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # for environments of one's own: --env my_module:Mine-v0
    return None


def choose(backend: str | None, kept: str | None = None) -> str | None:
    """The framework: the one given, else that of a run, $KERAS_BACKEND, the first that is installed."""
    asked = backend or kept or os.environ.get("KERAS_BACKEND") or None
    if asked is None:
        asked = next((name for name in BACKENDS if installed(name)), None)
        if asked is None:
            offers = ", ".join(f"'whygrad[{name}]'" for name in BACKENDS)
            return f"neither JAX, PyTorch nor TensorFlow is installed here: pip install one of {offers}"
    if asked not in BACKENDS:
        where = "--backend" if backend else "the run" if kept else "the variable KERAS_BACKEND"
        return f"a backend is one of {', '.join(BACKENDS)}, and {where} says {asked!r}"
    if not installed(asked):
        return f"the backend {asked} is not installed here: pip install 'whygrad[{asked}]'"
    os.environ["KERAS_BACKEND"] = asked
    # JAX would take three quarters of a GPU's memory at once; TensorFlow is told the same in rl/device.py.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # TensorFlow's remarks about the processor
    return None


def usual() -> dict[str, str] | None:
    """The framework that is taken when nobody chooses, and why; None where none is installed."""
    said = os.environ.get("KERAS_BACKEND")
    if said:
        return {"name": said, "from": "the variable KERAS_BACKEND"}
    first = next((name for name in BACKENDS if installed(name)), None)
    return None if first is None else {"name": first, "from": f"the first installed of {', '.join(BACKENDS)}"}


def installed(name: str) -> bool:
    """Whether a module could be imported; nothing is."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
