"""Whole programs on TensorFlow: collecting and learning as one function compiled by XLA."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from whygrad.rl.engine.modes import in_modes


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function on trees of tensors, compiled."""
    return tf.function(function, autograph=False, jit_compile=True)  # type: ignore[no-any-return]


class Inside:
    """What a program sees of an engine. Variables hold their own values; only the count of updates travels with it."""

    def __init__(self, engine: Any, count: Any, loops: bool) -> None:
        self._engine, self.count, self._loops = engine, count, loops

    def call(self, function: Callable[..., Any], given: Any) -> Any:
        """`function(networks, given)`."""
        networks = in_modes(self._engine.networks)
        if self._loops:
            return function(networks, given)
        return compiled(lambda given: function(networks, given))(given)

    def update(self, batch: Any, remaining: Any) -> Any:
        """One update: every loss that is due, then the targets."""
        report = self._engine.one_update(remaining, batch, self.count)
        self.count = self.count + 1
        return report

    def loop(self, body: Callable[..., Any], carry: Any, length: int, each: Any = None) -> Any:
        """`carry, out = body(inside, carry, i, each[i])`, so many times; the last carry and all outs."""

        def once(i: Any, count: Any, carry: Any) -> Any:
            inner = Inside(self._engine, count, self._loops)
            carry, out = body(inner, carry, i, None if each is None else tf.nest.map_structure(lambda x: x[i], each))
            return inner.count, carry, out

        start = (tf.constant(0), self.count, carry)
        # What comes out is known only to the body: it is traced once to see.
        shapes = tf.function(once, autograph=False).get_concrete_function(*start).structured_outputs[2]
        kept = tf.nest.map_structure(lambda x: tf.TensorArray(x.dtype, length, element_shape=x.shape), shapes)

        def go_on(i: Any, count: Any, carry: Any, kept: Any) -> Any:
            count, carry, out = once(i, count, carry)
            return i + 1, count, carry, tf.nest.map_structure(lambda array, x: array.write(i, x), kept, out)

        _, self.count, carry, kept = tf.while_loop(
            lambda i, *_: i < length, go_on, (*start, kept), parallel_iterations=1, maximum_iterations=length
        )
        return carry, tf.nest.map_structure(lambda array: array.stack(), kept)

    def put(self, buffer: Any, at: Any, rows: Any) -> Any:
        """The buffer with these rows from position `at` on."""
        if not self._loops:
            return tf.tensor_scatter_nd_update(buffer, (at + tf.range(rows.shape[0]))[:, None], rows)
        from tensorflow.compiler.tf2xla.python import xla

        start = tf.concat([[at], tf.zeros(len(buffer.shape) - 1, "int32")], axis=0)
        return xla.dynamic_update_slice(buffer, rows, start)


def program(engine: Any, function: Callable[..., Any], networks: bool) -> Callable[..., Any]:
    """`carry, out = function(inside, carry, given)` on an engine's networks, compiled."""

    loops = engine.loops or not networks

    def on_engine(count: Any, carry: Any, given: Any) -> Any:
        return function(Inside(engine, count, loops), carry, given)

    whole = tf.function(on_engine, autograph=False, jit_compile=loops)

    def run(carry: Any, given: Any, updates: int) -> Any:
        carry, out = whole(tf.constant(engine.updates, "int32"), carry, given)
        engine.updates += updates
        return carry, out

    return run
