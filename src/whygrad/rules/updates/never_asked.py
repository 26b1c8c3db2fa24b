"""JAX: arrays that an optimizer was begun for, and a loss made with them that is differentiated for others alone.

`jax.grad` takes the first argument unless `argnums` says otherwise, so that `jax.grad(actor_loss)(critic, actor, s)`
is a gradient of the critic. Nothing fails where both are updated by functions that take any tree.
"""

from __future__ import annotations

from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.variables import Begun
from whygrad.rules.case import Case


@dataclass(slots=True)
class NeverAsked:
    """What was begun, and the pass that asked for the gradient of others."""

    begun: Begun
    backward: Backward
    times: int
    inside: bool
    """Whether the differentiated function uses them; else it is given what was computed with them before."""


def never_asked(case: Case) -> list[NeverAsked]:
    """Losses that should train what an optimizer was begun for, and were asked for something else.

    That a loss is made with them is no proof: a critic's targets are made with the actor. It is one where the program
    then fails for want of an update that fits, or where what is trained instead has another loss of its own.
    """
    recording = case.recording
    if recording.framework != "jax" or recording.cut_short:
        return []
    passes = [b for b in recording.backwards if b.loss in recording.values and b.got and not b.error and not b.implicit]
    found = []
    for begun in recording.begun:
        if recording.asked_for(begun):
            continue
        using = [b for b in passes if begun.values <= _made_with(case, b)]
        used_up = bool(using) and using[-1] is passes[-1] and all(s.at < using[-1].at for s in recording.steps)
        wrong = [b for b in using if _has_its_own(case, b, using, passes)]
        if not wrong and recording.failed and used_up:
            wrong = [b for b in using if b.stack == using[-1].stack]  # the one after which it failed
        if wrong:
            inside = begun.values <= case.slice(wrong[0], reach.CERTAIN).values
            found.append(NeverAsked(begun, wrong[0], sum(b.stack == wrong[0].stack for b in wrong), inside))
    return found


def _made_with(case: Case, backward: Backward) -> set[int]:
    """All that a loss was made with, and what was made before and handed to the differentiated function."""
    found = set(case.slice(backward, reach.CERTAIN).values)
    for op in (case.made_by.get(value) for value in backward.read.values()):
        for value in op.inputs if op is not None else ():
            found |= set(reach.backward_slice(case.recording, value, case.made_by, backward.at, reach.CERTAIN).values)
    return found


def _has_its_own(case: Case, backward: Backward, using: list[Backward], passes: list[Backward]) -> bool:
    """Whether what a loss moves is moved by another loss too, which is made without those arrays."""
    places = {b.stack for b in using}
    moved = {v for s in case.recording.steps for v in s.applied}
    return any(b.stack not in places and b.got & backward.got & moved for b in passes)
