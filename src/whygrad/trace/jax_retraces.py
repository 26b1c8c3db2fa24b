"""Functions that JAX compiles again and again, and what was new about the call each time.

Compiling is rare in a healthy program, so it is counted where JAX traces. Calls are counted only while operations are
watched; that goes on a little longer where every call so far was compiled.
"""

from __future__ import annotations

import itertools
import types
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
from jax._src import pjit

from whygrad.flow.events import Retrace
from whygrad.trace.jax_constants import own_function
from whygrad.trace.jax_held import functions_beside
from whygrad.trace.patches import Patches

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Scope

_Call = Callable[..., Any]
_SUSPECT = 2
_PATIENCE = 12
"""After so many calls, each of them compiled, nothing more is to be learned."""


@dataclass(slots=True)
class _Made:
    """What one trace was for: the function, its static arguments, the shapes of the others."""

    function: int
    static: tuple[Any, ...]
    shapes: tuple[str, ...]
    held: dict[str, tuple[int, ...]]
    """Functions that the arguments hold beside their arrays (an optimizer's), by name."""


@dataclass(slots=True)
class _Seen:
    """One compiled function, called from one place."""

    event: Retrace
    last: _Made


class Retraces:
    """Counts how often a function is traced, and how often it is called."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._call: tuple[Any, ...] | None = None
        self._seen: dict[tuple[str, int], _Seen] = {}
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._count = itertools.count()

    def attach_deep(self, patches: Patches) -> None:
        """Look at what a compiled function is called with, before JAX looks whether it knows that."""
        if hasattr(pjit, "_infer_params"):
            patches.replace(pjit, "_infer_params", self._wrap_infer)

    def _wrap_infer(self, original: _Call) -> _Call:
        def _infer_params(*args: Any, **kwargs: Any) -> Any:
            if self._call is not None:
                return original(*args, **kwargs)
            self._call = args
            try:
                return original(*args, **kwargs)
            finally:
                self._call = None

        return _infer_params

    def traced(self, scope: Scope, jaxpr: Any) -> None:
        """A function of the user's was traced for `jit`."""
        info = jaxpr.debug_info
        if not scope.user or info is None or info.traced_for != "jit" or self._call is None:
            return
        if self.recorder.ring.running:  # the same number of calls is counted for every program
            self.recorder.calls.bodies.fixed.traced_later(next(iter(self._call), None))
            return
        known = self.recorder.values.known
        scope.function = own_function(self._call[0], self._static(), known) if self._call else None
        made = self._made(jaxpr)
        key = str(info.func_src_info).split(" ")[0], scope.base
        seen = self._seen.get(key)
        if seen is None:
            event = Retrace(self.recorder.session.tick(), key[0], scope.base, 1, 0)
            self._seen[key] = _Seen(event, made)
            return
        seen.event.count += 1
        seen.event.reason = _reason(seen.last, made)
        seen.last = made
        if seen.event.count == 2:
            self.recorder.recording.retraces.append(seen.event)

    def called(self, name: str, stack: int) -> None:
        """A compiled function ran."""
        if self.recorder.ring.running:
            return
        for (function, base), seen in self._seen.items():
            if base == stack and function.endswith(name):
                seen.event.calls += 1

    def undecided(self) -> bool:
        """Whether a function has been compiled in each of its calls, and there were only a few."""
        return any(
            _SUSPECT <= seen.event.calls < _PATIENCE and seen.event.count >= seen.event.calls
            for seen in self._seen.values()
        )

    def _made(self, jaxpr: Any) -> _Made:
        shapes = tuple(str(v.aval) for v in jaxpr.invars)
        function: Any = None
        static: list[Any] = []
        held: dict[str, tuple[int, ...]] = {}
        if self._call is not None and len(self._call) >= 4:
            function, how, args, kwargs = self._call[:4]
            for leaf in jax.tree_util.tree_leaves(self._static()):
                static.extend(self._plain(one) for one in _numbers(leaf, 0))
            given = [a for i, a in enumerate(args) if i not in how.static_argnums]
            for name, one in functions_beside((given, kwargs)):
                held[name] = (*held.get(name, ()), self._number(one))
        return _Made(self._number(function), tuple(static), shapes, held)

    def _static(self) -> list[Any]:
        """The arguments of the call that a function is compiled for."""
        if self._call is None or len(self._call) < 4:
            return []
        _, how, args, kwargs = self._call[:4]
        given = [a for i, a in enumerate(args) if i in how.static_argnums]
        return given + [a for name, a in kwargs.items() if name in how.static_argnames]

    def _plain(self, thing: Any) -> Any:
        return thing if isinstance(thing, int | float) else ("function", self._number(thing))

    def _number(self, thing: Any) -> int:
        """Two functions are two, also where the second lies where the first one lay."""
        known = self._numbers.get(id(thing))
        if known is None or known[0]() is not thing:
            try:
                known = self._numbers[id(thing)] = weakref.ref(thing), next(self._count)
            except TypeError:  # nothing that could be made anew unseen
                return id(thing)
        return known[1]


def _numbers(leaf: Any, depth: int) -> Iterator[Any]:
    """Numbers and functions in a static argument, which may be a tuple that a library made hashable."""
    if isinstance(leaf, bool) or depth > 3:
        return
    if isinstance(leaf, int | float | types.FunctionType):
        yield leaf
    elif isinstance(leaf, list | tuple):
        for one in leaf:
            yield from _numbers(one, depth + 1)


def _reason(before: _Made, made: _Made) -> str:
    if before.function != made.function:
        return "new function"
    if before.shapes != made.shapes:
        pair = next(((a, b) for a, b in zip(before.shapes, made.shapes, strict=False) if a != b), None)
        return f"shape {pair[0]} and {pair[1]}" if pair is not None else "object"
    if len(before.static) == len(made.static):
        for a, b in zip(before.static, made.static, strict=True):
            if a != b and isinstance(a, tuple):
                return "new function"
            if a != b:
                return f"number {a} and {b}"
    new = [name for name, kept in made.held.items() if len(before.held.get(name, ())) == len(kept) != 0]
    return next((f"held {name}" for name in new if before.held[name] != made.held[name]), "object")
