"""What became of each gradient: which backward passes a step applied to which variable, and which were cleared.

PyTorch piles gradients up in `.grad` until somebody clears them; TensorFlow and JAX hand them over as values. Both
come out here as the same answer: for each step and variable, the shares of which the applied gradient was made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.events import Backward, Clear, Edit, Step
from whygrad.rules.case import Case, asked_once
from whygrad.rules.targets.objective import MINUS, SUM


@dataclass(frozen=True, slots=True)
class Share:
    """One backward pass's part in a gradient. `variable`: what it is the gradient of."""

    backward: Backward
    variable: int
    spent: bool = False
    """It had been applied by an earlier step already, and was still there."""


@dataclass(slots=True)
class History:
    """The fate of every gradient."""

    fed: dict[int, dict[int, tuple[Share, ...]]] = field(default_factory=dict)
    """By the clock of a step, then by variable: what the applied gradient was made of, where that is known."""
    applied: dict[tuple[int, int], list[Step]] = field(default_factory=dict)
    """By (clock of the backward pass, variable): the steps that applied it."""
    cleared: dict[tuple[int, int], Clear] = field(default_factory=dict)
    """By (clock of the backward pass, variable): what cleared it before any step had applied it."""
    pending: dict[int, dict[int, tuple[Share, ...]]] = field(default_factory=dict)
    """By the clock of an edit, then by variable: what lay in `.grad` when it was edited."""


Event = Backward | Clear | Edit | Step


def events(case: Case) -> list[Event]:
    """Backward passes, clearings, edits and steps in their order."""
    recording = case.recording
    found: list[Event] = [*recording.backwards, *recording.clears, *recording.edits, *recording.steps]
    return sorted(found, key=lambda event: event.at)


@asked_once
def history(case: Case) -> History:
    """What became of every gradient of a recording."""
    told = History()
    piles: dict[int, tuple[Share, ...]] = {}
    for event in events(case):
        if isinstance(event, Backward):
            _arrive(event, piles)
        elif isinstance(event, Clear):
            _clear(told, event, piles)
        elif isinstance(event, Edit):
            told.pending[event.at] = {v: _left_in(told, piles, v) for v in event.variables}
            if event.call == "grad =":
                for variable, value in zip(sorted(event.variables), event.given, strict=False):
                    piles[variable] = trace(case, value) if event.handed is None else piles.get(event.handed, ())
        else:
            _apply(case, told, event, piles)
    for step in case.recording.steps:
        if step.began is not None:
            _call_back(case, told, step, step.began)
    return told


def _call_back(case: Case, told: History, step: Step, began: int) -> None:
    """An optimizer with a closure uses every gradient that the closure computes, though the next call clears it."""
    for backward in case.recording.backwards:
        if began < backward.at < step.at:
            for variable in backward.got & step.applied:
                told.cleared.pop((backward.at, variable), None)
                told.applied.setdefault((backward.at, variable), [step])


def _arrive(backward: Backward, piles: dict[int, tuple[Share, ...]]) -> None:
    if backward.call != "backward" or backward.error is not None:
        return
    for variable in backward.got:
        # Where something was in `.grad` and is not what we had seen there, somebody cleared it unseen.
        before = piles.get(variable, ()) if variable in backward.piled else ()
        piles[variable] = (*before, Share(backward, variable))


def _clear(told: History, clear: Clear, piles: dict[int, tuple[Share, ...]]) -> None:
    for variable in clear.variables:
        for share in piles.pop(variable, ()):
            key = share.backward.at, share.variable
            if key not in told.applied:
                told.cleared.setdefault(key, clear)


def _apply(case: Case, told: History, step: Step, piles: dict[int, tuple[Share, ...]]) -> None:
    fed: dict[int, tuple[Share, ...]] = {}
    for variable in step.applied:
        shares = trace(case, step.taken[variable]) if variable in step.taken else _left_in(told, piles, variable)
        if not shares:
            continue
        fed[variable] = shares
    for shares in fed.values():
        for share in shares:
            told.applied.setdefault((share.backward.at, share.variable), []).append(step)
    told.fed[step.at] = fed


def _left_in(told: History, piles: dict[int, tuple[Share, ...]], variable: int) -> tuple[Share, ...]:
    """What lies in a variable's `.grad`, with what an earlier step has applied already, be it to another variable."""
    shares = piles.get(variable, ())
    return tuple(Share(s.backward, s.variable, (s.backward.at, s.variable) in told.applied) for s in shares)


def trace(case: Case, value: int) -> tuple[Share, ...]:
    """The gradients that a value was made of: clipped, averaged, scaled; empty where that cannot be told.

    Only inputs of the value's own shape are followed: the norm that a gradient is divided by is made of all of them.
    """
    given = _given(case)
    values = case.recording.values
    todo, seen, found = [value], {value}, dict[tuple[int, int], Share]()
    while todo:
        number = todo.pop()
        if number in given:
            backward, variable = given[number]
            found[backward.at, variable] = Share(backward, variable)
            continue
        made = case.made_by.get(number)
        if made is None:
            continue
        if made.name == ".grad" and made.detail.isdigit():
            found.update(((s.backward.at, s.variable), s) for s in _latest(case, int(made.detail), made.at))
            continue
        shape = values[number].shape if number in values else None
        same = [v for v in made.inputs if v in values and values[v].shape == shape]
        fresh = [v for v in _unless_variable(case, same) if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return tuple(found[key] for key in sorted(found))


def applied_of(case: Case, backward: Backward) -> set[int] | None:
    """The variables to which an update applied what this very pass gave them; None where that cannot be told.

    What a critic gets from the actor's loss is cleared before its own step. In JAX one function may give several
    losses, each differentiated with respect to everything and applied to one network.
    """
    return _applied(case).get(backward.at)


@asked_once
def _applied(case: Case) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for at, variable in history(case).applied:
        found.setdefault(at, set()).add(variable)
    return found


def fresh_since(case: Case, backward: Backward, trained: set[int]) -> int:
    """When what a loss is made of began: after the last step of what it trains."""
    before = reach.began(case.recording, backward)
    return max((s.at for s in case.recording.steps if s.at < before and s.applied & trained), default=0)


def _unless_variable(case: Case, numbers: Iterable[int]) -> list[int]:
    """A variable's own content beside its gradient is weight decay."""
    return [v for v in numbers if v not in case.content]


@asked_once
def _given(case: Case) -> dict[int, tuple[Backward, int]]:
    """For each value that is a gradient as it was returned: the request, and the variable."""
    return {
        value: (backward, variable)
        for backward in case.recording.backwards
        for variable, value in backward.given.items()
    }


def _latest(case: Case, variable: int, at: int) -> list[Share]:
    before = [b for b in case.recording.backwards if b.at < at and variable in b.got and b.call == "backward"]
    return [Share(before[-1], variable)] if before else []


def begins_with(case: Case, value: int) -> set[int]:
    """The variables whose content a sum begins with: `v - rate * g` is v after a step, wherever it is written to."""
    found: set[int] = set()
    todo = [value]
    while todo:
        value = todo.pop()
        made = case.made_by.get(value)
        if value in case.content:
            found.add(case.content[value])
        elif made is not None and made.name in SUM | MINUS:
            todo.extend(made.inputs)
    return found


def comes_through(case: Case, value: int, marks: set[int]) -> bool:
    """Whether a value is one of these, or was made from one by operations that keep its shape."""
    values = case.recording.values
    todo, seen = [value], {value}
    while todo:
        number = todo.pop()
        if number in marks:
            return True
        made = case.made_by.get(number)
        if made is None or made.name in ("gradient", "autograd.grad") or number not in values:
            continue
        shape = values[number].shape
        fresh = [v for v in made.inputs if v in values and values[v].shape == shape and v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return False
