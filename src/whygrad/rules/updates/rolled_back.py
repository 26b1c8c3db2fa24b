"""JAX: updates in a row that are thrown away together: a loop's last state is not what the program goes on with."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow import syntax
from whygrad.flow.events import Backward, Step
from whygrad.flow.operations import Op
from whygrad.flow.site import Site, Stack
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import PRODUCT, SUM

_LOOPS = ("scan", "fori_loop", "while_loop")
_CHAIN = 64


@dataclass(slots=True)
class RolledBack:
    """The last updates of rounds after which a gradient was taken where the round began."""

    where: Site
    steps: list[Step]
    variables: set[int]
    again: bool = False
    """The call that let them go was made again, from the same place."""


def rolled_back(case: Case) -> list[RolledBack]:
    """Rounds of updates, each built on the one before, of which nothing uses the end."""
    used = values_used(case)
    used |= {value for b in case.recording.backwards for value in b.read.values()}
    histories = _histories(case, used)
    made = {(v, value): step for step in case.recording.steps for v, value in step.after.items()}
    found: dict[Site, RolledBack] = {}
    for step in case.recording.steps:
        lost = {v for v, value in step.after.items() if value not in used and v in step.before}
        after = _next(case, step, lost) if lost else None
        if after is None or lost < set(step.before) & set(after.read):
            continue
        if all(step.before[v] in histories or step.after[v] in histories for v in lost):
            continue  # how the parameters moved is what the loop was run for: optimizers are compared from one start
        if not all(_rounds(made, step, v, after.read[v]) for v in lost & set(after.read)):
            continue
        rounds = max(_rounds(made, step, v, after.read[v]) for v in lost & set(after.read))
        where = _let_go(case.stack(step.returned if step.returned is not None else step.stack), rounds)
        if step.returned is not None and all(_within(made, step, v) for v in lost):
            where = case.site(step.returned)  # a compiled function did the whole round
        if where is not None:
            one = found.setdefault(where, RolledBack(where, [], set()))
            one.steps.append(step)
            one.variables |= lost
            one.again = one.again or _comes_back(case, step, after)
    # What a compiled loop does it does in every round; a call that is made once may be there to warm up.
    return [one for one in found.values() if len(one.steps) > 1 or one.again or _is_loop(one.where)]


def values_used(case: Case) -> set[int]:
    """Values that something is computed from.

    A branch that only hands a value on, or an average that only mixes it in, uses it where its own result is used.
    """
    used: set[int] = set()
    for op in reversed(case.recording.ops.values()):
        passes = op.name == "cond" or _mixes(case, op)
        if op.name != "read_value" and (not passes or used.intersection(op.outputs)):
            used.update(op.inputs)
    return used


def _mixes(case: Case, op: Op) -> bool:
    """Whether an operation takes a share of an array, or adds two such shares."""
    shapes = [case.recording.values[v].shape for v in op.inputs if v in case.recording.values]
    if op.name in PRODUCT:
        return len(shapes) == 2 and sum(not shape for shape in shapes) == 1
    made = [case.made_by.get(v) for v in op.inputs] if op.name in SUM else []
    return len(made) == 2 and all(one is not None and one.name in PRODUCT and _mixes(case, one) for one in made)


def _histories(case: Case, used: set[int]) -> set[int]:
    """Values that a loop gives back for each of its rounds, where the program goes on with them."""
    ops = case.recording.ops.values()
    same = {op.outputs[0]: op.inputs[0] for op in ops if op.name == "captured"}
    kept = (op for op in ops if op.name == "stack" and used.intersection(op.outputs))
    return {same.get(value, value) for op in kept for value in op.inputs}


def _within(made: dict[tuple[int, int], Step], step: Step, variable: int) -> bool:
    """Whether the update before was made in the same call of a compiled function: it was given back by none."""
    earlier = made.get((variable, step.before[variable]))
    return earlier is not None and earlier.returned is None


def _comes_back(case: Case, step: Step, after: Backward) -> bool:
    """Whether the gradient that begins anew belongs to another call from the very same place."""
    later = (s for s in case.recording.steps if s.at > after.at and s.returned is not None)
    return step.returned is not None and next((s.returned == step.returned for s in later), False)


def _next(case: Case, step: Step, variables: set[int]) -> Backward | None:
    later = (b for b in case.recording.backwards if b.at > step.at and not b.implicit)
    return next((b for b in later if set(b.read) & variables), None)


def _rounds(made: dict[tuple[int, int], Step], step: Step, variable: int, value: int) -> int:
    """How many updates lie between a value and what this one made of it, both counted; 0 where it was not made so."""
    earlier = made.get((variable, step.before[variable]))
    for number in range(2, _CHAIN + 2):
        if earlier is None or variable not in earlier.before:
            return 0
        if earlier.before[variable] == value:
            return number
        earlier = made.get((variable, earlier.before[variable]))
    return 0


def _let_go(stack: Stack, rounds: int) -> Site | None:
    """The call that runs the rounds: a loop of JAX, else the caller of the function that the update is in.

    Of each loop two rounds are written down. Four updates in a row are those of a loop in a loop, and it is the outer
    one whose end is dropped.
    """
    loops = [site for site in stack[1:] if _is_loop(site)]
    for depth, site in enumerate(loops, start=1):
        if rounds <= 2**depth or syntax.around(site)[1] or depth == len(loops):
            return site
    return next((site for site in stack[1:] if site.function != stack[0].function), None)


def _is_loop(site: Site) -> bool:
    return syntax.called_at(site).rpartition(".")[2] in _LOOPS
