"""New values of a variable, computed from its content and its gradient, that nobody keeps: `p = p - rate * p.grad`."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import is_given_back
from whygrad.flow.syntax import stepped_with
from whygrad.rules.case import Case

_DEPTH = 6
"""How far an update reaches back to the variable: scaled, clipped, with momentum."""


@dataclass(slots=True)
class Dropped:
    """Updates computed at one place, and the variables that they were for."""

    op: Op
    variables: set[int]
    times: int = 0
    trained: bool = False
    """Whether an optimizer moves them all the same."""


def dropped_updates(case: Case) -> list[Dropped]:
    """Updates that nothing is computed from and nothing is written with.

    Of a variable that never moves, each is one too many. Of one that an optimizer moves, all that a line makes: an
    inner loop whose result the outer loss does not use.
    """
    recording = case.recording
    moved = {v for s in recording.steps for v in s.applied} | recording.moved_later
    moved |= {w.variable for w in recording.writes if w.variable is not None}
    parameters = {v.id for v in recording.variables.values() if v.parameter}
    given = {value: variable for b in recording.backwards for variable, value in b.given.items()}
    if not parameters - moved and not given:
        return []
    used = {v for op in recording.ops.values() for v in op.inputs}
    used |= {v for s in recording.steps for v in s.taken.values()} | {v for w in recording.writes for v in w.given}
    found: dict[int, Dropped] = {}
    kept: dict[int, list[Op]] = {}
    for op in recording.ops.values():
        if not op.inputs or op.kind not in ("compute", "write"):
            continue
        if any(v in used for v in op.outputs):
            kept.setdefault(op.stack, []).append(op)
            continue
        for variable in updates(case, op, given) & parameters:
            one = found.setdefault(op.stack, Dropped(op, set()))
            one.variables.add(variable)
            one.times += 1
    result = []
    for stack, one in found.items():
        one.trained = bool(one.variables & moved)
        if one.times <= len(one.variables):
            continue  # in one round only
        if one.trained and (recording.framework != "torch" or one.op.kind == "write"):
            continue
        if one.trained and any(updates(case, op, given) for op in kept.get(stack, ()) if op.name == one.op.name):
            continue
        result.append(one)
    return result


def let_go_at(case: Case, op: Op) -> Site | None:
    """The line that drops a result: outward from where it was computed, as long as that is returned to a caller."""
    stack = case.stack(op.stack)
    for site in stack:
        name = site.function.rpartition(".")[2]
        inner = name.startswith("<") and name != "<module>"  # a comprehension: the function around it comes next
        if not inner and not is_given_back(site):
            return site
    return stack[0] if stack else None


def numpy_updates(case: Case) -> list[Dropped]:
    """Updates that were computed in NumPy, on copies of the weights, and never set: of variables that never move."""
    recording = case.recording
    if recording.framework != "tensorflow" or recording.steps:
        return []
    moved = {w.variable for w in recording.writes if w.variable is not None} | recording.moved_later
    given = {value: variable for b in recording.backwards for variable, value in b.given.items()}
    weights: dict[int, set[Site]] = {}
    found: dict[int, Dropped] = {}
    for op in recording.ops.values():
        site = case.site(op.stack) if op.kind == "leave" and len(op.inputs) == 1 else None
        if site is None:
            continue
        variable = _content(case, op.inputs[0])
        if variable is not None:
            weights.setdefault(variable, set()).add(site)
        variable = given.get(op.inputs[0])
        if variable is None or variable in moved:
            continue
        if any(stepped_with(left, site) for left in weights.get(variable, ())):
            one = found.setdefault(op.stack, Dropped(op, set()))
            one.variables.add(variable)
            one.times += 1
    return [one for one in found.values() if one.times > len(one.variables)]


def _content(case: Case, value: int) -> int | None:
    """The variable whose content a value is, read and passed on."""
    for _ in range(3):
        if value in case.content:
            return case.content[value]
        made = case.made_by.get(value)
        if made is None or made.name not in ("identity", "read_value") or len(made.inputs) != 1:
            return None
        value = made.inputs[0]
    return case.content.get(value)


def updates(case: Case, op: Op, given: dict[int, int]) -> set[int]:
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
