"""What a loop or a nested compiled function contained, step by step.

Differentiating a function rewrites its loops, so what the compiled program runs has no place for the user's values any
more. The loop as the user wrote it is run once more beside it, with what it was given, and everything in between is its
result. A body is written down twice: the first stands for the first round, the second for the rest, or for the round
in which something stopped being finite.

What is inside of something that `vmap` maps was traced for one lane. It runs for all of them: what its surroundings
gave it has the lanes as its first dimensions.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import jax
import numpy
from jax._src import core

from whygrad.trace.jax_conditions import choices
from whygrad.trace.jax_later_rounds import LaterRounds
from whygrad.trace.jax_rerun import compiled, evaluate, plain, worth_a_look
from whygrad.trace.jax_scopes import Ran, Scope
from whygrad.trace.jax_silence import silenced
from whygrad.trace.jax_vocabulary import is_float

if TYPE_CHECKING:
    from whygrad.trace.jax_recorder import JaxRecorder

_ALL = 1 << 26
_RUNS = 300


class Inner:
    """Runs what was inside once more."""

    def __init__(self, recorder: JaxRecorder) -> None:
        self.recorder = recorder
        self.pending: list[Ran] = []
        self._ready: dict[Any, tuple[Any, Any, list[Any], int]] = {}
        self._runs: dict[int, int] = {}
        self.later_rounds = LaterRounds()
        self.later: set[int] = set()
        """Choices of which a branch was never taken that a longer loop would take."""

    def take(self) -> list[Ran]:
        """What was inside since the last time."""
        pending, self.pending = self.pending, []
        return pending

    def run(self, pending: Iterable[Ran], content: dict[int, Any]) -> None:
        """Add to `content` what the values inside contained; outer loops come before what is inside them."""
        single: dict[int, Any] = {}
        pending = list(pending)
        for ran in pending:
            try:
                self._run(ran, content, single)
                if ran.scan is not None and ran.body.asks:
                    self._branches(ran, pending, content, single)
            except Exception as trouble:
                self.recorder.trouble(trouble)

    def _run(self, ran: Ran, content: dict[int, Any], single: dict[int, Any]) -> None:
        given = [self._given(n, held, content, single) for n, held in zip(ran.given, ran.held, strict=True)]
        key = id(ran.jaxpr)
        self._runs[key] = self._runs.get(key, 0) + 1
        if any(g is None for g in given) or self._runs[key] > _RUNS:
            return
        if ran.branch is not None and not self._taken(ran.branch, content, single):
            return
        mapped = _lanes(ran, given)
        function, wanted, rounds = self._function(ran, mapped)
        rows_of: list[Any] = []
        if not wanted:
            return
        if ran.scan is not None:
            first = sum(ran.scan[:2])
            rows_of = given[first:]
            rows = slice(-rounds, None) if ran.scan[3] else slice(rounds)
            # The rounds come after the lanes: those around, and those of a `vmap` over the first dimension.
            given[first:] = [
                g[(*[slice(None)] * (len(around) + (axis == 0)), rows)]
                for g, axis, around in zip(given[first:], ran.axes[first:], mapped[first:], strict=True)
            ]
        with self.recorder.quiet():
            results = function(*given)
            found = {v: plain(r) for v, r in zip(wanted, results, strict=False) if r is not None}
            if ran.scan is not None and ran.body.asks and not any(a is not None for a in ran.axes) and not any(mapped):
                found = self.later_rounds.look(ran, function, wanted, rows_of, given, results, found)
        if ran.scan is None:
            _spread(ran.body, ran.turns[0], found, content, single)
        else:
            order = list(range(rounds))[:: -1 if ran.scan[3] else 1]
            self._rounds(ran, found, order, content, single)

    def _branches(self, ran: Ran, pending: list[Ran], content: dict[int, Any], single: dict[int, Any]) -> None:
        """Mark what a branch gives that a training loop never takes."""
        if self._runs[id(ran.jaxpr)] > 1:
            return
        given = [self._given(n, held, content, single) for n, held in zip(ran.given, ran.held, strict=True)]
        if any(_lanes(ran, given)):
            return
        with self.recorder.quiet():
            seen = choices(ran, given)
        for turn in ran.turns:
            for number, (taken, later) in seen.items():
                mine = [r for r in pending if r.branch is not None and r.branch[0] == turn.get(number)]
                self._never({r.branch[1]: r.results for r in mine if r.branch is not None}, taken, later)

    def _never(self, results: dict[int, list[int | None]], taken: set[int], later: set[int]) -> None:
        """Mark the results of branches that were not taken, at the operations that stand for the choice."""
        ops = self.recorder.recording.ops
        outside = {op.outputs[0]: op.inputs[0] for op in ops.values() if op.name == "captured"}
        columns = set(zip(*(results[index] for index in sorted(results)), strict=False))
        for op in ops.values():
            if op.name == "cond" and tuple(outside.get(n, n) for n in op.inputs) in columns:
                never = [index for index in sorted(results) if index not in taken]
                given = dict(zip(sorted(results), op.inputs, strict=False))
                ran = {value for index, value in given.items() if index in taken}  # a branch may hand on what all do
                op.never = tuple(value for index in never if (value := given[index]) not in ran)
                if later & set(never):
                    self.later.add(op.at)

    def _given(self, number: int, held: Any, content: dict[int, Any], single: dict[int, Any]) -> Any:
        for found in (single.get(number), content.get(number), held):
            if found is not None:
                return found
        thing = self.recorder.values.object_of(number)
        if not isinstance(thing, jax.Array) or isinstance(thing, core.Tracer) or thing.is_deleted():
            return None
        return thing

    def _taken(self, branch: tuple[int, int], content: dict[int, Any], single: dict[int, Any]) -> bool:
        # Under `vmap` each lane has a choice of its own (one, where there is one lane), and both branches run.
        choice = self._given(branch[0], None, content, single)
        return choice is not None and numpy.ndim(choice) == 0 and int(choice) == branch[1]

    def _function(self, ran: Ran, mapped: tuple[tuple[int, ...], ...]) -> tuple[Any, list[Any], int]:
        key = id(ran.jaxpr), ran.axes, mapped
        entry = self._ready.get(key)
        if entry is not None and entry[0]() is ran.jaxpr:
            return entry[1:]
        jaxpr = silenced(ran.jaxpr)
        wanted = worth_a_look(ran.body, jaxpr)
        length = ran.scan[2] if ran.scan is not None else 1
        size = sum(math.prod(v.aval.shape) for v in wanted)
        rounds = min(length, 2 if ran.body.asks else max(2, _ALL // max(size, 1)))
        consts, scan, axes = ran.consts, ran.scan, ran.axes

        def inside(*arguments: Any) -> list[Any]:
            found: dict[Any, Any] = {}
            evaluate(jaxpr, consts, arguments, found)
            return [found.get(v) for v in wanted]

        fixed, carried, _, reverse = scan or (0, 0, 1, False)

        def looped(*arguments: Any) -> list[Any]:
            def one(carry: Any, row: Any) -> tuple[Any, list[Any]]:
                found: dict[Any, Any] = {}
                outs = evaluate(jaxpr, consts, [*arguments[:fixed], *carry, *row], found)
                return outs[:carried], [found.get(v) for v in wanted]

            start = list(arguments[fixed : fixed + carried])
            rows = list(arguments[fixed + carried :])
            last, seen = jax.lax.scan(one, start, rows, length=rounds, reverse=reverse)
            return [*seen, *last] if goes_on else list(seen)

        goes_on = ran.body.asks and not any(mapped) and not any(a is not None for a in axes)
        function: Any = inside if scan is None else looped
        levels = range(max((len(levels) for levels in mapped), default=0))
        for each in (axes, *(tuple(0 if level in m else None for m in mapped) for level in reversed(levels))):
            if any(a is not None for a in each):
                function = jax.vmap(function, in_axes=each, out_axes=0 if scan is None else 1)
        made = compiled(function)
        self._ready[key] = weakref.ref(ran.jaxpr), made, wanted, rounds
        return made, wanted, rounds

    def _rounds(
        self, ran: Ran, found: dict[Any, Any], order: list[int], content: dict[int, Any], single: dict[int, Any]
    ) -> None:
        carried = {v for v in ran.jaxpr.outvars[: ran.scan[1] if ran.scan else 0] if not isinstance(v, core.Literal)}
        late = 0 if ran.body.asks else _first_bad(found, carried, order)
        before = {v: a[order[max(0, late - 1)]] for v, a in found.items()}
        _spread(ran.body, ran.turns[0], before, content, single)
        for turn in ran.turns[1:]:
            at = order[late or min(1, len(order) - 1)]
            one = {v: a[at] for v, a in found.items()}
            several = len(order) > 1 and not late and not ran.body.asks
            rest = {v: a[sorted(order[1:])] for v, a in found.items()} if several else one
            _spread(ran.body, turn, one, single, {})
            _spread(ran.body, turn, rest, content, {})


def _lanes(ran: Ran, given: list[Any]) -> tuple[tuple[int, ...], ...]:
    """For each argument, the `vmap`s around the body that its first dimensions are the lanes of, outermost first.

    These it has beyond what the body was traced for. What only some of the `vmap`s map is told by its lengths.
    """
    rows = sum(ran.scan[:2]) if ran.scan is not None else len(given)
    expected = (
        len(v.aval.shape) + (axis is not None) + (place >= rows)
        for place, (v, axis) in enumerate(zip(ran.jaxpr.invars, ran.axes, strict=True))
    )
    lengths = [numpy.shape(g)[: max(0, numpy.ndim(g) - n)] for g, n in zip(given, expected, strict=True)]
    whole = max(lengths, key=len, default=())
    return tuple(
        tuple(range(len(own))) if whole[: len(own)] == own else tuple(range(len(whole) - len(own), len(whole)))
        for own in lengths
    )


def _spread(body: Scope, places: dict[int, int], found: dict[Any, Any], content: dict[int, Any], also: Any) -> None:
    for number, place in places.items():
        variable = body.variables.get(number)
        if variable is not None and variable in found and place not in content:
            content[place] = also[place] = found[variable]


def _first_bad(found: dict[Any, Any], carried: set[Any], order: list[int]) -> int:
    """The first round, if it is not the very first, in which something stopped being finite; 0 where there is none.

    An infinity that is carried along is an overflow; one that is not may have been put there on purpose.
    """
    never = len(order)
    nan = overflow = placed = never
    for variable, stack in found.items():
        if not is_float(stack.dtype) or not stack.size:
            continue
        rows = stack.reshape(len(order), -1)[order]
        for bad, isnan in ((numpy.isnan(rows), True), (numpy.isinf(rows), False)):
            when = bad.any(axis=1)
            if not when.any() or (not isnan and when[0]):
                continue
            at = int(when.argmax())
            if isnan:
                nan = min(nan, at)
            elif variable in carried:
                overflow = min(overflow, at)
            else:
                placed = min(placed, at)
    best = min(nan, overflow)
    best = placed if best == never else best
    return 0 if best == never else best
