"""Whole programs on JAX: collecting and learning as one compiled function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function on trees of tensors, compiled."""
    return jax.jit(function)  # type: ignore[no-any-return]


class Inside:
    """What a program sees of an engine. The values of all variables travel with it from operation to operation."""

    def __init__(self, engine: Any, values: Any, moments: Any, count: Any) -> None:
        self._engine, self._held = engine, (values, moments, count)

    @property
    def held(self) -> Any:
        """Values, moments and the count of updates, as they are now."""
        return self._held

    def call(self, function: Callable[..., Any], given: Any) -> Any:
        """`function(networks, given)`."""
        return self._engine._forward(function, self._held[0], given)[0]

    def update(self, batch: Any, remaining: Any) -> Any:
        """One update: every loss that is due, then the targets."""
        self._held, report = self._engine._one_update(remaining, self._held, batch)
        return report

    def loop(self, body: Callable[..., Any], carry: Any, length: int, each: Any = None) -> Any:
        """`carry, out = body(inside, carry, i, each[i])`, so many times; the last carry and all outs."""

        def once(held: Any, given: Any) -> Any:
            inner = Inside(self._engine, *held[0])
            carry, out = body(inner, held[1], *given)
            return (inner.held, carry), out

        xs = (jnp.arange(length, dtype="int32"), each)
        (self._held, carry), outs = jax.lax.scan(once, (self._held, carry), xs, length)
        return carry, outs

    def put(self, buffer: Any, at: Any, rows: Any) -> Any:
        """The buffer with these rows from position `at` on."""
        return jax.lax.dynamic_update_slice_in_dim(buffer, rows, at, axis=0)


class Between:
    """The same as `Inside` for networks that XLA should not loop over: every piece is compiled on its own."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def call(self, function: Callable[..., Any], given: Any) -> Any:
        """`function(networks, given)`."""
        run = self._piece(function, lambda values, given: self._engine._forward(function, values, given)[0])
        return run(self._engine.values, given)

    def update(self, batch: Any, remaining: Any) -> Any:
        """One update: every loss that is due, then the targets."""
        engine = self._engine
        run = self._piece("update", engine._one_update, donate_argnums=1)
        held = (engine.values, engine.moments, jnp.int32(engine.updates))
        (engine.values, engine.moments, _), report = run(remaining, held, batch)
        engine.updates += 1
        return report

    def loop(self, body: Callable[..., Any], carry: Any, length: int, each: Any = None) -> Any:
        """`carry, out = body(inside, carry, i, each[i])`, so many times; the last carry and all outs."""
        outs = []
        for i in range(length):
            carry, out = body(self, carry, np.int32(i), jax.tree.map(lambda x: x[i], each))  # noqa: B023
            outs.append(out)
        return carry, jax.tree.map(lambda *rows: jnp.stack(rows), *outs)

    def put(self, buffer: Any, at: Any, rows: Any) -> Any:
        """The buffer with these rows from position `at` on."""
        run = self._piece("put", partial(jax.lax.dynamic_update_slice_in_dim, axis=0), donate_argnums=0)
        return run(buffer, rows, at)

    def _piece(self, name: Any, function: Callable[..., Any], **options: Any) -> Any:
        if name not in self._engine.pieces:
            self._engine.pieces[name] = jax.jit(function, **options)
        return self._engine.pieces[name]


def program(engine: Any, function: Callable[..., Any], networks: bool) -> Callable[..., Any]:
    """`carry, out = function(inside, carry, given)` on an engine's networks, compiled; the carry's memory is reused."""
    if networks and not engine.loops:
        return lambda carry, given, updates: function(Between(engine), carry, given)

    @partial(jax.jit, donate_argnums=(0, 1, 3))
    def whole(values: Any, moments: Any, count: Any, carry: Any, given: Any) -> Any:
        inside = Inside(engine, values, moments, count)
        carry, out = function(inside, carry, given)
        return inside.held[:2], carry, out

    def run(carry: Any, given: Any, updates: int) -> Any:
        held, carry, out = whole(engine.values, engine.moments, jnp.int32(engine.updates), carry, given)
        engine.values, engine.moments = held
        engine.updates += updates
        return carry, out

    return run
