"""Gradients of some variables that went to others, and not to a copy that works for them.

A worker pushes its gradients to the network it was copied from, and a trial step moves fast weights: there the two are
one network at two times. Whatever else is given a gradient of another variable has its wires crossed.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.rules.case import Case, asked_once
from whygrad.rules.updates.history import Share, begins_with, trace


@dataclass(slots=True)
class Crossing:
    """Gradients of `sources`, from `backward`, that went to `targets`."""

    backward: Backward
    sources: set[int]
    targets: set[int]
    call: str


def led_astray(case: Case, at: int) -> bool:
    """Whether a step before this moment was made with the gradient of something else: it may lead anywhere."""
    crossed = crossings(case)
    return any(step.stack in crossed and step.at < at for step in case.recording.steps)


@asked_once
def crossings(case: Case) -> dict[int, Crossing]:
    """By the place where gradient and variable were put together."""
    found: dict[int, Crossing] = {}

    def add(stack: int, call: str, variable: int, shares: tuple[Share, ...]) -> None:
        wrong = {s.variable for s in shares} - case.replaced.fresh  # W202: the step was given what they replaced
        if wrong and variable not in wrong and not any(_related(case, v, variable) for v in wrong):
            one = found.setdefault(stack, Crossing(shares[0].backward, set(), set(), call))
            one.sources |= wrong
            one.targets.add(variable)

    for step in case.recording.steps:
        for variable, value in step.taken.items():
            add(step.stack, step.call, variable, trace(case, value))
    for edit in case.recording.edits:
        if edit.call == "grad =" and edit.given:
            for variable in edit.variables:
                add(edit.stack, edit.call, variable, trace(case, edit.given[0]))
    for write in case.recording.writes:
        if write.variable is not None and write.variable in case.recording.hand_updated:
            op = case.recording.ops.get(write.at)
            given = write.given or (op.inputs if op is not None else ())
            sources = [v for v in given if v not in case.content]
            shares = tuple(s for v in sources for s in trace(case, v))
            begun = {v for source in sources for v in begins_with(case, source)}
            if begun - {write.variable} != {s.variable for s in shares}:
                add(write.stack, write.by, write.variable, shares)
    return found


def crossed(case: Case) -> set[int]:
    """Variables whose gradient goes to others: that they stay as they are follows from it."""
    found: set[int] = set()
    for crossing in crossings(case).values():
        owners = {case.variable(v).network for v in crossing.sources}
        found |= crossing.sources
        found |= {v for v in crossing.backward.got if case.variable(v).network in owners}  # left over by the same step
    return found


def _related(case: Case, source: int, target: int) -> bool:
    """Whether one is a working copy of the other: workers push gradients to the network they were copied from."""
    one, two = case.variable(source), case.variable(target)
    if one.shape != two.shape:
        return False
    # Of a sum of gradients nothing is content of the variables that the gradients were computed with.
    pairs = {(c.source, c.target) for c in case.recording.copies if c.source != c.target and c.share != 0}
    pairs |= {(v.copy_of, v.id) for v in (one, two) if v.copy_of is not None}
    if (target, source) in pairs:
        return True
    if (source, target) in pairs:
        # Copied the other way: a trial step on fast weights, as long as the original learns too.
        return _moves(case, source)
    linked = {b for a, b in pairs if a in (source, target)} | {a for a, b in pairs if b in (source, target)}
    if _each_with_a_target(case, pairs, source, target):
        return False
    if linked:
        # Copied, but from another place: the gradient of one layer goes to the copy of another.
        return not any(case.variable(v).network in (one.network, two.network) for v in linked)
    # Copied unseen. A network that takes part in a loss itself has gradients of its own to wait for.
    used = any(target in case.used_by(b) for b in case.recording.backwards if b.loss is not None)
    return not used or not (one.parameter and two.parameter) or bool(one.copied or two.copied)


def _each_with_a_target(case: Case, pairs: set[tuple[int, int]], source: int, target: int) -> bool:
    """Whether both are trained on their own, and each has its own target network: twin critics."""
    asked = {v for b in case.recording.backwards if b.loss is not None for v in b.got}
    into = {b for a, b in pairs if b in (source, target)}
    ours, theirs = ({b for a, b in pairs if a == one} for one in (source, target))
    apart = bool(ours) and bool(theirs) and not ours & theirs and not (ours | theirs) & (case.trained | asked)
    # In JAX every copy is seen: one that nobody asks for is a twin whose gradient was asked of the other.
    alone = target in asked or case.recording.framework == "jax"
    return apart and not into and source in asked and alone


def _moves(case: Case, variable: int) -> bool:
    """Whether anything ever changes a variable, but for the copies that are made of it."""
    recording = case.recording
    written = any(w.variable == variable for w in recording.writes)
    return written or variable in recording.moved_later or any(variable in s.applied for s in recording.steps)
