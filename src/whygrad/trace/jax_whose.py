"""Whose function is at work: the program's own, one of an optimizer library, or one of JAX for its arithmetic."""

from __future__ import annotations

from types import FrameType
from typing import Any

from whygrad.trace.jax_begun import BEGINS
from whygrad.trace.user_line import SKIP, classify

_STOPPING = ("jax/_src/lax/", "jax/_src/tree_util", "jax/_src/ad_util")
_JAX = "jax/_src/"
_NNX = "/flax/nnx/training/"
_TRAINERS = ("/optax/", "/flax/training/", _NNX, "/equinox/_update.py")


def library_function(frame: FrameType | None) -> str:
    """The function of an optimizer library that the user called, where one is at work."""
    found = ""
    while frame is not None and classify(frame.f_code.co_filename) == SKIP:
        path = frame.f_code.co_filename
        if any(part in path for part in _TRAINERS):
            name = frame.f_code.co_name
            if _NNX in path and name not in BEGINS:  # a wrapper has a name of its own
                name = (
                    found
                    if found in BEGINS
                    else "nnx.apply"
                    if found in ("apply_updates", "nnx.apply")
                    else "nnx.update"
                )
            found = name
        frame = frame.f_back
    return found


def in_a_library(frame: FrameType | None) -> bool:
    """Whether a framework's own function stops a gradient for its arithmetic, as `logsumexp` does for the largest."""
    while frame is not None and any(part in frame.f_code.co_filename for part in _STOPPING):
        frame = frame.f_back
    path = frame.f_code.co_filename if frame is not None else ""
    if classify(path) != SKIP or path.startswith("<"):
        return False
    inside = path.partition(_JAX)[2]
    return not inside or inside.startswith(("nn/", "numpy/", "ops/", "scipy/"))


def function_name(function: Any) -> str:
    """What the program calls a function that JAX holds."""
    info = getattr(function, "debug_info", None)
    text = str(getattr(info, "func_src_info", "") or "")
    return text.split(" ")[0].split(".")[-1]


def of_the_program(function: Any) -> bool:
    """Whether a function with a backward pass of its own was written by the program."""
    code = getattr(getattr(function, "f", None), "__code__", None)
    return code is not None and classify(code.co_filename) != SKIP
