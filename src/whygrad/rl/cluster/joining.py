"""Joining a Ray cluster, or starting one on this machine for as long as it is needed."""

from __future__ import annotations

import importlib.util
import os
import re
import socket
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_REACH = 5.0
"""Seconds to wait for an answer at an address. Ray itself would wait for minutes."""

_ROOM = 3.0
"""Seconds to wait for a free CPU."""


class NoCluster(RuntimeError):
    """There is no cluster to work on; the message says what to do instead."""


@contextmanager
def joined(address: str | None = None) -> Iterator[Any]:
    """The module `ray`, connected: to the cluster at an address, or to a new one on this machine that ends with us."""
    ray = _ray()
    if ray.is_initialized():  # somebody else's: a notebook's, a sweep's
        yield ray
        return
    _start(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def free_cpus(ray: Any) -> float:
    """CPUs of the cluster that nobody has taken."""
    return float(ray.available_resources().get("CPU", 0.0))


def has_room(ray: Any, cpus: float) -> bool:
    """Whether so many CPUs are free, now or in a moment: what somebody had is free again a little after its end."""
    until = time.monotonic() + _ROOM
    while free_cpus(ray) < cpus - 1e-6:
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def _ray() -> Any:
    if importlib.util.find_spec("ray") is None:
        raise NoCluster("workers and sweeps run on Ray, which is not installed here: pip install 'whygrad[ray]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ray
    return ray


def _start(ray: Any, address: str | None) -> None:
    if address is not None:
        _check_address(address)
    options = {"logging_level": "ERROR", "log_to_driver": False}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if address is None:
                ray.init(address="local", include_dashboard=False, **options)
            else:
                ray.init(address=address, **options)
    except (RuntimeError, ConnectionError, ValueError, OSError, SystemExit) as error:
        raise NoCluster(_reason(address, error)) from error


def _check_address(address: str) -> None:
    """A cluster answers at an address before Ray is asked."""
    if address == "auto":
        return
    found = re.fullmatch(r"(?:ray://)?(\[[0-9a-fA-F:]+\]|[^:/\s]+):(\d{1,5})", address)
    if found is None:
        raise NoCluster(
            f"the address of a Ray cluster is host:port (what `ray start --head` prints) or ray://host:port, got "
            f"{address!r}"
        )
    host, port = found[1].strip("[]"), int(found[2])
    try:
        with socket.create_connection((host, port), timeout=_REACH):
            pass
    except (OSError, OverflowError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NoCluster(
            f"no Ray cluster answers at {address} ({why}): start one with `ray start --head`, or leave --ray out to "
            "use this machine alone"
        ) from error


def _reason(address: str | None, error: BaseException) -> str:
    said = " ".join(str(error).split())
    if "ersion mismatch" in said:
        # Ray compares its own version and Python's, and says both.
        versions = re.findall(r"(Ray|Python): *([\w.]+)", said)
        shown = ", ".join(f"{name} {number}" for name, number in versions[:4])
        halves = shown.split(", ")
        theirs, ours = ", ".join(halves[:2]), ", ".join(halves[2:])
        return (
            f"the cluster at {address} runs other versions ({theirs}) than this process ({ours}): install the same "
            "Ray and the same Python on all machines"
        )
    if re.search("auth|token|unauthenticated", said, re.IGNORECASE):
        return (
            f"the cluster at {address} asks for a token: set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN (or "
            f"RAY_AUTH_TOKEN_PATH) as on its head ({said[:120]})"
        )
    if address == "auto":
        return "no Ray cluster runs on this machine: start one with `ray start --head`, or leave --ray out"
    if address is None:
        return f"Ray could not be started on this machine: {said}"
    return f"the cluster at {address} could not be joined: {said}"
