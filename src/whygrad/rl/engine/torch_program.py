"""Whole programs on PyTorch: a plain loop over pieces that are captured as lists of core operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import torch

from whygrad.rl.engine.torch_capture import capture
from whygrad.rl.engine.torch_machine_code import machine_code, once_it_pays
from whygrad.rl.engine.trees import leaves, planted


def compiled(function: Callable[..., Any], at_once: bool = False) -> Callable[..., Any]:
    """The same function on trees of tensors, written down at the first call as a list of core operations.

    `at_once` makes machine code of it before it runs; else that is done once it pays.
    """
    captured: dict[Any, Any] = {}
    device = keras.ops.zeros(()).device

    def run(*given: Any) -> Any:
        flat = [torch.as_tensor(x, device=device) for x in leaves(given)]
        key = tuple((t.shape, t.dtype) for t in flat)
        if key not in captured:
            captured[key] = _capture(function, given, flat, at_once)
        return captured[key](flat)

    return run


def _capture(function: Callable[..., Any], given: Any, flat: list[Any], at_once: bool) -> Callable[..., Any]:
    form: list[Any] = []

    def on_list(*tensors: Any) -> Any:
        out = function(*planted(given, list(tensors)))
        form[:] = [out]
        return leaves(out)

    example = [tensor.clone() for tensor in flat]  # two inputs that are one tensor now need not be one next time
    with torch.no_grad():
        listed = capture(on_list, example, False)
        if not form:
            on_list(*example)
        if at_once:
            listed = machine_code(listed, example) or capture(on_list, example, True)
        else:
            listed = once_it_pays(listed, example)

    def run(tensors: list[Any]) -> Any:
        with torch.no_grad():
            return planted(form[0], list(listed(*tensors)))

    return run


class Inside:
    """What a program sees of an engine. Networks hold their own values."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._pieces: dict[Any, Any] = {}

    def call(self, function: Callable[..., Any], given: Any) -> Any:
        """`function(networks, given)`."""
        if function not in self._pieces:
            self._pieces[function] = self._engine._piece(function)
        return self._pieces[function](given)

    def update(self, batch: Any, remaining: Any) -> Any:
        """One update: every loss that is due, then the targets."""
        return self._engine._one_update(batch, remaining)

    def loop(self, body: Callable[..., Any], carry: Any, length: int, each: Any = None) -> Any:
        """`carry, out = body(inside, carry, i, each[i])`, so many times; the last carry and all outs."""
        outs = []
        for i in range(length):
            one = planted(each, [x[i] for x in leaves(each)])
            carry, out = body(self, carry, np.int32(i), one)
            outs.append(out)
        rows = zip(*map(leaves, outs), strict=True)
        return carry, planted(outs[0], [torch.stack(row) for row in rows])

    def put(self, buffer: Any, at: Any, rows: Any) -> Any:
        """The buffer with these rows from position `at` on."""
        # In place, and by index: asking a GPU for the position would wait for it.
        return buffer.index_copy_(0, at + torch.arange(len(rows), device=buffer.device), rows)


def program(engine: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """`carry, out = function(inside, carry, given)` on an engine's networks."""
    inside = Inside(engine)

    def run(carry: Any, given: Any, updates: int) -> Any:
        with torch.no_grad():
            return function(inside, carry, given)

    return run
