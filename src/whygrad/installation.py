"""What is installed here, as plain data for a report of a fault. Packages are read about, not imported."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable
from importlib import metadata
from typing import Any

import whygrad

PACKAGES = (
    "torch", "tensorflow", "keras", "tf_keras", "jax", "jaxlib", "numpy",
    "gymnasium", "stable_baselines3", "lightning", "pytorch-lightning", "tf-agents",
    "flax", "optax", "equinox",
    "onnx", "onnxruntime", "h5py", "tensorboard", "matplotlib", "pillow", "imageio-ffmpeg", "tqdm",
)  # fmt: skip
"""Whose versions can matter."""

_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos", "tf-nightly", "tf-nightly-cpu")
SAME = {"tensorflow": _TENSORFLOW, "tensorflow-cpu": _TENSORFLOW}
"""Packages that hold the same modules under another name."""

VARIABLES = (
    "KERAS_BACKEND", "KERAS_HOME", "TF_USE_LEGACY_KERAS", "CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS", "JAX_ENABLE_X64",
    "XLA_FLAGS", "TF_XLA_FLAGS", "PYTORCH_ENABLE_MPS_FALLBACK", "OMP_NUM_THREADS",
)  # fmt: skip
"""What the environment says that changes how the frameworks work."""

_FOR_US = ("dev", "all", "docs")
"""Extras that are for working on whygrad, or only name others."""


def installation() -> dict[str, Any]:
    """All of it."""
    return {
        "whygrad": whygrad.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "machine": platform.machine(),
        "cpus": {"machine": os.cpu_count(), "usable": _usable_cpus()},
        "packages": {name: found for name in PACKAGES if (found := version(name)) is not None},
        "extras": extras(),
        "keras_backend": keras_backend(),
        "environment": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def version(package: str) -> str | None:
    """The version of a package, or of another one that holds the same modules; None where there is none."""
    for name in SAME.get(package, (package,)):
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return None


def extras(requirements: Iterable[str] | None = None) -> dict[str, list[str]]:
    """What each extra of ours still lacks, as the requirements that are not met. Nothing: it is complete."""
    if requirements is None:
        try:
            requirements = metadata.requires("whygrad") or []
        except metadata.PackageNotFoundError:
            return {}  # run from its source, which says nothing of extras
    lacking: dict[str, list[str]] = {}
    for line in requirements:
        wanted, _, condition = line.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", condition)
        if extra is None or extra[1] in _FOR_US:
            continue
        unmet = lacking.setdefault(extra[1], [])
        if not _is_met(wanted.strip()):
            unmet.append(wanted.strip())
    return lacking


def too_old(framework: str) -> str | None:
    """A sentence where an installed framework is older than the oldest that whygrad was seen to work with."""
    wanted = next((one for one in extras().get(framework, []) if re.match(framework, one)), None)
    found = version(framework)
    if wanted is None or found is None:
        return None
    return (
        f"{framework} {found} is older than what whygrad was seen to work with ({wanted}), so it may have seen nothing"
    )


def keras_backend() -> dict[str, str] | None:
    """Which framework Keras takes, and who says so; None where Keras is not installed."""
    if version("keras") is None:
        return None
    said = os.environ.get("KERAS_BACKEND")
    if said:
        return {"name": said, "from": "the variable KERAS_BACKEND"}
    home = os.path.expanduser("~")
    folder = os.environ.get("KERAS_HOME") or os.path.join(home if os.access(home, os.W_OK) else "/tmp", ".keras")
    try:
        with open(os.path.join(os.path.expanduser(folder), "keras.json"), encoding="utf-8") as file:
            written = json.load(file).get("backend")
    except (OSError, ValueError, AttributeError):
        written = None
    if isinstance(written, str):
        return {"name": written, "from": "Keras' file keras.json"}
    return {"name": "tensorflow", "from": "Keras' default"}


def _is_met(wanted: str) -> bool:
    """Whether a requirement `name[part]>=1.2` is met. Of other conditions than a lower bound nothing is asked."""
    name = re.match(r"[\w.-]+", wanted)
    found = version(name[0]) if name else None
    least = re.search(r">=\s*([\d.]+)", wanted)
    return found is not None and (least is None or _numbers(found) >= _numbers(least[1]))


def _numbers(text: str) -> list[int]:
    """The release of a version as numbers, without zeros at its end: 2.13.0+cpu is [2, 13]."""
    release = re.match(r"[\d.]*", text)
    numbers = [int(part) for part in (release[0] if release else "").split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers


def _usable_cpus() -> int | None:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # neither macOS nor Windows knows
        return os.cpu_count()
