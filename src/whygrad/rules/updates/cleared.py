"""Gradients that were computed and cleared before the optimizer they were meant for could apply them."""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Backward, Clear, Step
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.updates.history import history
from whygrad.rules.updates.order import idle, passes, steps_of


@dataclass(slots=True)
class Cleared:
    """Variables whose gradient, from `backward`, was taken by `clear` before `step`."""

    clear: Clear
    variables: set[int]
    backward: Backward
    step: Step


def meant_for(case: Case, optimizer: Optimizer) -> list[Backward]:
    """The passes that an optimizer's variables were to learn from.

    A pass that only other optimizers apply (an actor loss that runs through the critic) leaves a gradient here too,
    and that one is rightly cleared.
    """
    told, found = history(case), []
    for backward in passes(case):
        users = {s.optimizer for v in backward.got for s in told.applied.get((backward.at, v), ())}
        if backward.got & optimizer.holds and (
            not users or optimizer.id in users or _taken_too_soon(case, optimizer, backward)
        ):
            found.append(backward)
    return found


def _taken_too_soon(case: Case, optimizer: Optimizer, backward: Backward) -> bool:
    """Whether a pass that others apply was cleared here before anybody stepped, and no other came before the own step.

    One loss for two networks, each with its optimizer: what clears the gradient of one of them between the pass and
    the steps is not there to take away what another network's loss had left.
    """
    told = history(case)
    clears = [
        told.cleared[backward.at, v].at for v in backward.got & optimizer.holds if (backward.at, v) in told.cleared
    ]
    used = [s.at for v in backward.got for s in told.applied.get((backward.at, v), ())]
    steps = [s.at for s in steps_of(case, optimizer) if clears and s.at > min(clears)]
    if not clears or not used or not steps or min(used) < min(clears):
        return False
    return not any(min(clears) < b.at < steps[0] for b in passes(case))


def always_cleared(case: Case, optimizer: Optimizer) -> list[Cleared]:
    """Variables that get gradients and come to every step without one, by the clearing that takes them."""
    steps = steps_of(case, optimizer)
    recording = case.recording
    if not steps or optimizer.skipped or any(step.error for step in steps):
        return []
    if optimizer.by_hand and any("inplace operation" in (b.error or "") for b in recording.backwards):
        return []  # W108: what it wrote came between forward and backward
    mine = meant_for(case, optimizer)
    if not mine or (idle(case, optimizer) and steps[0].at < mine[0].at):
        return []  # the step came before any backward pass: that is W302
    fed = {v for step in recording.steps for v in step.applied} | recording.later_gradients | _written(case)
    cut = {v for missing in missing_gradients(case) for found in missing.cuts for v in found.variables}
    found: dict[int, Cleared] = {}
    for variable in optimizer.holds - fed - cut:
        for backward in (b for b in mine if variable in b.got):
            clear = history(case).cleared.get((backward.at, variable))
            step = next((s for s in steps if clear is not None and s.at > clear.at and variable in s.without), None)
            if clear is not None and step is not None:
                found.setdefault(clear.stack, Cleared(clear, set(), backward, step)).variables.add(variable)
                break
    return list(found.values())


def cleared_away(case: Case) -> set[int]:
    """All such variables: what keeps them from learning is the order of calls, not a loss."""
    optimizers = case.recording.optimizers.values()
    return {v for optimizer in optimizers for away in always_cleared(case, optimizer) for v in away.variables}


def _written(case: Case) -> set[int]:
    """Variables that the program updates by hand."""
    return {w.variable for w in case.recording.writes if w.variable is not None} & case.recording.hand_updated
