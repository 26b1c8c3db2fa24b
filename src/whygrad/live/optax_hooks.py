"""Where a program meets Optax: the outermost transformation is the one whose functions the program itself asks for.

`tx.init` and `tx.update` are looked up in a named tuple. Whoever looks them up from outside of Optax is given functions
of ours around them; Optax itself, which puts transformations together from others, gets what is there. So nothing
inside of a transformation changes, and one that was made before is met as well.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from whygrad.live import jax_hosts
from whygrad.trace import names
from whygrad.trace.patches import Patches
from whygrad.trace.user_line import SKIP, classify

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Pair(NamedTuple):
    """What an optimizer is to Optax; `called` is what the program calls it."""

    init: Callable[..., Any]
    update: Callable[..., Any]
    called: str = "optimizer"


_Functions = tuple[Callable[..., Any], Callable[..., Any]]
Begun = Callable[[Pair, Any, Any], Any]
"""Given a state and its parameters: the state that the program gets."""
Updated = Callable[[Pair, Callable[[Any, Any, Any], tuple[Any, Any]], Any, Any, Any, dict[str, Any]], tuple[Any, Any]]
"""Given what makes the update, gradients, a state, parameters and extra arguments: what the program gets."""


class _Given(NamedTuple):
    """The arguments of an update, however they were written."""

    updates: Any
    state: Any
    params: Any
    extra: dict[str, Any]
    with_params: bool

    @classmethod
    def of(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Given | None:
        """None where they have other names than Optax gives them."""
        names = "updates", "state", "params"
        named = dict(zip(names, args, strict=False)) | kwargs
        if len(args) > len(names) or not {"updates", "state"} <= named.keys():
            return None
        extra = {name: value for name, value in kwargs.items() if name not in names}
        return cls(named["updates"], named["state"], named.get("params"), extra, "params" in named)

    def to(self, update: Callable[..., Any], updates: Any, state: Any, params: Any) -> Any:
        """The same call with other values."""
        given = (updates, state, params) if self.with_params else (updates, state)
        return update(*given, **self.extra)


class _Local(threading.local):
    inside = False


class OptaxHooks:
    """Lets everything that a program asks of its optimizers pass through `begun` and `updated`."""

    def __init__(self, optax: Any, begun: Begun, updated: Updated, family: str, most: int) -> None:
        self._begun, self._updated, self._family, self._most = begun, updated, family, most
        self._package = os.path.dirname(os.path.abspath(optax.__file__)) + os.sep
        self._local = _Local()
        self._known: dict[tuple[int, ...], tuple[Any, _Functions]] = {}  # held, so that no other gets the same id
        self._patches = Patches()
        base, steps = optax.GradientTransformation, optax.MultiSteps
        methods = steps.init, steps.update
        for place, name in enumerate(("init", "update")):
            self._patches.replace(base, name, functools.partial(self._field, place))
            self._patches.replace(steps, name, functools.partial(self._method, place, methods))
        self._patches.replace(base, "__iter__", self._unpacking)
        for original, wrap in (
            (optax.tree_utils.tree_map_params, self._mapping),
            (optax.tree_utils.tree_set, self._setting),
        ):
            for owner in (optax, optax.tree_utils, getattr(optax, "tree", None)):
                for name in [name for name, thing in vars(owner or optax).items() if thing is original]:
                    self._patches.replace(owner, name, wrap)

    def close(self) -> None:
        """Put back what was there. What the program holds of ours goes on."""
        self._patches.undo()

    # --- what is put in place -----------------------------------------------------------------------------------

    def _field(self, place: int, original: Any) -> Any:
        def get(transformation: Any) -> Any:
            frame = sys._getframe(1)
            if self._is_optax(frame):
                return tuple.__getitem__(transformation, place)
            return self._around(transformation, frame)[place]

        return property(get, doc=original.__doc__)

    def _unpacking(self, original: Any) -> Any:
        def __iter__(transformation: Any) -> Iterator[Any]:
            frame = sys._getframe(1)
            if len(transformation) != 2 or classify(frame.f_code.co_filename) == SKIP:
                return iter(original(transformation))
            return iter(self._around(transformation, frame))

        return __iter__

    def _method(self, place: int, methods: _Functions, original: Any) -> Any:
        """`optax.MultiSteps` is no named tuple."""

        def method(steps: Any, *args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            if self._local.inside or self._is_optax(frame):
                return original(steps, *args, **kwargs)
            init, update = (functools.partial(one, steps) for one in methods)
            return self._kept((id(steps),), steps, init, update, steps, frame)[place](*args, **kwargs)

        return method

    def _mapping(self, original: Any) -> Any:
        """`tree_map_params` makes a state of its own, which has nothing of ours, and wants both to be alike."""

        def tree_map_params(initable: Any, f: Any, state: Any, /, *rest: Any, **options: Any) -> Any:
            found = jax_hosts.find(state, self._family)
            with self._inside():
                if found is None:
                    return original(initable, f, state, *rest, **options)
                mapped = original(initable, f, found.inner, *rest, **options)
            other = options.get("transform_non_params")
            return jax_hosts.again(found, mapped, found.seen if other is None else other(found.seen))

        return tree_map_params

    def _setting(self, original: Any) -> Any:
        """`tree_set` finds leaves by fields, and ours is no field."""

        def tree_set(tree: Any, *args: Any, **kwargs: Any) -> Any:
            found = jax_hosts.find(tree, self._family)
            if found is None:
                return original(tree, *args, **kwargs)
            return jax_hosts.again(found, original(found.inner, *args, **kwargs), found.seen)

        return tree_set

    # --- ours around theirs -------------------------------------------------------------------------------------

    def _around(self, transformation: Any, frame: FrameType) -> _Functions:
        init, update = tuple.__iter__(transformation)
        key = id(init), id(update)
        if key not in self._known and (self._local.inside or self._is_watched(init)):
            return init, update
        return self._kept(key, (init, update), init, update, transformation, frame)

    def _is_watched(self, init: Any) -> bool:
        if str(getattr(init, "__module__", "")).startswith("whygrad."):
            return True  # the program watches by itself
        return any(init is ours for _, (ours, _) in self._known.values())

    def _kept(
        self, key: tuple[int, ...], held: Any, init: Any, update: Any, optimizer: Any, frame: FrameType
    ) -> _Functions:
        """The same functions each time: JAX compiles anew for others."""
        if key not in self._known:
            if len(self._known) >= self._most:
                return init, update
            self._known[key] = held, self._functions(Pair(init, update, _called(optimizer, frame)))
        return self._known[key][1]

    def _functions(self, pair: Pair) -> _Functions:
        @functools.wraps(pair.init)
        def init(*args: Any, **kwargs: Any) -> Any:
            outermost = not self._local.inside
            with self._inside():
                state = pair.init(*args, **kwargs)
            return self._begun(pair, state, (*args, *kwargs.values())[0]) if outermost else state

        @functools.wraps(pair.update)
        def update(*args: Any, **kwargs: Any) -> Any:
            given = _Given.of(args, kwargs)
            if self._local.inside or given is None:
                with self._inside():
                    return pair.update(*args, **kwargs)

            def apply(*what: Any) -> Any:
                with self._inside():
                    return given.to(pair.update, *what)

            return self._updated(pair, apply, given.updates, given.state, given.params, given.extra)

        return init, update

    @contextmanager
    def _inside(self) -> Iterator[None]:
        """What happens here, an optimizer asks of another one."""
        was, self._local.inside = self._local.inside, True
        try:
            yield
        finally:
            self._local.inside = was

    def _is_optax(self, frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith((self._package, _OURS))


def _called(optimizer: Any, frame: FrameType) -> str:
    """What the program calls its optimizer: a variable, or an attribute of an object."""
    for scope, _ in names.scopes(frame):
        for name, thing in list(scope.items()):
            if thing is optimizer:
                return str(name)
            held = vars(thing) if not isinstance(thing, type) and names.is_holder(thing) else {}
            for attribute, inner in list(held.items()):
                if inner is optimizer:
                    return str(attribute)
    return "optimizer"
