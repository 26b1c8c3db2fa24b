"""Where operations are written down: the recording itself, or the body of a function that JAX traces.

A function under `jit`, `scan` or `cond` runs once in Python and many times without it. What it did in Python is kept as
a body, with its own numbers for values; each time the compiled function runs, the body is written down anew, with the
values that the call was given.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from jax._src import core

from whygrad.flow.operations import Op, Value

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder


@dataclass(slots=True)
class Asked:
    """A gradient that was asked for; in terms of values, because a body does not know whose content it is given."""

    call: str
    tape: int
    leaves: list[int]
    """The values that were differentiated, as they arrived."""
    inner: list[int]
    """The same inside the differentiated function."""
    loss: int | None
    gradients: list[int]
    stack: int
    implicit: bool = False
    error: str | None = None


@dataclass(slots=True)
class Opened:
    """A gradient's function begins to run."""

    tape: int
    stack: int
    leaves: list[int]
    """The values that are differentiated, as they arrive."""
    paths: list[str]
    implicit: bool = False
    states: frozenset[str] = frozenset()
    """Those of `paths` that are the first content of a state (Equinox), which lives outside of the model."""


@dataclass(slots=True)
class Closed:
    """It has run."""

    tape: int


@dataclass(slots=True)
class Ran:
    """A loop or a nested compiled function ran: what it was given, and where its values are."""

    jaxpr: Any
    consts: Any
    body: Scope
    given: list[int]
    held: list[Any]
    """Arguments that are plain numbers, or a few."""
    axes: tuple[int | None, ...]
    """The dimension of each argument that `vmap` maps over."""
    scan: tuple[int, int, int, bool] | None = None
    """For a loop: how many constants, how many carried along, how many rounds, whether it runs backwards."""
    branch: tuple[int, int] | None = None
    """For a branch of `cond`: the value that chooses, and the choice for which this one runs."""
    turns: list[dict[int, int]] = field(default_factory=list)
    """For each time that the body was written down: the numbers of its values."""
    results: list[int | None] = field(default_factory=list)
    """For a branch: what it gave back."""


@dataclass(slots=True)
class Compiled:
    """A function of the program's that was compiled."""

    there: weakref.ref[Any]
    names: frozenset[str]
    """Everything that it speaks of."""
    passed_by: frozenset[int]
    """What it took from names that get other values in a loop around its calls, where it is not made anew."""
    file: str
    qualname: str


Item = Op | Asked | Opened | Closed | Ran


class Scope:
    """A body that is being traced."""

    def __init__(self, recorder: JaxRecorder, base: int) -> None:
        self.recorder = recorder
        self.base = base
        """The stack from which the function was called when it was traced."""
        self.values: dict[int, Value] = {}
        self.items: list[Item] = []
        self.inputs: dict[Any, int] = {}
        """Numbers of the function's own arguments, by their variable in the jaxpr."""
        self.outputs: list[int] = []
        self.variables: dict[int, Any] = {}
        """For values that the jaxpr has a variable for, that variable."""
        self.user = False
        """Whether code of the user's ran inside."""
        self.asks = False
        """Whether gradients are asked for inside."""
        self.function: Compiled | None = None
        """The compiled function of the program's that this is the body of, or that it was traced inside of."""

    def put(self, item: Item) -> None:
        """Write one thing down."""
        self.items.append(item)
        self.asks = self.asks or isinstance(item, Asked)
        if not self.user and not isinstance(item, Closed | Ran):
            self.user = self.recorder.session.stacks.deeper(item.stack, self.base)

    def open_tapes(self) -> tuple[int, ...]:
        """Gradients whose function is running here."""
        return tuple(t for t, scope in self.recorder.local.tapes if scope is self)


class Root(Scope):
    """The recording itself."""

    def __init__(self, recorder: JaxRecorder) -> None:
        super().__init__(recorder, 0)
        self.user = True

    def put(self, item: Item) -> None:
        """Write one thing into the recording."""
        self.recorder.commit(item)


@dataclass(slots=True)
class _Places:
    """Where the parts of a body go in one run of it."""

    scope: Scope
    stack: int
    numbers: dict[int, int] = field(default_factory=dict)
    tapes: dict[int, int] = field(default_factory=dict)
    times: int = 1


def replay(
    body: Scope, scope: Scope, arguments: dict[int, int], stack: int, times: int = 1
) -> tuple[list[int], dict[int, int]]:
    """Write a body down in another scope, for one call from `stack`.

    The numbers of what it returned, and for each value of the body its number in this run.
    """
    places = _Places(scope, stack, dict(arguments), times=times)
    for item in body.items:
        _place(body, item, places)
    return [_at(body, number, places) for number in body.outputs], places.numbers


def outcome(
    body: Scope | None, jaxpr: Any, given: list[int], results: list[int], places: dict[int, int]
) -> list[int | None]:
    """The numbers of what a body gave back, one for each result that JAX left it; None for a number written there.

    What a loop or a branch merely hands through is no result of its body any more when JAX has tidied up.
    """
    known = dict(zip(jaxpr.invars, given, strict=False))
    if body is not None:
        known |= {v: places[n] for n, v in body.variables.items() if n in places and v not in known}
        known |= {v: n for own, n in zip(body.outputs, results, strict=True) if (v := body.variables.get(own))}
    found = [None if isinstance(atom, core.Literal) else known.get(atom) for atom in jaxpr.outvars]
    missed = any(n is None and not isinstance(a, core.Literal) for n, a in zip(found, jaxpr.outvars, strict=True))
    return list(results) if missed and len(results) == len(found) else found


def _place(body: Scope, item: Item, places: _Places) -> None:
    recorder, scope = body.recorder, places.scope
    if isinstance(item, Closed):
        tape = places.tapes[item.tape]
        recorder.local.tapes = [t for t in recorder.local.tapes if t[0] != tape]
        scope.put(Closed(tape))
        return
    if isinstance(item, Ran):
        given = [_at(body, n, places) for n in item.given]
        turns = [{n: _at(body, m, places) for n, m in turn.items()} for turn in item.turns]
        branch = (_at(body, item.branch[0], places), item.branch[1]) if item.branch is not None else None
        results = [None if n is None else _at(body, n, places) for n in item.results]
        scope.put(replace(item, given=given, turns=turns, branch=branch, results=results))
        return
    stack = recorder.session.stacks.moved(item.stack, body.base, places.stack)
    if isinstance(item, Op):
        inputs = tuple(_at(body, n, places) for n in item.inputs)
        outputs = tuple(_at(body, n, places) for n in item.outputs)
        own = tuple(places.tapes[t] for t in item.tapes if t in places.tapes)
        tapes = tuple(dict.fromkeys((*scope.open_tapes(), *own)))
        scope.put(
            Op(
                0,
                item.name,
                item.kind,
                inputs,
                outputs,
                stack,
                item.carries,
                tapes=tapes,
                detail=item.detail,
                inside=item.inside,
                clips=item.clips,
                times=item.times * places.times,
            )
        )
    elif isinstance(item, Opened):
        tape = recorder.new_tape()
        places.tapes[item.tape] = tape
        leaves = [_at(body, n, places) for n in item.leaves]
        scope.put(Opened(tape, stack, leaves, item.paths, item.implicit or bool(scope.open_tapes()), item.states))
        recorder.local.tapes.append((tape, scope))
    else:
        scope.put(
            Asked(
                item.call,
                places.tapes.get(item.tape, item.tape),
                [_at(body, n, places) for n in item.leaves],
                [_at(body, n, places) for n in item.inner],
                None if item.loss is None else _at(body, item.loss, places),
                [_at(body, n, places) for n in item.gradients],
                stack,
                item.implicit or bool(scope.open_tapes()),
                item.error,
            )
        )


def _at(body: Scope, number: int, places: _Places) -> int:
    known = places.numbers.get(number)
    if known is not None:
        return known
    value = body.values.get(number)
    if value is None:
        return number  # from outside: a closure's array
    fresh = body.recorder.values.fresh(places.scope, value.shape, value.floating)
    places.numbers[number] = fresh
    places.scope.values[fresh].numbers = value.numbers
    places.scope.values[fresh].mapped = value.mapped
    places.scope.values[fresh].kept, places.scope.values[fresh].steady = value.kept, value.steady
    if number in body.variables:
        places.scope.variables[fresh] = body.variables[number]
    return fresh
