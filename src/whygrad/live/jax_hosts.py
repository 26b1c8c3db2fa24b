"""Where ours lies in the state of an optimizer: in one of the named tuples that it is made of.

A program may look into its state: `state[0].count`, `state.hyperparams["learning_rate"] = 0.1`, `state[1]._replace(…)`,
`isinstance`, `flax.serialization`. So it keeps its form. One of its named tuples, an `optax.EmptyState` where there is
one, becomes an instance of a subclass of its own class, with the same fields and one array more, which only JAX sees.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np

from whygrad.live.jax_state import WatchedState, met

Path = tuple[Any, ...]
_DEEPEST = 8
_SEEN = "whygrad_seen"


class Hosted:
    """One of the program's named tuples, with ours beside its fields."""

    __slots__ = ()


class Found(NamedTuple):
    """A state without ours, where ours lay in it, and ours. Without a place it was `WatchedState`."""

    inner: Any
    place: Path | None
    seen: Any
    watch: str


beginnings: dict[str, Callable[[], Any]] = {}
"""For each watch that hosts stand for, what a training begins with."""
_plainly: set[str] = set()
_classes: dict[tuple[type, str], Any] = {}


def begin(watch: str, beginning: Callable[[], Any], plainly: bool) -> None:
    """From now on there are hosts for this watch; `plainly`: files of the program know nothing of us."""
    beginnings[watch] = beginning
    if plainly:
        _plainly.add(watch)


def place(state: Any) -> Path | None:
    """The way to the named tuple that can host ours, if there is one."""
    for way, node in _nodes(state, ()):
        if type(node).__name__ == "EmptyState" and not isinstance(node, Hosted):
            return way
    return _outermost(state, ())


def host(state: Any, way: Path, seen: Any, watch: str) -> Any:
    """The state with ours in it, or as it is where there is no named tuple in that place."""
    here: Any = _at(state, way)
    return state if not _is_named(here) else _with(state, way, _class(type(here), watch).holding(here, seen))


def find(state: Any, family: str) -> Found | None:
    """Ours, and the state as the optimizer itself knows it; None for a state that has nothing of this family."""
    if isinstance(state, WatchedState) and state.watch.startswith(family):
        return Found(state.inner, None, state.seen, state.watch)
    for way, node in _nodes(state, ()):
        held: Any = node
        if isinstance(node, Hosted) and held.watch.startswith(family):
            return Found(_with(state, way, held.plain()), way, held.seen, held.watch)
    return None


def again(found: Found, inner: Any, seen: Any) -> Any:
    """The next state, in the form of the one that was found."""
    if found.place is None:
        return WatchedState(inner, seen, found.watch)
    return host(inner, found.place, seen, found.watch)


# --- walking through states ---------------------------------------------------------------------------------------


def _is_named(node: Any) -> bool:
    return isinstance(node, tuple) and hasattr(node, "_fields") and hasattr(node, "_replace")


def _below(node: Any) -> Iterable[tuple[Any, Any]]:
    if _is_named(node):
        return [(name, getattr(node, name)) for name in node._fields]
    if type(node) in (tuple, list):
        return list(enumerate(node))
    return list(node.items()) if type(node) is dict else ()


def _nodes(node: Any, way: Path) -> Iterator[tuple[Path, Any]]:
    """All named tuples, from the outside in."""
    if _is_named(node):
        yield way, node
    if len(way) < _DEEPEST:
        for step, child in _below(node):
            yield from _nodes(child, (*way, step))


def _outermost(node: Any, way: Path) -> Path | None:
    """The first named tuple that is no part of another one: deeper ones may be the program's parameters."""
    if _is_named(node):
        return None if isinstance(node, Hosted | WatchedState) else way
    found = (_outermost(child, (*way, at)) for at, child in enumerate(node)) if type(node) is tuple else ()
    return next((one for one in found if one is not None), None)


def _at(node: Any, way: Path) -> Any:
    for step in way:
        node = dict(_below(node)).get(step)
    return node


def _with(node: Any, way: Path, new: Any) -> Any:
    """The same with something else in one place. Nothing is changed in place: the program may hold it, too."""
    if not way:
        return new
    step, rest = way[0], way[1:]
    if _is_named(node):
        return node._replace(**{step: _with(getattr(node, step), rest, new)})
    if type(node) is dict:
        return node | {step: _with(node[step], rest, new)}
    changed = [_with(child, rest, new) if at == step else child for at, child in enumerate(node)]
    return changed if type(node) is list else tuple(changed)


# --- the classes --------------------------------------------------------------------------------------------------


def _class(base: Any, watch: str) -> Any:
    """A class for each watch: so states of one watch have one structure, also those that the program made anew."""
    if issubclass(base, Hosted):
        base = base.__mro__[1]
    if (base, watch) not in _classes:
        _classes[base, watch] = _registered(_made(base, watch))
    return _classes[base, watch]


def _made(base: Any, watch: str) -> Any:
    class Host(base, Hosted):  # type: ignore[misc]
        """A state of the program's optimizer, with ours beside its fields."""

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            found = base.__new__(cls, *args, **kwargs)
            found.seen = beginnings[watch]()  # as `type(state)(**fields)` makes it: it begins anew
            return found

        @classmethod
        def holding(cls, values: Iterable[Any], seen: Any) -> Any:
            found = tuple.__new__(cls, values)
            found.seen = seen
            return found

        @classmethod
        def _make(cls, iterable: Iterable[Any]) -> Any:
            return cls.holding(iterable, beginnings[watch]())

        def _replace(self, **kwargs: Any) -> Any:
            return type(self).holding(self.plain()._replace(**kwargs), self.seen)

        def plain(self) -> Any:
            return tuple.__new__(base, self)

        def __copy__(self) -> Any:
            return self

        def __deepcopy__(self, memo: Any) -> Any:
            return type(self).holding(copy.deepcopy(tuple(self), memo), copy.deepcopy(self.seen, memo))

        def __reduce_ex__(self, protocol: Any) -> Any:
            if watch in _plainly:
                return base, tuple(self)
            return _unpickled_with_ours, (base, tuple(self), np.asarray(self.seen), watch)

    Host.watch = watch
    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(Host, name, getattr(base, name))
    return Host


def _registered(host: Any) -> Any:
    watch, fields, new = host.watch, host._fields, tuple.__new__

    def put_together(_: None, parts: Any) -> Any:
        found = new(host, parts[:-1])
        found.seen = met(parts[-1], watch)
        return found

    def with_keys(node: Any) -> Any:
        key = jax.tree_util.GetAttrKey
        return (*((key(name), part) for name, part in zip(fields, node, strict=True)), (key(_SEEN), node.seen)), None

    jax.tree_util.register_pytree_with_keys(host, with_keys, put_together, lambda node: ((*node, node.seen), None))
    return host


def _unpickled_with_ours(base: Any, values: tuple[Any, ...], seen: Any, watch: str) -> Any:
    return _class(base, watch).holding(values, jax.numpy.asarray(seen))
