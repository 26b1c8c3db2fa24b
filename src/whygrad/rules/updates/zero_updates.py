"""Gradients that arrive, and of which every update is zero: a rate of 0, a mask that leaves everything out."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.dropped_sums import dropped_sums, emptied_sums
from whygrad.rules.updates.gradient_source import gradient_source
from whygrad.rules.updates.left_out_by import left_out_by, zeros_by
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W201", "not-in-optimizer"
FROZEN = "W109", "frozen"
_ROUNDS = 3
_UPDATES = "update_fn"
"""What Optax calls the function that makes updates."""


def zero_updates(case: Case) -> Iterator[Finding]:
    """By an optimizer that leaves all variables alone, and by one whose steps have no length."""
    yield from _all_zero(case)
    yield from _biases_left_out(case)
    yield from _zero_rates(case) if case.recording.framework == "jax" else _rates_of_zero(case.over_time)


def _all_zero(case: Case) -> Iterator[Finding]:
    """JAX: an optimizer that leaves every variable alone; one that leaves some alone was told to.

    Where the program says so itself, by a mask or by labels, it has frozen them: that is W109.
    """
    recording = case.recording
    places: dict[int, set[int]] = {}
    for variable, stack in recording.unmoved.items():
        places.setdefault(stack, set()).add(variable)
    moving = {step.stack for step in recording.steps if step.applied}
    moved = {v for step in recording.steps for v in step.applied}
    fallen = {v for one in (*dropped_sums(case), *emptied_sums(case)) for v in one.variables}  # W206, W301
    for stack, members in places.items():
        members -= fallen
        backward = next((b for b in recording.backwards if b.got & members and not b.implicit), None)
        where = case.site(stack)
        if stack in moving or members & moved or backward is None or where is None:
            continue
        loss = case.loss_site(backward)
        other = _given_instead(case, backward, stack, members)
        if other is not None:
            yield _not_the_gradient(case, members, (other, where, loss))
            continue
        told = left_out_by({site.file for sites in recording.stacks for site in sites if site.own})
        code, name = FROZEN if told is not None else (CODE, NAME)
        yield Finding(
            code=code, rule=name, severity="error",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} a gradient, and every update that "
            "the optimizer makes of it is zero",
            why=f"The updates that are applied{at_line(where, told) if told else ' here'} were made without the "
            "gradient: a mask, a label or set_to_zero leaves all variables out, so that none is trained.",
            fix="look at the mask or the labels that the optimizer was built with (optax.masked, multi_transform, "
            "set_to_zero): they must select what is to learn",
            variables=case.names(members), where=told or where,
            label="selects no variable" if told is not None else "every update that is applied here is zero",
            loss=loss, path=tuple(PathStep(site, op, role) for site, op, role in [
                (told, "optimizer", "the optimizer is told what to leave alone"),
                (loss, "loss", "the loss, which gives them a gradient"), (where, "update", "zeros are applied here"),
            ] if site is not None),
        )  # fmt: skip


def _biases_left_out(case: Case) -> Iterator[Finding]:
    """JAX: labels by which every vector of every layer keeps its first numbers, while the layers' matrices learn.

    Who freezes parts of a network freezes layers, or matrices beside which adapters learn. What was to have another
    optimizer (biases, without decay) was given none.
    """
    recording = case.recording
    unmoved, moved = set(recording.unmoved), {v for step in recording.steps for v in step.applied}
    matrices = {case.variable(v).owner for v in moved - unmoved if len(case.variable(v).shape) > 1}
    beside = {v for v in recording.variables if case.variable(v).owner in matrices}
    vectors = {v for v in beside if len(case.variable(v).shape) == 1}
    backward = next((b for b in recording.backwards if b.got & vectors and not b.implicit), None)
    kept = len(vectors) >= _ROUNDS and vectors <= unmoved and unmoved & beside == vectors
    files = {site.file for sites in recording.stacks for site in sites if site.own}
    told = zeros_by(files) if kept and recording.framework == "jax" else None
    if told is None or backward is None:
        return
    loss = case.loss_site(backward)
    yield Finding(
        code=FROZEN[0], rule=FROZEN[1], severity="warning",
        message=f"{subject(case, vectors)} {verb(vectors, case, 'keeps its', 'keep their')} first values: every vector "
        "of layers whose matrices learn",
        why="set_to_zero() drops the updates of what these labels select. It freezes; it is not the optimizer without "
        "decay that biases and scales are given.",
        fix=f"give them an optimizer in the place of {quoted(told)}: the same one, without weight decay",
        variables=case.names(vectors), where=told, label="makes every update of these zero", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in [
            (told, "optimizer", "drops their updates"), (loss, "loss", "the loss, which gives them a gradient"),
        ] if site is not None),
    )  # fmt: skip


def _given_instead(case: Case, backward: Backward, applied: int, members: set[int]) -> Site | None:
    """The call that gives the optimizer what the program made itself, without the gradient."""
    shapes = {case.variable(v).shape for v in members}
    came = set(backward.given.values())
    made: dict[int, bool] = {}  # what the program computed since: does it come of the gradient?
    for op in case.recording.ops.values():
        if op.at <= backward.at or op.stack == applied:
            if op.at > backward.at:
                return None
            continue
        if op.inside == _UPDATES:
            strange = [v for v in op.inputs if made.get(v) is False and case.recording.values[v].shape in shapes]
            return case.site(op.stack) if strange else None
        made.update(dict.fromkeys(op.outputs, any(v in came or made.get(v, False) for v in op.inputs)))
    return None


def _not_the_gradient(case: Case, members: set[int], sites: tuple[Site, Site, Site | None]) -> Finding:
    where, applied, loss = sites
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} a gradient, and the optimizer is given "
        "something else",
        why="What the optimizer is given here is not made of the gradient, and the updates that it makes of it are "
        "zero.",
        fix=f"give the gradient to {quoted(where)}",
        variables=case.names(members), where=where, label="the gradient does not go in here",
        loss=loss, path=tuple(PathStep(site, op, role) for site, op, role in [
            (loss, "loss", "the loss, which gives them a gradient"), (applied, "update", "zeros are applied here"),
        ] if site is not None),
    )  # fmt: skip


def _zero_rates(case: Case) -> Iterator[Finding]:
    """JAX: gradients arrive, and every update that is made of them is exactly zero, for all that the step is given."""
    recording = case.recording
    waits = {"cond", "select_n"}  # an optimizer that decides for itself when to apply what it gathered
    if any(op.inside and op.name in waits and not op.tapes for op in recording.ops.values()):  # in a loss it is a mask
        return
    for optimizer in recording.optimizers.values():
        steps = [s for s in recording.steps if s.optimizer == optimizer.id and s.error is None and s.applied]
        members = {v for s in steps for v in s.applied}
        if len(steps) < _ROUNDS or members & recording.moved_later or recording.cut_short:
            continue
        if not all(_nothing_of_much(case, s) for s in steps):
            continue
        where, backward = case.site(steps[0].stack), gradient_source(case, members)
        loss = case.loss_site(backward)
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} a gradient, and every update that "
            "the optimizer makes of it is zero",
            why=f"In all of the {len(steps)} updates that were looked at, the gradient was not zero and what was added "
            "to the weights was: the learning rate is zero, or a mask leaves everything out.",
            fix="print the learning rate that the optimizer really uses (a schedule that ends at zero, a closure in a "
            "loop that sees the last value), and the masks it was built with",
            variables=case.names(members), where=where, label="every update that is applied here is zero", loss=loss,
            path=tuple(PathStep(site, op, role) for site, op, role in [
                (loss, "loss", "the loss, which gives them a gradient"), (where, "update", "zeros are applied here"),
            ] if site is not None), seen=len(steps),
        )  # fmt: skip


def _rates_of_zero(case: Case) -> Iterator[Finding]:
    """PyTorch, TensorFlow: an optimizer whose learning rate is zero in every step; one that warms up has more soon."""
    recording = case.recording
    for optimizer in recording.optimizers.values():
        steps = [s for s in recording.steps if s.optimizer == optimizer.id and s.error is None and s.applied]
        members = {v for s in steps for v in s.applied if v in s.gradients and s.gradients[v].norm > 0}
        if len(steps) < _ROUNDS or not members or recording.cut_short or any(s.rate != 0 for s in steps):
            continue
        stepped, built = case.site(steps[-1].stack), case.site(optimizer.created)
        where, loss = built or stepped, case.loss_site(gradient_source(case, members))
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} a gradient, and every step is "
            "zero: the learning rate is 0",
            why="A step moves the weights by the learning rate times the gradient. It was 0 in all of the "
            f"{len(steps)} updates that were looked at.",
            fix="give the optimizer a learning rate above zero, or look at the schedule that sets it",
            variables=case.names(members), where=where, label="its learning rate is 0", loss=loss,
            path=tuple(PathStep(site, op, role) for site, op, role in [
                (built, "optimizer", "made here"), (loss, "loss", "the loss, which gives them a gradient"),
                (stepped, "step", "changes nothing"),
            ] if site is not None), seen=len(steps),
        )  # fmt: skip


def _nothing_of_much(case: Case, step: Step) -> bool:
    """Whether a step adds zeros only, though a gradient that is not zero came for one of its variables."""
    values = case.recording.values
    changes = [values[n].numbers if n in values else None for v, n in step.taken.items() if v in step.applied]
    came = any(n.norm > 0 for v, n in step.gradients.items() if v in step.applied)
    return came and bool(changes) and all(n is not None and n.all_zero for n in changes)
