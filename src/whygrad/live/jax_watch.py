"""Watching gradients in JAX: an optimizer around the optimizer, pure, with its looks in its state (`jax_state`)."""

from __future__ import annotations

import atexit
import functools
import itertools
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from whygrad.live import buckets, jax_chain, jax_hosts, jax_pass
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
    met,
    receivers,
)
from whygrad.live.look_cost import dearer
from whygrad.live.looks import INDEX
from whygrad.live.ring_reading import BEFORE_MEASURED, RingReader, Snapshot, filled
from whygrad.live.store import Variable
from whygrad.live.watched_run import WatchedRun
from whygrad.trace import loading
from whygrad.trace.jax_naming import _network

_WORTH = 0.1
"""A distance that changes by less than this share is left as it is."""
_SUMMED, _LARGEST = [INDEX["nans"], INDEX["infs"]], [INDEX["largest"], INDEX["peak"]]
_numbers = itertools.count(1)
_CHEAP = 1 << 16
"""Of a network with so few numbers the optimizer is asked once more what it does, in the updates that are looked at."""
_INSIDE = 2.5
_MOST = 32
"""Trainings of one optimizer; a program may begin a new one for each task, for ever."""
_Rest = tuple[Any, Any, Any]
"""Leaves of what was clipped, of the step, and of the parameters; None is what is not known."""


Apply = Callable[[Any, Any, Any], tuple[Any, Any]]
"""What an optimizer makes of gradients, a state and parameters."""


class JaxWatch:
    """One optimizer under watch. It may train several networks: each `init` begins a training of its own."""

    def __init__(
        self,
        run: Callable[[], WatchedRun],
        name: str,
        budget: Callable[[], Budget],
        every: int | None = None,
        targets: Mapping[str, Any] | None = None,
        family: str | None = None,
        trouble: Callable[[Exception], None] | None = None,
    ) -> None:
        """`family`: of watches that take each other's states; `trouble` hears of errors, without it they are raised."""
        self._open, self._name = run, name
        self._run: WatchedRun | None = None
        self._budget, self._every, self._targets = budget, every, dict(targets or {})
        self._family, self._trouble = f"{name}/" if family is None else f"{family}/", trouble
        self._of_a_script = family is not None
        self._number = next(_numbers)
        self._trees: dict[str, tuple[list[Variable], list[int]]] = {}
        self._trainings: dict[tuple[str, int], _Training] = {}
        self._closed = False

    @property
    def used(self) -> bool:
        """Whether the program asked for an update, traced or not."""
        return self._run is not None

    @property
    def updates(self) -> int:
        """How many were heard of."""
        return sum(training.updates for training in self._trainings.values())

    def open(self) -> None:
        """Begin to store; at the latest with the first update."""
        if self._run is None:
            self._run = self._open()
            self._run.store.source(self.collect)
            self._run.at_end(self.keep)
            atexit.register(self.keep)  # before the store's own end, which reads what was kept

    def close(self) -> None:
        """Look no more; the optimizer goes on as if it were not watched."""
        self.keep()
        self._closed = True
        atexit.unregister(self.keep)

    def keep(self) -> None:
        """In the training's thread: let what was seen last be read."""
        for key in self._trees:
            if key in receivers:
                receivers[key].keep_latest()

    # Pure functions, called by the program.

    def begun(self, state: Any, params: Any) -> Any:
        """A state that the optimizer made for these parameters, with ours in it.

        That of a script is left as it is, where it has no place for ours: it could not be read as before.
        """
        key = self._key(params)
        shape, every = Shape(len(self._trees[key][0])), BEFORE_MEASURED if self._every is None else self._every
        number = next(_numbers)
        jax_hosts.begin(key, lambda: shape.beginning(every, number), plainly=self._of_a_script)
        place, seen = jax_hosts.place(state), shape.beginning(every, number)
        if place is not None:
            return jax_hosts.host(state, place, seen, key)
        return state if self._of_a_script else WatchedState(state, seen, key)

    def owns(self, key: str) -> bool:
        """Whether a state with this key was begun here."""
        return key in self._trees

    def updated(
        self, apply: Apply, optimizer: Any, gradients: Any, state: Any, params: Any, extra: dict[str, Any]
    ) -> tuple[Any, Any]:
        """What `apply` makes of gradients; `optimizer` is where it comes from. A state without ours stays without."""
        found = jax_hosts.find(state, self._family)
        if found is None:
            return apply(gradients, state, params)
        updates, inner = apply(gradients, found.inner, params)
        if self._closed:
            return updates, jax_hosts.again(found, inner, found.seen)
        seen = found.seen
        try:
            with _unrecorded():
                self.open()
                if found.watch not in self._trees:
                    self._key(gradients)  # a state that was restored from another process
                held = _stopped(_leaves(gradients))
                if not Shape(len(held)).fits(seen):
                    raise TypeError(_no_fit(held, seen))
                compiled = any(isinstance(leaf, jax.core.Tracer) for leaf in (seen, *held))
                cheap = compiled and not extra and self._every != 1 and _is_cheap(held)

                def rest() -> _Rest:
                    given, inside, weights = _stopped((gradients, found.inner, params))
                    applied = jax_chain.clipped(optimizer, given, inside, weights, extra)
                    step = apply(given, inside, weights)[0] if cheap else _stopped(updates)
                    parts = (None if tree is None else _leaves(tree) for tree in (applied, step, weights))
                    return tuple(parts)  # type: ignore[return-value]

                how = self._every == 1, self._every is not None
                seen = _further(seen, held, rest, *how) if compiled else _further_by_itself(seen, held, rest(), *how)
                seen = met(seen, found.watch)
        except Exception as error:
            if self._trouble is None:
                raise
            self._trouble(error)
        return updates, jax_hosts.again(found, inner, seen)

    def _key(self, params: Any) -> str:
        """The same for the same variables: a treedef that holds it stays the same from `init` to `init`."""
        variables, sizes = _variables(params)
        key = f"{self._family}{self._number}/{zlib.crc32(repr(variables).encode()):08x}"
        if key not in self._trees:
            self._trees[key] = variables, sizes
            receivers[key] = Receiver()
        return key

    # In the store's thread.

    def collect(self) -> None:
        """Read the states that were kept."""
        for key in list(self._trees):
            for found in receivers[key].taken():
                if not Shape(len(self._trees[key][0])).fits(found.reshape(-1)[: found.shape[-1]]):
                    continue  # the program made other numbers of it
                updates, number = (int(found.reshape(-1)[place]) for place in (UPDATES, NUMBER))
                training = self._trainings.get((key, number))
                if training is None and updates and number and len(self._trainings) < _MOST:
                    training = self._trainings[key, number] = self._training(key)
                if training is not None:
                    training.take(found)
            for (whose, _), training in self._trainings.items():
                if whose == key:
                    training.deliver()
                    training.pace(sum(other == key for other, _ in self._trainings))

    def _training(self, key: str) -> _Training:
        variables, sizes = self._trees[key]
        run = self._run or self._open()
        name = self._name if not self._trainings else f"{self._name} ({len(self._trainings) + 1})"
        group = run.group(name, variables)
        marks = {name: lambda held=held: _mark(held) for name, held in self._targets.items()}
        budget = self._budget()
        reader = RingReader(run, group, budget, self._every is not None, marks)
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

    @property
    def updates(self) -> int:
        """So far."""
        return self._newest

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


@functools.partial(jax.jit, static_argnames=("always", "fixed"))
def _further_by_itself(seen: Any, gradients: Sequence[Any], rest: _Rest, always: bool, fixed: bool) -> Any:
    """The same for an update that is not compiled: or else each of them would compile it anew."""
    return _further(seen, gradients, lambda: rest, always, fixed)


def functions(watch: JaxWatch, optimizer: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`init` and `update` of an optimizer under watch."""

    def init(params: Any) -> Any:
        return watch.begun(optimizer.init(params), params)

    def update(gradients: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        def apply(gradients: Any, state: Any, params: Any) -> Any:
            return optimizer.update(gradients, state, params, **extra)

        return watch.updated(apply, optimizer, gradients, state, params, extra)

    return init, update


def _unrecorded() -> AbstractContextManager[None]:
    """What we compute is no part of the program that a recorder writes down."""
    session = loading.running()
    recorder: Any = session.recorders.get("jax") if session is not None else None
    return nullcontext() if recorder is None else recorder.quiet()


def _is_cheap(gradients: Sequence[Any]) -> bool:
    """Not where one has a single row or column: when it is asked for twice, XLA multiplies in another order."""
    small = sum(map(jax_pass.size_of, gradients)) <= _CHEAP
    return small and not any(1 in gradient.shape for gradient in gradients)


def _no_fit(gradients: Sequence[Any], seen: Any) -> str:
    kind = f"{getattr(seen, 'dtype', type(seen).__name__)}{list(getattr(seen, 'shape', ()))}"
    return f"{len(gradients)} gradients came with a state that was made for others, or was changed ({kind})"


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
