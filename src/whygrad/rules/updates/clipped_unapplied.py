"""Gradients that are values: clipped ones were computed, and the optimizer is given the ones from before."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Edit, Step
from whygrad.flow.site import Stack, shared_site
from whygrad.flow.source import is_statement
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.clipped_before_unscaling import divided_afterwards
from whygrad.rules.updates.clipped_by_hand import BY_HAND
from whygrad.rules.updates.history import comes_through
from whygrad.rules.wording import at_line, quoted, subject

CODE, NAME = "W303", "clipped-out-of-order"


def clipped_unapplied(case: Case, clips: list[Edit]) -> Iterator[Finding]:
    """Clipped gradients were computed, and the optimizer was given the ones from before."""
    made = {value for clip in clips for value in clip.made}
    given = {value for clip in clips for value in clip.given}
    given |= {source for value in given for source in _read_from(case, value)}
    with_, without = list[Step](), list[Step]()
    for step in case.recording.steps:
        taken = set(step.taken.values())
        if any(comes_through(case, value, made) for value in taken):
            with_.append(step)
        elif any(comes_through(case, value, given) for value in taken):
            without.append(step)
    jax = case.recording.framework == "jax"
    if jax and with_:
        yield from divided_afterwards(case, clips)
    if with_ or not without:
        return
    if jax and any(v in made - given for op in case.recording.ops.values() for v in op.inputs):
        return  # it serves something else: a norm, a similarity, a plot
    clip, step = clips[0], without[0]
    late = clip.at > step.at
    if late and _clipped_before(case, clips):
        return  # the step got clipped ones; what is clipped once more afterwards is for showing
    clipped, applied = case.site(clip.stack), case.site(step.stack)
    if clip.call == BY_HAND or (jax and clip.limit is None):
        clipped = case.seen_from(clip.stack, step.stack)  # in the function that has both
    elif not late:  # a helper may clip and return them; the line that takes nothing from it is the one to change
        clipped = next((site for site in _up_to(case, clip, step) if is_statement(site)), clipped)
    dropped = not late and clipped is not None and (jax or is_statement(clipped))
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the gradients clipped by {quoted(clipped, clip.call)}"
        f"{at_line(clipped, clipped)} are not the ones "
        f"that are applied to {subject(case, step.applied)}",
        why=f"{clip.call} returns new gradients and leaves the given ones as they are. "
        + ("They are made after the step here." if late else "The step is given the ones from before."),
        fix=f"clip before {quoted(applied, 'the step')}, and give it the result"
        if late
        else f"give the result of {quoted(clipped, clip.call)} to {quoted(applied, 'the step')}",
        variables=case.names(step.applied), where=clipped or applied,
        label="too late: the step has applied them" if late else "its result is dropped" if dropped
        else "the step is not given what this returns",
        path=stations((clipped, clip.call, "clipped here"), (applied, step.call, "applied here")),
    )  # fmt: skip


def _read_from(case: Case, value: int) -> tuple[int, ...]:
    """TensorFlow: the content of a variable, where a value was read from one: a sum of gradients."""
    made = case.made_by.get(value)
    return made.inputs if made is not None and made.name == "read_value" else ()


def _up_to(case: Case, clip: Edit, step: Step) -> Stack:
    """Where the clipping was called from, out to the function that has the step; further out both are one call."""
    sites = case.stack(clip.stack)
    shared = shared_site(sites, case.stack(step.stack))
    return sites[: sites.index(shared) + 1] if shared is not None else sites


def _clipped_before(case: Case, clips: list[Edit]) -> bool:
    """Whether what is clipped here comes out of another clipping."""
    others = {v for e in case.recording.edits if e.kind == "clip" and e not in clips for v in e.made}
    return bool(others) and all(comes_through(case, value, others) for clip in clips for value in clip.given)
