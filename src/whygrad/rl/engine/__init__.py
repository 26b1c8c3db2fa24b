"""The only place that computes and applies gradients: one engine for each framework, with the same names in each."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import keras

from whygrad.rl.engine.interface import Engine, Inside

__all__ = ["Engine", "Inside", "compiled", "engine_class"]


def engine_class() -> type[Any]:
    """The engine of the framework that Keras runs on in this process."""
    module = importlib.import_module(f"whygrad.rl.engine.{keras.backend.backend()}_engine")
    return module.Engine  # type: ignore[no-any-return]


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A pure function on trees of tensors, compiled as the framework does it."""
    module = importlib.import_module(f"whygrad.rl.engine.{keras.backend.backend()}_program")
    return module.compiled(function)  # type: ignore[no-any-return]
