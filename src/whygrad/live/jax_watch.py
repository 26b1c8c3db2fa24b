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

from whygrad.live import jax_chain, jax_hosts, jax_pass
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
from whygrad.live.jax_training import Training
from whygrad.live.ring_reading import BEFORE_MEASURED, RingReader
from whygrad.live.store import Variable
from whygrad.live.watched_run import WatchedRun
from whygrad.trace import loading
from whygrad.trace.jax_naming import _network

_numbers = itertools.count(1)
_CHEAP = 1 << 16
"""Of a network with so few numbers the optimizer is asked once more what it does, in the updates that are looked at."""
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
        self._trainings: dict[tuple[str, int], Training] = {}
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
        number = next(_numbers)
        jax_hosts.begin(key, lambda: self._beginning(key, number), plainly=self._of_a_script)
        place, seen = jax_hosts.place(state), self._beginning(key, number)
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
            with unrecorded():
                self.open()
                if found.watch not in self._trees:
                    self._key(gradients)  # a state that was restored from another process
                held = _stopped(_leaves(gradients))
                if not Shape(len(held)).fits(seen):
                    raise TypeError(_no_fit(held, seen))
                cheap = _is_traced(seen, held) and not extra and self._every != 1 and _is_cheap(held)

                def rest() -> _Rest:
                    given, inside, weights = _stopped((gradients, found.inner, params))
                    applied = jax_chain.clipped(optimizer, given, inside, weights, extra)
                    step = apply(given, inside, weights)[0] if cheap else _stopped(updates)
                    parts = (None if tree is None else _leaves(tree) for tree in (applied, step, weights))
                    return tuple(parts)  # type: ignore[return-value]

                seen = self.after(seen, held, rest, found.watch)
        except Exception as error:
            if self._trouble is None:
                raise
            self._trouble(error)
        return updates, jax_hosts.again(found, inner, seen)

    def after(self, seen: Any, held: Sequence[Any], rest: Callable[[], _Rest], key: str) -> Any:
        """What a state has in it after an update with these gradients; `rest` is what `_further` may ask for."""
        how = self._every == 1, self._every is not None
        traced = _is_traced(seen, held)
        return met(_further(seen, held, rest, *how) if traced else _further_by_itself(seen, held, rest(), *how), key)

    def beginning(self, key: str) -> Any:
        """What a state has in it before the first update of a training of these variables."""
        return self._beginning(key, next(_numbers))

    def _beginning(self, key: str, number: int) -> Any:
        every = BEFORE_MEASURED if self._every is None else self._every
        return Shape(len(self._trees[key][0])).beginning(every, number)

    def _key(self, params: Any) -> str:
        return self.key(*_variables(params))

    def key(self, variables: list[Variable], sizes: list[int]) -> str:
        """The same for the same variables: a treedef that holds it stays the same from `init` to `init`."""
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

    def _training(self, key: str) -> Training:
        variables, sizes = self._trees[key]
        run = self._run or self._open()
        name = self._name if not self._trainings else f"{self._name} ({len(self._trainings) + 1})"
        group = run.group(name, variables)
        marks = {name: lambda held=held: _mark(held) for name, held in self._targets.items()}
        budget = self._budget()
        reader = RingReader(run, group, budget, self._every is not None, marks)
        return Training(reader, receivers[key], variables, sizes)


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


def unrecorded() -> AbstractContextManager[None]:
    """What we compute is no part of the program that a recorder writes down."""
    session = loading.running()
    recorder: Any = session.recorders.get("jax") if session is not None else None
    return nullcontext() if recorder is None else recorder.quiet()


def _is_traced(seen: Any, gradients: Sequence[Any]) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in (seen, *gradients))


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


def _mark(target: Any) -> float:
    """A number that changes with the weights of a target: arrays, something that holds them, or a function of none."""
    leaves = jax.tree_util.tree_leaves(target)
    if callable(target) and len(leaves) == 1 and leaves[0] is target:
        leaves = jax.tree_util.tree_leaves(target())
    return float(sum(np.asarray(leaf, np.float64).sum() for leaf in leaves if _counts(leaf)))
