"""Two passes over one graph: where what the first has freed goes into the second, and which of the two is at fault."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W107", "used-up"

_FORWARD = frozenset({"forward", "__call__", "call"})


def crossing(case: Case, backward: Backward, first: Backward) -> tuple[Op, Op] | None:
    """A live value made before the first backward pass and used after it: (its maker, its user)."""
    recording = case.recording
    freed = {op.at for op in case.slice(first).ops}
    part = case.slice(backward)
    walked = reach.gradient_reach(recording, part, backward.tape)
    for op in part.ops:
        if op.at < first.at or not op.carries or not any(v in walked for v in op.outputs):
            continue
        for number in op.inputs:
            value = recording.values.get(number)
            made = case.made_by.get(number)
            if value is None or made is None or value.variable is not None:
                continue
            if made.at < first.at and value.live and made.carries and made.at in freed:
                return made, op
    return None


def intrusion(case: Case, backward: Backward, first: Backward) -> Finding | None:
    """Two losses that were both computed before the first pass, which has no business in what it uses up."""
    old = _common(case, backward, first)
    borrowed = _borrowed(case, backward, first, old) if old is not None else None
    if old is None or borrowed is None:
        return None
    made = case.seen_from(network_call(case, old).stack, backward.stack)
    return _walked_for_nothing(case, backward, first, borrowed, made)


def _common(case: Case, backward: Backward, first: Backward) -> Op | None:
    """The operation, walked by both passes, after which the second goes its own way."""
    freed = {op.at for op in case.slice(first, reach.CERTAIN).ops if op.carries}
    part = case.slice(backward, reach.CERTAIN)
    walked = reach.gradient_reach(case.recording, part, backward.tape)
    for op in part.ops:
        if op.at in freed or not op.carries or not any(v in walked for v in op.outputs):
            continue
        for number in op.inputs:
            made = case.made_by.get(number)
            if made is not None and made.at in freed and number not in case.content and number in walked:
                return made
    return None


def shared(case: Case, backward: Backward, first: Backward, old: Op, new: Op) -> Finding:
    """A second loss of one update that is computed, after the first one's pass, from what that pass has freed."""
    network, freed, asked = network_call(case, old), case.site(first.stack), case.site(backward.stack)
    made, where = (case.seen_from(op.stack, backward.stack) for op in (network, new))
    borrowed = _borrowed(case, backward, first, old)
    if borrowed is not None:
        return _walked_for_nothing(case, backward, first, borrowed, made)
    steps = [(made, network.name, "computed here"), (freed, "backward", "the graph was used up here"),
             (where, new.name, "used once more here"), (asked, "backward", "and is walked again here")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(asked, where)} runs into a graph that is already used up",
        why=f"What {quoted(made)} computed was backpropagated{at_line(freed, where)}, and backward() frees what it "
        "walks. This loss is computed from it, too.",
        fix=f"where it is only a number to this loss (a weight, a target), .detach() it in {quoted(where)}; where "
        "this loss is to train it as well, add the losses and call backward() once. retain_graph=True only hides "
        "the error",
        variables=(), where=where, label="still hangs on the graph of the other loss", loss=case.loss_site(backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _borrowed(case: Case, backward: Backward, first: Backward, old: Op) -> Op | None:
    """Where the first loss takes in what it does not train: the steps after its pass leave those variables alone."""
    before = reach.backward_slice(case.recording, old.outputs[0], case.made_by, old.at + 1, reach.CERTAIN)
    shared = {case.content[v] for v in before.values if v in case.content}
    between = [step for step in case.recording.steps if first.at < step.at < backward.at]
    waits = any(optimizer.holds & shared for optimizer in case.recording.optimizers.values())
    if not between or not waits or any(step.applied & shared for step in between):
        return None
    part, common = case.slice(first, reach.CERTAIN), case.slice(backward, reach.CERTAIN).values
    taken = {v for v in common if v not in case.content and case.recording.values[v].live}
    own = (op for op in part.ops if op.carries and not any(v in common for v in op.outputs))
    return next((op for op in own if any(v in taken for v in op.inputs)), None)


def _walked_for_nothing(case: Case, backward: Backward, first: Backward, borrowed: Op, made: Site | None) -> Finding:
    """The first loss had no business in the graph that it used up."""
    where, asked = _taken_at(case, borrowed, first), case.site(backward.stack)
    steps = [(made, "call", "computed here"), (where, borrowed.name, "taken into another loss here"),
             (case.site(first.stack), "backward", "the graph was used up here"),
             (asked, "backward", "and is walked again here")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(asked, where)} runs into a graph that is already used up",
        why=f"The loss that {quoted(where)} belongs to is not there to train what {quoted(made)} is computed with, and "
        "its pass walks through it all the same. backward() frees what it walks.",
        fix=f".detach() what comes from {quoted(made)} in {quoted(where)}: to this loss it is a number. "
        "retain_graph=True only hides the error",
        variables=(), where=where, label="hangs on a graph that another loss is to walk",
        loss=case.loss_site(first),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip


def _taken_at(case: Case, borrowed: Op, first: Backward) -> Site | None:
    """Where a loss takes in what it does not train: the call, or the line in the method that the loss is made by."""
    where, stack = case.seen_from(borrowed.stack, first.stack), case.stack(borrowed.stack)
    index = stack.index(where) if where in stack else 0
    while index > 0:
        owner, _, name = stack[index - 1].function.rpartition(".")
        if not owner or name in _FORWARD:
            break
        index -= 1
    return stack[index] if stack else where


def network_call(case: Case, op: Op) -> Op:
    """The last operation before (or at) this one that reads a variable: where the old graph comes from."""
    values = case.recording.values
    todo, seen = [op], {op.at}
    found = []
    while todo:
        one = todo.pop()
        if any(values[v].variable is not None for v in one.inputs if v in values):
            found.append(one)
            continue
        for number in one.inputs:
            made = case.made_by.get(number)
            if made is not None and made.at not in seen and made.carries:
                seen.add(made.at)
                todo.append(made)
    return max(found, key=lambda one: one.at, default=op)
