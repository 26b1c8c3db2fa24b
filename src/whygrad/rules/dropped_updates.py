"""New values of a variable, computed from its content and its gradient, that nobody keeps: `p = p - rate * p.grad`."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.recording import Op
from whygrad.rules.case import Case

_DEPTH = 6
"""How far an update reaches back to the variable: scaled, clipped, with momentum."""


@dataclass(slots=True)
class Dropped:
    """Updates computed at one place, and the variables that they were for."""

    op: Op
    variables: set[int]
    times: int = 0


def dropped_updates(case: Case) -> list[Dropped]:
    """Updates that nothing is computed from and nothing is written with, of variables that never move."""
    recording = case.recording
    moved = {v for s in recording.steps for v in s.applied} | recording.moved_later
    moved |= {w.variable for w in recording.writes if w.variable is not None}
    waiting = {v.id for v in recording.variables.values() if v.parameter} - moved
    if not waiting:
        return []
    given = {value: variable for b in recording.backwards for variable, value in b.given.items()}
    used = {v for op in recording.ops.values() for v in op.inputs}
    used |= {v for s in recording.steps for v in s.taken.values()} | {v for w in recording.writes for v in w.given}
    found: dict[int, Dropped] = {}
    for op in recording.ops.values():
        if not op.inputs or op.kind not in ("compute", "write") or any(v in used for v in op.outputs):
            continue
        for variable in _updates(case, op, given) & waiting:
            one = found.setdefault(op.stack, Dropped(op, set()))
            one.variables.add(variable)
            one.times += 1
    return [one for one in found.values() if one.times > len(one.variables)]  # in more than one round


def _updates(case: Case, op: Op, given: dict[int, int]) -> set[int]:
    """The variables that a result of their own shape is a new value for: made of their content and their gradient."""
    values = case.recording.values
    shape = values[op.outputs[0]].shape if op.outputs and op.outputs[0] in values else None
    content, gradients = set[int](), set[int]()
    todo, seen = [(v, 1) for v in op.inputs], set[int]()
    while todo:
        number, depth = todo.pop()
        if number in seen or number not in values:
            continue
        seen.add(number)
        made = case.made_by.get(number)
        if number in case.content:
            content.add(case.content[number])
        elif number in given:
            gradients.add(given[number])
        elif made is not None and made.name == ".grad" and made.detail.isdigit():
            gradients.add(int(made.detail))
        elif made is not None and depth < _DEPTH and values[number].shape == shape:
            todo.extend((v, depth + 1) for v in made.inputs)
    return {v for v in content & gradients if case.variable(v).shape == shape}
