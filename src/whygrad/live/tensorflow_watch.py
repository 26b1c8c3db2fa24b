"""Watching gradients in TensorFlow, in the optimizer: eagerly, in `tf.function`, with XLA, in `model.fit`.

A compiled function never calls us again. So the statistics are operations in it, which write into variables of ours:
a ring of looks (`ring_reading`) and histograms that add up. The store's thread reads these, and sets how far apart
looks are. Gradients that a program clips itself, before it hands them to the optimizer, are seen as clipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from whygrad.live import buckets
from whygrad.live.budget import FIRST, Budget
from whygrad.live.keras_parts import innermost, named, path_of
from whygrad.live.look_cost import dearer
from whygrad.live.ring_reading import WRITTEN, RingReader, Snapshot, filled, rows_for
from whygrad.live.store import Variable
from whygrad.live.tensorflow_hooks import Hooks, key, known, raw
from whygrad.live.tensorflow_pass import GraphPass
from whygrad.live.watched_run import WatchedRun

_NEVER, _NOT_YET = 1 << 62, -2
_WITNESSES = 3
_FEW_ROWS = 256
_WORTH = 0.1
"""A distance that changes by less than this share is left as it is."""


_OF_WEIGHTS = np.array([name == "lengths" for name in WRITTEN])


class TensorFlowWatch:
    """One optimizer under watch."""

    def __init__(
        self,
        run: WatchedRun,
        name: str,
        names: Mapping[Any, tuple[str, str]],
        optimizer: Any,
        budget: Budget,
        every: int | None = None,
        targets: Mapping[str, Any] | None = None,
    ) -> None:
        self._run, self._name, self._names, self._budget = run, name, names, budget
        self._optimizer = innermost(optimizer)
        self._fixed, self._targets = every is not None, dict(targets or {})
        self._reader: RingReader | None = None
        self._cost: float | None = None
        self._hooks = Hooks(self._optimizer, self._apply)
        run.store.source(self.collect)

    def close(self) -> None:
        """Look no more."""
        self._hooks.close()
        if self._reader is not None:
            self._wake.assign(_NEVER)
            self._plan.assign([_NEVER, _NOT_YET, _NOT_YET])

    # In the training's thread, or while its function is traced.

    def _prepare(self, variables: Sequence[Any]) -> None:
        self._variables = [raw(variable) for variable in variables]
        self._places = {key(variable): place for place, variable in enumerate(variables)}
        self._pass = GraphPass(self._variables)
        count = len(variables)
        # XLA copies the whole ring where only some updates are looked at; and then few rows are written in a second.
        self._rows = rows_for(count) if self._fixed else min(rows_for(count), _FEW_ROWS)
        self._witnesses = _witnesses(self._variables, [self._variable(v).network for v in variables])
        group = self._run.group(
            self._name, [self._variable(v) for v in variables], [not v.trainable for v in variables]
        )
        marks = {name: lambda network=network: _mark(network) for name, network in self._targets.items()}
        reader = RingReader(self._run, group, self._budget, self._fixed, marks)
        with tf.init_scope():
            self._updates = _own(0, tf.int64, "updates")
            self._wake = _own(0, tf.int64, "wake")  # the next update in which there is something to do
            self._plan = _own([0, _NOT_YET, 0], tf.int64, "plan")  # see _do
            self._every = _own(self._budget.every, tf.int64, "every")
            self._held = [_own(now, now.dtype, "held") for now in self._pass.packed(self._variables)]
            self._ring = _own(np.full((self._rows, 1 + count * len(WRITTEN)), -1.0), tf.float64, "ring")
            self._counts = _own(np.zeros(count * buckets.COUNT + 1), tf.int64, "counts")  # and how many looks
        self._do_compiled = tf.function(self._do, reduce_retracing=True)
        self._reader = reader  # from now on the store's thread reads

    def _variable(self, variable: Any) -> Variable:
        name, network = self._names.get(key(variable), named(path_of(variable)))
        return Variable(name, network, tuple(variable.shape))

    def _apply(self, gradients: list[Any], variables: list[Any], go_on: Callable[[], Any]) -> Any:
        if not variables or not _first_of_replicas():
            return go_on()
        if self._reader is None:
            self._prepare(known(self._optimizer) or variables)
        places = [self._places.get(key(variable)) for variable in variables]
        held: list[Any] = [None] * len(self._variables)
        for place, gradient in zip(places, gradients, strict=False):
            if place is not None:
                held[place] = gradient
        apply = self._apply_eagerly if tf.executing_eagerly() else self._apply_in_graph
        order = [place for place, gradient in zip(places, gradients, strict=False) if gradient is not None]
        return apply(held, order, go_on)

    def _apply_eagerly(self, gradients: list[Any], order: list[Any], go_on: Callable[[], Any]) -> Any:
        found = go_on()
        applied = self._applied(order)
        count, awake, odd = self._advance(gradients)
        if awake:
            self._do_compiled(count - 1, odd, gradients, applied)
        return found

    def _apply_in_graph(self, gradients: list[Any], order: list[Any], go_on: Callable[[], Any]) -> Any:
        found = go_on()
        applied = self._applied(order)
        if self._fixed and self._budget.every == 1:
            self._record(self._updates.assign_add(1) - 1, True, gradients, applied, hold=True)
        else:
            count, awake, odd = self._advance(gradients)
            _if(awake, lambda: self._do(count - 1, odd, gradients, applied))
        return found

    def _advance(self, gradients: Sequence[Any]) -> tuple[Any, Any, Any]:
        """One update further: how many there were, whether there is something to do, whether a gradient is broken.

        Every update pays for this, and in a step of a small network each operation counts.
        """
        count = self._updates.assign_add(1)
        odd = self._is_odd(gradients)
        return count, (count > self._wake.read_value()) | odd, odd

    def _do(self, update: Any, odd: Any, gradients: Sequence[Any], applied: Sequence[Any] | None) -> None:
        """Look at an update, or hold the weights for the next one, or both.

        The plan has the update of the next look, the last one with a broken gradient, and of which update the weights
        are held as they were in front of it.
        """
        due, broken, held = tf.unstack(self._plan.read_value())
        look = (update >= due) | (odd & (broken != update - 1))
        after = tf.where(look, update + self._distance(update), due)
        hold = update + 1 >= after
        self._plan.assign(tf.stack([after, tf.where(odd, update, broken), tf.where(hold, update + 1, held)]))
        self._wake.assign(after - 1)

        def record(hold: bool) -> Callable[[], None]:
            return lambda: self._record(update, held == update, gradients, applied, hold)

        cases = [lambda: None, record(False), self._hold, record(True)]
        which = tf.cast(look, tf.int32) + 2 * tf.cast(hold, tf.int32)
        tf.switch_case(which, [_without_result(case) for case in cases])

    def _distance(self, update: Any) -> Any:
        if self._fixed:
            return tf.constant(self._budget.every, tf.int64)
        return tf.where(update + 1 < FIRST, tf.constant(1, tf.int64), self._every.read_value())

    def _is_odd(self, gradients: Sequence[Any]) -> Any:
        """Whether a small gradient near the inputs is not finite: what spoils any gradient mostly spoils it."""
        sums = [tf.reduce_sum(gradients[place]) for place in self._witnesses if _dense(gradients[place])]
        if not sums:
            return tf.constant(False)
        total = sums[0]
        for one in sums[1:]:
            total += tf.cast(one, total.dtype)
        return ~tf.math.is_finite(total)

    def _applied(self, order: Sequence[Any]) -> list[Any] | None:
        after = self._hooks.clipped()
        if after is None or len(after) != len(order):
            return None
        held: list[Any] = [None] * len(self._variables)
        for place, gradient in zip(order, after, strict=True):
            if place is not None:
                held[place] = gradient
        return held

    def _hold(self, now: Sequence[Any] | None = None) -> None:
        """Keep the weights as this step left them, which is as the next one finds them."""
        for held, one in zip(self._held, now or self._pass.packed(self._variables), strict=True):
            held.assign(one)

    def _record(
        self, update: Any, known: Any, gradients: Sequence[Any], applied: Sequence[Any] | None, hold: bool
    ) -> None:
        before, now = [held.read_value() for held in self._held], self._pass.packed(self._variables)
        rows, counts = self._pass.look(gradients, applied, before, now)
        if known is not True:  # whether anybody knew that the weights were to be held
            rows = tf.where(known | ~_OF_WEIGHTS, rows, tf.constant(np.nan, tf.float64))
        row = tf.concat([tf.cast(update, tf.float64)[None], tf.reshape(rows, [-1])], 0)
        self._ring.scatter_nd_update(tf.cast(self._counts[-1] % self._rows, tf.int64)[None, None], row[None])
        self._counts.assign_add(tf.concat([tf.reshape(counts, [-1]), tf.ones([1], tf.int64)], 0))
        if hold:
            self._hold(now)

    def _statistics(self, gradients: Any, applied: Any, held: Any, variables: Any) -> tuple[Any, Any]:
        return self._pass.look(gradients, applied, held, self._pass.packed(variables))

    # In the store's thread.

    def collect(self) -> None:
        """Read what is new in our variables."""
        reader = self._reader
        if reader is None:
            return
        updates = int(self._updates.numpy())
        counts = self._counts.numpy()
        looked = int(counts[-1])
        if updates == 0 and looked == 0:
            return
        ring = self._ring.numpy()
        updates = max(updates, int(ring[:, 0].max()) + 1)
        self._pace(reader, updates, looked)
        ring = ring[ring[:, 0] > reader.last]
        rows = ring[:, 1:].reshape(len(ring), len(self._variables), len(WRITTEN))
        fields = filled(rows, np.array(self._pass.sizes, np.float64))
        at = ring[:, 0].astype(np.int64)
        reader.take(Snapshot(updates, looked, at, fields, counts[:-1].reshape(-1, buckets.COUNT)))

    def _pace(self, reader: RingReader, updates: int, looked: int) -> None:
        if self._fixed or updates < FIRST:
            return
        if self._cost is None:
            self._cost = self._measure()
        before = int(self._every.numpy())
        every = reader.paced(updates, looked, self._cost)
        if abs(every - before) > _WORTH * before:
            self._every.assign(every)

    def _measure(self) -> float:
        """What a look costs: run once more on zeros, because inside of a compiled step nothing can be timed."""
        zeros = [tf.zeros(v.shape, v.dtype) for v in self._variables]
        look = tf.function(self._statistics)
        nothing = tf.function(lambda gradients, held: gradients[0])
        held = self._pass.packed(zeros)
        return dearer(lambda: look(zeros, None, held, zeros), lambda: nothing(zeros, held))


def _own(value: Any, kind: Any, name: str) -> Any:
    return tf.Variable(tf.constant(value, kind), trainable=False, name=f"whygrad_{name}")


def _without_result(what: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        what()
        return tf.constant(0)

    return call


def _if(question: Any, then: Callable[[], Any]) -> None:
    """A branch that is one operation as long as it is not taken.

    TensorFlow takes branches apart otherwise: each tensor that one reads gets an operation of its own, which runs in
    every step.
    """
    operation = tf.cond(question, _without_result(then), lambda: tf.constant(0)).op
    while operation.type == "Identity":
        operation = operation.inputs[0].op
    if operation.type in ("If", "StatelessIf"):
        operation._set_attr("_lower_using_switch_merge", tf.compat.v1.AttrValue(b=False))


def _dense(gradient: Any) -> bool:
    return gradient is not None and not isinstance(gradient, tf.IndexedSlices) and not gradient.dtype.is_complex


def _witnesses(variables: Sequence[Any], networks: Sequence[str]) -> list[int]:
    """One small variable of each of the first networks, the first vector of it if there is one."""
    found: dict[str, int] = {}
    for place, (variable, network) in enumerate(zip(variables, networks, strict=True)):
        before = found.get(network)
        if before is None or (len(variables[before].shape) != 1 and len(variable.shape) == 1):
            found[network] = place
    return list(found.values())[:_WITNESSES]


def _first_of_replicas() -> bool:
    """Under a distribution strategy the step runs once per device: one of them is looked at."""
    context = tf.distribute.get_replica_context()
    if context is None or context.num_replicas_in_sync == 1:
        return True
    number = context.replica_id_in_sync_group
    return bool(number == 0) if isinstance(number, int) else tf.get_static_value(number) == 0


def _mark(network: Any) -> float:
    return float(sum(np.asarray(raw(v), np.float64).sum() for v in network.variables))
