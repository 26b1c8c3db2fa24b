"""TensorFlow: a gradient that is asked of the wrong variables, all of them None, and handed to the right ones.

`tape.gradient(loss_2, critic_1.trainable_variables)`: the loss does not depend on what it is asked for. That the first
critic has a loss of its own, and learns, hides it; what the second one is given are Nones, and Keras refuses the step.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.ownership import within_reach
from whygrad.rules.updates.asked_of_copies import asked_of_copies
from whygrad.rules.wording import at_line, plain_subject, subject, verb


def asked_in_vain(case: Case) -> dict[int, tuple[Backward, Step]]:
    """By place: requests of a loss that could train just what the step was given, and is never asked for that."""
    recording = case.recording
    found: dict[int, tuple[Backward, Step]] = {}
    told = {copied.backward.stack for copied in asked_of_copies(case)}
    for backward in recording.backwards if recording.framework == "tensorflow" else ():
        if backward.implicit or backward.got or backward.error or not backward.wanted or backward.stack in told:
            continue
        step = next((s for s in recording.steps if s.at > backward.at and _without(s, backward)), None)
        if step is None or not step.without <= within_reach(case, backward):
            continue
        if not any(step.without & set(b.wanted) for b in recording.backwards):
            told.add(backward.stack)
            found[backward.stack] = backward, step
    return found


def findings(case: Case) -> Iterator[Finding]:
    """One for each place that asks."""
    for backward, step in asked_in_vain(case).values():
        yield _finding(case, backward, step)


def _without(step: Step, backward: Backward) -> bool:
    """Whether a step was given as many Nones as the request returned, and for other variables."""
    others = not step.without & set(backward.wanted)
    return not step.applied and others and len(step.without) == len(backward.wanted)


def _finding(case: Case, backward: Backward, step: Step) -> Finding:
    asked, ours = set(backward.wanted), set(step.without)
    where, applied, loss = case.site(backward.stack), case.site(step.stack), case.loss_site(backward)
    theirs = plain_subject(case, asked)
    steps = [(where, backward.call, f"asks for {theirs}, and gets None"), (applied, step.call, "has nothing to apply")]
    return Finding(
        code="W204", rule="crossed-wires", severity="error",
        message=f"{subject(case, ours)} {verb(ours, case, 'comes', 'come')} to the step without a gradient: that of "
        f"{theirs} is asked for, which the loss{at_line(loss, where)} does not use",
        why=f"The loss is computed with {plain_subject(case, ours)}, and nothing asks for "
        f"{verb(ours, case, 'its', 'their')} gradient; for {theirs} the answer is None.",
        fix=f"ask for the gradient of {plain_subject(case, ours)} here",
        variables=case.names(ours), where=where, label=f"asks for {theirs}, and the result goes to "
        f"{plain_subject(case, ours)}", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
