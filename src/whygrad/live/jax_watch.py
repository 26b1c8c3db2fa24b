"""Watching gradients in JAX: an optimizer around the optimizer, pure, with its looks in its state (`jax_state`)."""

from __future__ import annotations

import atexit
import itertools
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from whygrad.live import buckets, jax_chain, jax_pass
from whygrad.live.budget import FIRST, Budget
from whygrad.live.jax_state import (
    EVERY,
    HEADER,
    LOOKED,
    NUMBER,
    UPDATES,
    Receiver,
    Shape,
    WatchedState,
    handed,
    receivers,
)
from whygrad.live.look_cost import dearer
from whygrad.live.looks import INDEX
from whygrad.live.ring_reading import BEFORE_MEASURED, RingReader, Snapshot, filled
from whygrad.live.store import Variable
from whygrad.live.watched_run import WatchedRun
from whygrad.trace.jax_naming import _network

_WORTH = 0.1
"""A distance that changes by less than this share is left as it is."""
_SUMMED, _LARGEST = [INDEX["nans"], INDEX["infs"]], [INDEX["largest"], INDEX["peak"]]
_numbers = itertools.count(1)
_CHEAP = 1 << 16
"""Of a network with so few numbers the optimizer is asked once more what it does, in the updates that are looked at."""
_INSIDE = 2.5
_Rest = tuple[Any, Any, Any]
"""Leaves of what was clipped, of the step, and of the parameters; None is what is not known."""


class JaxWatch:
    """One optimizer under watch. It may train several networks: each `init` begins a training of its own."""

    def __init__(
        self,
        run: WatchedRun,
        name: str,
        optimizer: Any,
        budget: Callable[[], Budget],
        every: int | None = None,
        targets: Mapping[str, Any] | None = None,
    ) -> None:
        self._run, self._name, self._optimizer = run, name, optimizer
        self._budget, self._every, self._targets = budget, every, dict(targets or {})
        self._number = next(_numbers)
        self._trees: dict[str, tuple[list[Variable], list[int]]] = {}
        self._trainings: dict[tuple[str, int], _Training] = {}
        self._closed = False
        run.store.source(self.collect)
        run.at_end(self.keep)
        atexit.register(self.keep)  # before the store's own end, which reads what was kept

    def close(self) -> None:
        """Look no more; the transformation goes on as if it were not watched."""
        self.keep()
        self._closed = True
        atexit.unregister(self.keep)

    def keep(self) -> None:
        """In the training's thread: let what was seen last be read."""
        for key in self._trees:
            if key in receivers:
                receivers[key].keep_latest()

    # Pure functions, called by the program.

    def init(self, params: Any) -> WatchedState:
        """The state for these parameters."""
        key = self._key(params)
        every = BEFORE_MEASURED if self._every is None else self._every
        seen = Shape(len(self._trees[key][0])).beginning(every, next(_numbers))
        return WatchedState(self._optimizer.init(params), seen, key)

    def update(self, gradients: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        """What the optimizer makes of gradients."""
        updates, inner = self._optimizer.update(gradients, state.inner, params, **extra)
        if self._closed:
            return updates, state._replace(inner=inner)
        if state.watch not in self._trees:
            self._key(gradients)  # a state that was restored from another process

        def rest() -> _Rest:
            held, inside, weights = _stopped((gradients, state.inner, params))
            applied = jax_chain.clipped(self._optimizer, held, inside, weights, extra)
            step = self._optimizer.update(held, inside, weights)[0] if again else _stopped(updates)
            found = (None if tree is None else _leaves(tree) for tree in (applied, step, weights))
            return tuple(found)  # type: ignore[return-value]

        held = _stopped(_leaves(gradients))
        again = not extra and self._every != 1 and sum(map(jax_pass.size_of, held)) <= _CHEAP
        seen = _further(state.seen, held, rest, always=self._every == 1, fixed=self._every is not None)
        return updates, handed(inner, seen, state.watch)

    def _key(self, params: Any) -> str:
        """The same for the same variables: a treedef that holds it stays the same from `init` to `init`."""
        variables, sizes = _variables(params)
        key = f"{self._name}/{self._number}/{zlib.crc32(repr(variables).encode()):08x}"
        if key not in self._trees:
            self._trees[key] = variables, sizes
            receivers[key] = Receiver()
        return key

    # In the store's thread.

    def collect(self) -> None:
        """Read the states that were kept."""
        for key in list(self._trees):
            for found in receivers[key].taken():
                number = int(found.reshape(-1)[NUMBER])
                training = self._trainings.get((key, number))
                if training is None:
                    training = self._trainings[key, number] = self._training(key)
                training.take(found)
            for (whose, _), training in self._trainings.items():
                if whose == key:
                    training.deliver()
                    training.pace(sum(other == key for other, _ in self._trainings))

    def _training(self, key: str) -> _Training:
        variables, sizes = self._trees[key]
        name = self._name if not self._trainings else f"{self._name} ({len(self._trainings) + 1})"
        group = self._run.group(name, variables)
        marks = {name: lambda held=held: _mark(held) for name, held in self._targets.items()}
        budget = self._budget()
        reader = RingReader(self._run, group, budget, self._every is not None, marks)
        return _Training(reader, receivers[key], variables, sizes)


class _Training:
    """What one state, from its `init` on, has told so far."""

    def __init__(
        self, reader: RingReader, receiver: Receiver, variables: Sequence[Variable], sizes: Sequence[int]
    ) -> None:
        self._reader, self._receiver, self._variables = reader, receiver, variables
        self._shape = Shape(len(variables))
        self._sizes = np.array(sizes, np.float64)
        self._newest, self._looked, self._lanes = 0, 0, 1
        self._before, self._counts = 0, np.zeros((len(variables), buckets.COUNT), np.int64)
        self._raw: Any = 0
        self._seen = -1
        self._new: list[tuple[Any, Any]] = []
        self._shift = 0
        self._cost: float | None = None
        self._told = BEFORE_MEASURED

    def take(self, found: Any) -> None:
        """What one state had in it."""
        header, at, rows, counts = self._shape.parts(found)
        self._lanes = len(header)
        updates, looked = int(header[:, UPDATES].max()), int(header[:, LOOKED].max())
        if looked < self._looked - 2 * self._shape.rows:  # a state of before, or one that began anew
            if updates > self._shape.rows:
                return
            self._shift, self._looked, self._raw, self._seen = self._newest, 0, 0, -1
        elif looked <= self._looked and updates + self._shift <= self._newest:
            return
        new = (at > self._seen).any(0)
        self._seen = max(self._seen, int(at.max()))
        self._new.append((np.where(at >= 0, at.astype(np.int64) + self._shift, -1)[:, new], rows[:, new]))
        # Histograms may run over: only differences of them count.
        self._counts = self._counts + (counts.view(np.uint32) - self._raw).astype(np.uint32).astype(np.int64).sum(0)
        self._before += max(looked - self._looked, 0)
        self._raw, self._looked, self._newest = counts.view(np.uint32), looked, updates + self._shift

    def deliver(self) -> None:
        """Hand over what came since the last time: together, because each time costs more than each look."""
        if self._new:
            new, self._new = self._new, []
            at, rows = (np.concatenate([one[part] for one in new], 1) for part in (0, 1))
            at, rows = _merged(at, filled(rows.astype(np.float64), self._sizes))
            self._reader.take(Snapshot(self._newest, self._before, at, rows, self._counts))

    def pace(self, trainings: int) -> None:
        """Set how often states are kept and how far apart looks are."""
        apart = max(1, self._newest // max(self._receiver.count, 1))
        self._receiver.spacing = max(1, self._shape.rows // (2 * apart * trainings)) | 1
        if self._reader.fixed or self._newest < FIRST:
            return
        if self._cost is None:
            self._cost = _measure(self._variables)
        every = self._reader.paced(self._newest, self._before, self._cost * self._lanes)
        if abs(every - self._told) > _WORTH * self._told:
            self._told = every
            self._receiver.tell(every)


def _further(
    seen: Any, gradients: Sequence[Any], rest: Callable[[], _Rest], always: bool = False, fixed: bool = False
) -> Any:
    """What a state has in it after one more update.

    In most updates nothing is looked at, and then this is three small operations beside those of the program. So
    everything but the gradients is asked for inside of the branch (`rest`): what comes from outside of it would have to
    be put into memory in every update.
    """
    update, due, broken, looked, _, every = (seen[place] for place in range(EVERY + 1))
    odd = ~jnp.isfinite(_witness(gradients))
    look = (update >= due) | (odd & (broken == 0))
    shape = Shape(len(gradients))

    def record(seen: Any, gradients: Sequence[Any]) -> Any:
        applied, updates, params = rest()
        rows, counts = jax_pass.look(gradients, applied, updates, params)
        row = jnp.concatenate([seen[UPDATES, None], jax.lax.bitcast_convert_type(rows, jnp.int32).reshape(-1)])
        ring = jax.lax.dynamic_update_slice(seen, row, (HEADER + seen[LOOKED] % shape.rows * shape.width,))
        return jax.lax.dynamic_update_slice(ring, seen[shape.counts :] + counts.reshape(-1), (shape.counts,))

    if always:
        seen = record(seen, gradients)
    else:
        seen = jax.lax.cond(look, record, lambda seen, _: seen, seen, gradients)
    apart = every if fixed else jnp.where(update + 1 < FIRST, 1, every)
    changed = [update + 1, jnp.where(look, update + apart, due), odd, looked + look]
    return jax.lax.dynamic_update_slice(seen, jnp.stack([jnp.asarray(one, jnp.int32) for one in changed]), (0,))


def _witness(gradients: Sequence[Any]) -> Any:
    """A number that is not finite when a small gradient near the inputs is not: mostly all are spoilt, then.

    A plain sum, because XLA makes it together with the gradient; anything else on the way costs half a small step.
    """
    vectors = [g for g in gradients if g.ndim == 1 and g.size] or [g for g in gradients if g.size]
    return vectors[0].sum() if vectors else jnp.zeros(())


def _stopped(given: Any) -> Any:
    """Whoever differentiates through an update does not differentiate what we see of it."""
    return jax.tree_util.tree_map(jax.lax.stop_gradient, given)


def _leaves(tree: Any) -> list[Any]:
    return [leaf for leaf in jax.tree_util.tree_leaves(tree) if _counts(leaf)]


def _counts(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and jnp.issubdtype(leaf.dtype, jnp.inexact)


def _variables(params: Any) -> tuple[list[Variable], list[int]]:
    """The variables of a tree, and how many numbers each has."""
    found, sizes = [], []
    for path, leaf in jax.tree_util.tree_flatten_with_path(params)[0]:
        if _counts(leaf):
            name = "params" + jax.tree_util.keystr(path).removesuffix(".value")
            found.append(Variable(name, _network(name, "params"), tuple(leaf.shape)))
            sizes.append(jax_pass.size_of(leaf))
    return found, sizes


def _merged(at: Any, rows: Any) -> tuple[Any, Any]:
    """The ring of one lane; of several lanes or devices, rows of the same update as one."""
    if len(at) == 1:
        return at[0], rows[0]
    when = np.unique(at[at >= 0])
    return when, np.stack([_one(rows[at == update]) for update in when]) if len(when) else rows[0][:0]


def _one(lanes: Any) -> Any:
    """Rows of one update as one: counts add up, the largest stays, of the rest the mean of what is finite."""
    finite = np.isfinite(lanes)
    with np.errstate(invalid="ignore"):
        found = np.where(finite, lanes, 0.0).sum(0) / finite.sum(0)
    found = np.where(finite.any(0), found, lanes[0])
    found[:, _SUMMED] = lanes[:, :, _SUMMED].sum(0)
    found[:, _LARGEST] = lanes[:, :, _LARGEST].max(0)
    return found


def _measure(variables: Sequence[Variable]) -> float:
    """What a look costs: run on zeros, because inside of a compiled step nothing can be timed.

    There it takes longer than alone: it clips once more, and what it reads is not in the processor's cache.
    """
    zeros = [jnp.zeros(variable.shape) for variable in variables]
    call, nothing = jax.jit(lambda z: jax_pass.look(z, None, z, z)), jax.jit(lambda z: z[0])
    ready = jax.block_until_ready
    return _INSIDE * dearer(lambda: ready(call(zeros)), lambda: ready(nothing(zeros)))


def _mark(target: Any) -> float:
    """A number that changes with the weights of a target: arrays, something that holds them, or a function of none."""
    leaves = jax.tree_util.tree_leaves(target)
    if callable(target) and len(leaves) == 1 and leaves[0] is target:
        leaves = jax.tree_util.tree_leaves(target())
    return float(sum(np.asarray(leaf, np.float64).sum() for leaf in leaves if _counts(leaf)))
