"""Numbers for arrays and tracers.

A value is known by the object that the program holds: an array, or a tracer of whatever transformation is at work. What
a transformation wraps (the primal behind a gradient's tracer, the array behind `vmap`'s) is the same value, so the
chain stays whole when a function is differentiated, mapped, or both.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax._src import core
from jax._src.interpreters import ad, batching

from whygrad.flow.operations import Numbers, Op, Value
from whygrad.trace.jax_vocabulary import is_float

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder
    from whygrad.trace.jax_scopes import Scope


class Values:
    """Which object is which value."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._objects: dict[int, weakref.ref[Any]] = {}
        self._next = 0
        self.scalars: dict[int, float] = {}
        """Plain numbers that the program calculates with outside of compiled functions."""
        self._journals: list[list[tuple[int, tuple[weakref.ref[Any], int]]]] = []

    def fresh(self, scope: Scope, shape: Any, floating: bool) -> int:
        """A new value in a scope."""
        number = self._next
        self._next = number + 1
        scope.values[number] = Value(number, tuple(_length(n) for n in shape), floating, floating)
        return number

    def new(self, scope: Scope, thing: Any) -> int:
        """A new value for an object that was just made."""
        aval = aval_of(thing)
        number = self.fresh(scope, getattr(aval, "shape", ()), is_float(getattr(aval, "dtype", None)))
        self.bind(thing, number)
        self._placed(scope, thing, number)
        return number

    def returned(self, scope: Scope, thing: Any, number: int) -> None:
        """What a body gave back, outside of it: the same value, in another function's words."""
        if self.known(thing) != number:
            self.bind(thing, number)
        self._placed(scope, thing, number)

    def _placed(self, scope: Scope, thing: Any, number: int) -> None:
        """Which of a traced function's variables a value is."""
        if scope is not self.recorder.root:
            base = thing
            while (inner := wrapped(base)) is not None:
                base = inner
            if isinstance(getattr(base, "val", None), core.Var):
                scope.variables[number] = base.val

    def alike(self, scope: Scope, number: int, other: int) -> None:
        """A value is what another one is: where the function is run once more, its content is found there."""
        if other in scope.variables:
            scope.variables[number] = scope.variables[other]

    def bind(self, thing: Any, number: int) -> None:
        """From here on this object stands for that value; so does what it wraps, where that is new."""
        self._set(thing, number)
        inner = wrapped(thing)
        while inner is not None:
            if self._entry(inner) is None:
                self._set(inner, number)
            inner = wrapped(inner)

    def _set(self, thing: Any, number: int) -> None:
        try:
            reference = weakref.ref(thing)
        except TypeError:
            return  # a Python number
        old = self._entry(thing)
        if old is None and self._journals and wrapped(thing) is not None:
            before = self.known(thing)  # `vmap`'s tracer of an array stood for that array until now
            old = (reference, before) if before is not None else None
        if old is not None and self._journals:
            self._journals[-1].append((id(thing), old))
        self._known[id(thing)] = (reference, number)
        self._objects[number] = reference

    def _entry(self, thing: Any) -> tuple[weakref.ref[Any], int] | None:
        entry = self._known.get(id(thing))
        return entry if entry is not None and entry[0]() is thing else None

    def known(self, thing: Any) -> int | None:
        """The number of an object that was seen before, or of what it wraps."""
        entry = self._entry(thing)
        if entry is not None:
            return entry[1]
        inner = wrapped(thing)
        return self.known(inner) if inner is not None else None

    def object_of(self, number: int) -> Any:
        """The object that was last seen to hold a value, while it lives."""
        reference = self._objects.get(number)
        return reference() if reference is not None else None

    def of(self, scope: Scope, thing: Any, stack: int) -> int:
        """The number of an object; one that was never seen is data that enters here."""
        number = self.known(thing)
        if number is not None:
            self._came_out(scope, thing, number)
            return number
        if scope is not self.recorder.root and isinstance(thing, bool | int | float | numpy.generic):
            number = self.new(scope, thing)  # a number that a traced function was written with
            if scope.values[number].floating:
                size = float(thing)
                scope.values[number].numbers = Numbers(1, size, size, int(size == 0), norm=abs(size))
            return number
        root = self.recorder.root if not isinstance(thing, core.Tracer) else scope
        source = self.recorder.ways_out.copied_from(thing) if isinstance(thing, numpy.ndarray) else None
        number = self.new(root, thing)
        op = Op(0, "array data", "enter", (), (number,), stack, False)
        if source is not None:
            op.name, op.inputs = "NumPy copy", (source,)
        root.put(op)
        value = root.values[number]
        if value.floating and isinstance(thing, int | float | numpy.generic):
            self.scalars[number] = float(thing)
        if root is self.recorder.root and (value.floating or value.shape):
            weak = not (value.floating and value.shape)
            self.recorder.exits.entered(op.at, _content(thing, value), weak=weak)
        return number

    def _came_out(self, scope: Scope, thing: Any, number: int) -> None:
        """A row that `vmap` computed is all rows outside of it."""
        value = scope.values.get(number)
        shape = getattr(thing, "shape", None)
        if value is not None and isinstance(shape, tuple) and len(shape) > len(value.mapped or value.shape):
            value.mapped = tuple(_length(n) for n in shape)

    def settle(self, number: int) -> None:
        """An array that `vmap` made row by row is the content of a variable as a whole: an ensemble's parameters."""
        value, thing = self.recorder.recording.values[number], self.object_of(number)
        whole = isinstance(thing, jax.Array) and not isinstance(thing, core.Tracer)
        if value.mapped is not None and whole and thing.shape == value.mapped:
            value.shape, value.mapped = value.mapped, None

    def arrays(self, shape: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
        """The arrays of one shape that are alive, with their numbers."""
        for number, reference in list(self._objects.items()):
            thing = reference()
            if isinstance(thing, jax.Array) and not isinstance(thing, core.Tracer) and thing.shape == shape:
                yield number, thing

    # --- identities that hold only inside a gradient --------------------------------------------------------------

    def open_journal(self) -> None:
        """`stop_gradient` gives back the very array it was given: inside a gradient that array has a second meaning."""
        self._journals.append([])

    def close_journal(self) -> None:
        """Outside again every array means what it meant before."""
        for key, entry in reversed(self._journals.pop()):
            if entry[0]() is not None:
                self._known[key] = entry

    def sweep(self) -> set[int]:
        """Forget objects that are gone; the numbers of those that live."""
        self._known = {key: entry for key, entry in self._known.items() if entry[0]() is not None}
        self._objects = {number: entry for number, entry in self._objects.items() if entry() is not None}
        return {number for _, number in self._known.values()}


def wrapped(thing: Any) -> Any:
    """What a transformation's tracer wraps; None for an array and for a tracer of `jit`."""
    if isinstance(thing, ad.LinearizeTracer | ad.JVPTracer):
        return thing.primal
    if isinstance(thing, batching.BatchTracer):
        return thing.val
    return None


def aval_of(thing: Any) -> Any:
    """Shape and type, without touching the content."""
    try:
        return core.typeof(thing)
    except Exception:  # no JAX value: a Python object on its way to an error
        return numpy.asarray(thing)


def _length(size: Any) -> int | None:
    return size if isinstance(size, int) else None


def _content(thing: Any, value: Value) -> Any:
    """Small data as NumPy sees it, to be compared with what left the framework."""
    if isinstance(thing, bool | int | float | numpy.ndarray | numpy.generic):
        return thing
    size = 1
    for length in value.shape:
        size *= length or 0
    if not value.floating or size > 4096 or isinstance(thing, core.Tracer):
        return None
    try:
        return numpy.asarray(thing)
    except Exception:  # donated, deleted, or on another device
        return None
