"""The state of a watched optimizer in JAX, and how we come to see it without slowing the program down.

A callback in a compiled function costs the program the fast way of calling it: several times the step of a small
network. So nothing calls us. Looks are written into a ring in the state; and whenever a state comes out of a compiled
function, JAX puts it together from its arrays again with a function of ours, which keeps a reference to the ring. The
store's thread reads it later. The other way round, how far apart looks are, is put into the state at the same place.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from whygrad.live import buckets
from whygrad.live.ring_reading import WRITTEN

HEADER = 8
UPDATES, DUE, BROKEN, LOOKED, NUMBER, EVERY = range(6)
"""Places in the header: updates so far, that of the next look, whether the last gradient was broken, how many looks,
the number of the training, and how far apart looks are."""
_UNDECIDED = 8
_REPEATED = 4


class WatchedState(NamedTuple):
    """The state of the optimizer inside, and ours beside it, where nothing in it can host ours (`jax_hosts`).

    `watch` says whose it is.

    Ours is one array of int32, because every array that a compiled function is given and gives back costs time: the
    header, rows of a ring (the number of an update, then `WRITTEN` of each variable as bits), histograms.
    """

    inner: Any
    seen: Any
    watch: str


@dataclass(frozen=True, slots=True)
class Shape:
    """Where things lie in ours, for so many variables."""

    variables: int

    @property
    def rows(self) -> int:
        """Of the ring. It is copied with every update, so it is short; states are kept often enough to miss none."""
        return int(np.clip((1 << 18) // self.width, 8, 64))

    @property
    def width(self) -> int:
        """Of a row."""
        return 1 + self.variables * len(WRITTEN)

    @property
    def counts(self) -> int:
        """Where histograms begin."""
        return HEADER + self.rows * self.width

    @property
    def length(self) -> int:
        """Of all of it."""
        return self.counts + self.variables * buckets.COUNT

    def fits(self, seen: Any) -> bool:
        """Whether this is ours, as it was: a program may have averaged its state, or made other numbers of it."""
        return getattr(seen, "shape", None) == (self.length,) and seen.dtype == jnp.int32

    def beginning(self, every: int, number: int) -> Any:
        """Before the first update of a training with this number."""
        seen = np.zeros(self.length, np.int32)
        seen[[NUMBER, EVERY]] = number, every
        seen[HEADER : self.counts : self.width] = -1
        return jnp.asarray(seen)

    def parts(self, seen: Any) -> tuple[Any, Any, Any, Any]:
        """The header, the updates of all rows, their fields and the histograms, of each lane, in NumPy."""
        lanes = seen.reshape(-1, seen.shape[-1])
        ring = lanes[:, HEADER : self.counts].reshape(len(lanes), self.rows, self.width)
        fields = np.ascontiguousarray(ring[:, :, 1:]).view(np.float32)
        counts = lanes[:, self.counts :].reshape(len(lanes), self.variables, buckets.COUNT)
        return lanes[:, :HEADER], ring[:, :, 0], fields.reshape(*ring.shape[:2], -1, len(WRITTEN)), counts


class Receiver:
    """Keeps states that come by, until the store's thread takes them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: list[Any] = []
        self._latest: deque[Any] = deque(maxlen=4)
        self._last: Any = None
        self._donated: bool | None = None  # whether the program gives its old states away: not known at first
        self.count = 0
        self.spacing = 1
        self._next = 1
        """The state, counted from the first, at which there is something to do again."""
        self._every: int | None = None
        self._to_tell = 0

    def saw(self, seen: Any) -> Any:
        """What a state had in it; given back, perhaps with another distance between looks.

        This is called in every update, and of a small network an update takes little more than a few calls.
        """
        self.count += 1
        self._latest.append(seen)
        return seen if self.count < self._next else self._saw_one_to_keep(seen)

    def _saw_one_to_keep(self, seen: Any) -> Any:
        if self._donated is not True and self._last is not None:
            if self._last.is_deleted():
                self._donated = True
            elif self.count > _UNDECIDED:
                self._donated = False
        self._last = _raw(seen)
        self._keep(seen)
        if self._to_tell and self._every is not None:
            self._to_tell -= 1
            seen = _instead(seen, self._every)
        self._next = self.count + (self.spacing if self._donated is not None and not self._to_tell else 1)
        return seen

    def tell(self, every: int) -> None:
        """The distance between looks from now on; put into the next few states, of which one goes on."""
        self._every, self._to_tell, self._next = every, _REPEATED, 0

    def keep_latest(self) -> None:
        """In the training's thread: what was seen last can be read now."""
        for seen in list(self._latest):
            self._keep(seen)

    def taken(self) -> list[Any]:
        """In the store's thread: what was kept, as arrays of NumPy."""
        with self._lock:
            kept, self._kept = self._kept, []
        self._next = 0  # one more for the next time, however few come by until then
        if self._donated is False:
            kept.extend(self._latest)
        return [found for found in map(_read, kept) if found is not None]

    def _keep(self, seen: Any) -> None:
        held = _raw(seen)
        if not held.is_deleted():
            if self._donated is not False:  # the next call may take the memory away
                held = jnp.copy(held)
            with self._lock:
                self._kept.append(held)


receivers: dict[str, Receiver] = {}


def met(seen: Any, watch: str) -> Any:
    """Ours, of a state that came out of a function or goes into one. While JAX only traces there is nothing to see."""
    if type(seen) is _ARRAY or _is_held(seen):
        receiver = receivers.get(watch)
        if receiver is not None:
            return receiver.saw(seen)
    return seen


_ARRAY = type(jnp.zeros(0))


def _is_held(leaf: Any) -> bool:
    return hasattr(leaf, "get_raw_value") and type(leaf.get_raw_value()) is _ARRAY


def _raw(leaf: Any) -> Any:
    """The array in a variable of Flax NNX, or the one that it is already."""
    return leaf if type(leaf) is _ARRAY else leaf.get_raw_value()


def _read(seen: Any) -> Any:
    try:
        return np.asarray(_raw(seen))
    except Exception:  # given away meanwhile, or spread over machines: there will be another one
        return None


def _instead(old: Any, every: int) -> Any:
    """The same with another distance, like the old one in every other way, so that nothing is compiled anew."""
    array = _raw(old)
    new = np.array(array)
    new[..., EVERY] = every
    found = jax.device_put(new, array.sharding) if array.committed else jnp.asarray(new)
    if array is old:
        return found
    old.set_raw_value(found)
    return old


def _put_together(watch: str, parts: tuple[Any, Any]) -> WatchedState:
    return WatchedState(parts[0], met(parts[1], watch), watch)


def _with_keys(state: WatchedState) -> tuple[Any, str]:
    key = jax.tree_util.GetAttrKey
    return ((key("inner"), state.inner), (key("seen"), state.seen)), state.watch


jax.tree_util.register_pytree_with_keys(
    WatchedState,
    _with_keys,
    _put_together,
    lambda state: ((state.inner, state.seen), state.watch),
)
