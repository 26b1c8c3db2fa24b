"""Inner steps of a meta-learner that are stored in the very variables that the outer gradient is asked for.

The inner gradient was computed with a graph, for the outer loss to go back through the step. A store has no derivative:
the outer gradient is taken at the adapted weights as if they had always been there, and adapted they stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Write
from whygrad.rules.case import Case

_FAR = 12


@dataclass(frozen=True, slots=True)
class Adapted:
    """Where an inner step is stored, the gradient with a graph that it uses, and the one that should go through it."""

    stack: int
    inner: Backward
    outer: Backward
    variables: frozenset[int]


def adapted_in_place(case: Case) -> Iterator[Adapted]:
    """Each of them, in the order of the inner gradients."""
    backwards = [b for b in case.recording.backwards if b.error is None]
    for inner, outer in pairwise(backwards):
        if not inner.implicit or outer.implicit or outer.stack == inner.stack or not inner.given:
            continue
        stack, variables = _stored(case, inner, outer.at)
        if variables and variables <= outer.got and _goes_through(case, inner, outer, variables):
            yield Adapted(stack, inner, outer, variables)


def _stored(case: Case, inner: Backward, until: int) -> tuple[int, frozenset[int]]:
    """The first line that stores a step along these gradients in their variables, and which variables are changed."""
    recording = case.recording
    for step in recording.steps:
        taken = {v for v in step.applied if v in step.taken and step.taken[v] == inner.given.get(v)}
        if inner.at < step.at < until and taken:
            return step.stack, step.applied
    stores = [w for w in recording.writes if inner.at < w.at < until and _follows(case, w, inner)]
    changed = frozenset(w.variable for w in stores if w.variable is not None)
    return stores[0].stack if stores else -1, changed


def _follows(case: Case, write: Write, inner: Backward) -> bool:
    """Whether what is written was made of the variable's own gradient."""
    gradient, op = inner.given.get(write.variable if write.variable is not None else -1), case.made_by.get(write.after)
    if gradient is None or op is None:
        return False
    return any(case.is_made_of(v, (gradient,), _FAR) for v in (*op.inputs, *write.given))


def _goes_through(case: Case, inner: Backward, outer: Backward, variables: frozenset[int]) -> bool:
    """Whether the outer gradient was to go back through the step: recorded with it, and applied to the same variables.

    A first-order method gives the weights their old content back, and leaves that way out on purpose.
    """
    recording = case.recording
    tape = recording.tapes.get(outer.tape) if outer.tape is not None else None
    if tape is not None and not tape.opened < inner.at < (tape.closed or outer.at):
        return False
    steps = {s.stack for s in recording.steps}
    again = next((b.at for b in recording.backwards if b.at > outer.at and b.implicit), None)
    back = [(w.at, w.variable) for w in recording.writes if w.stack not in steps and w.by not in ("zero_", "zero_grad")]
    back += [(c.at, c.target) for c in recording.copies]
    if any(outer.at < at and (again is None or at < again) and variable in variables for at, variable in back):
        return False
    applied = [s for s in recording.steps if s.applied & variables and not inner.at < s.at < outer.at]
    return any(s.at > outer.at for s in applied)
