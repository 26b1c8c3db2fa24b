"""PyTorch: a second backward pass over a graph that one pass has freed, and the line that brought the graph there."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import is_store, keeps_own_state, put_away
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import SHAPING
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W107", "used-up"


def walked_twice(case: Case, backward: Backward) -> Finding:
    """The pass that failed, told at the line that brought the old graph to it."""
    where = case.site(backward.stack)
    earlier = [b for b in case.recording.backwards if b.at < backward.at and not b.error and b.loss is not None]
    crossings = ((b, found) for b in reversed(earlier) if (found := _crossing(case, backward, b)))
    first, crossing = next(crossings, (None, None))
    path: list[PathStep] = []
    if first is not None and crossing is not None:
        old, new = crossing
        made, used = case.seen_from(old.stack, backward.stack), case.seen_from(new.stack, backward.stack)
        inner = case.site(old.stack)
        if inner is not None and inner.function.endswith("__init__"):
            made = inner  # an object keeps it from its making on: what it is made by is not the fault
        if made is not None and used is not None:
            kept = False
            if made == used or inner == case.site(new.stack):
                made, used = _within(case, old, new) or (made, used)
            if all(b.stack != backward.stack for b in earlier):
                return _shared(case, backward, first, old, new)
            if (made.file, made.line) != (used.file, used.line):
                network = _network_call(case, old)
                kept = _called_anew(case, backward, first, network)
                named = _stored(case, old) if kept else network
                made = case.seen_from(named.stack, backward.stack) or made
            where = made
            path = [
                PathStep(made, old.name, "computed here, before the first backward"),
                PathStep(used, new.name, "used again here, after it"),
            ]
            return _carried(case, backward, where, made, used, path, kept)
    once = case.loss_site(backward)
    if once is not None and where is not None and once != where and _same_loss(backward, earlier):
        path = [PathStep(once, "loss", "computed here, once"), PathStep(where, "backward", "and walked again here")]
        return _carried(case, backward, once, once, where, path, False)
    used_up = case.site(earlier[-1].stack) if earlier else None
    if used_up is not None:
        path.append(PathStep(used_up, "backward", "the graph was used up here"))
    if where is not None:
        path.append(PathStep(where, "backward", "and is walked again here"))
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message="the same graph is backpropagated twice",
        why="backward() frees what it needs as it goes; a second pass over the same operations finds nothing.",
        fix="add the losses and call backward() once: (loss_1 + loss_2).backward(); retain_graph=True hides the "
        "error and keeps "
        "every old graph in memory",
        variables=(), where=where, label="this graph has been walked already", loss=case.loss_site(backward),
        path=tuple(path),
    )  # fmt: skip


def _same_loss(backward: Backward, earlier: list[Backward]) -> bool:
    """Whether one line asks for the gradients of one loss, over and over: the loss stands before the loop."""
    return any(b.loss == backward.loss and b.stack == backward.stack for b in earlier)


def _shared(case: Case, backward: Backward, first: Backward, old: Op, new: Op) -> Finding:
    """A second loss of one update that is computed, after the first one's pass, from what that pass has freed."""
    network, freed, asked = _network_call(case, old), case.site(first.stack), case.site(backward.stack)
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
    where, asked = case.seen_from(borrowed.stack, first.stack), case.site(backward.stack)
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


def _carried(
    case: Case, backward: Backward, where: Site, made: Site, used: Site, path: list[PathStep], kept: bool
) -> Finding:
    same = (made.file, made.line) == (used.file, used.line)
    if same:
        label = "the result of the last update goes in again here, with its whole history"
        if is_store(made):
            label = "kept here for the next update, with its whole history"
        why = "State that is carried from one update to the next still hangs on the graph that backward() has freed."
        fix = "cut it between updates: h = h.detach() (for an LSTM both parts); retain_graph=True only hides the error"
    elif kept:
        label = "kept with its whole history, and compared with in every update"
        why = (
            "The network is called anew for each update; this is a record of what it said before the first one, and it "
            "still hangs on the graph that backward() has freed."
        )
        fix = (
            "keep the numbers alone: .detach() what is stored here, or compute it under torch.no_grad(); "
            "retain_graph=True only hides the error"
        )
    else:
        label = "computed once, and backpropagated in every update"
        why = (
            "backward() frees the operations it has walked; this result is from before the first backward() "
            "and is used again."
        )
        fix = f"compute {quoted(made)} anew in each update; retain_graph=True only hides the error"
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the backward pass{at_line(case.site(backward.stack), where)} runs into a graph that is "
        "already used up",
        why=why, fix=fix, variables=(), where=where, label=label, loss=case.loss_site(backward), path=tuple(path),
    )  # fmt: skip


def _within(case: Case, old: Op, new: Op) -> tuple[Site, Site] | None:
    """Both inside of one call of the model, which keeps the state itself: the lines there."""
    one, other = case.site(old.stack), case.site(new.stack)
    if one is None or other is None or not one.own or (one.file, one.function) != (other.file, other.function):
        return None
    if keeps_own_state(other):
        return one, other
    stored = put_away(other)
    return (stored, stored) if stored is not None else None


def _called_anew(case: Case, backward: Backward, first: Backward, network: Op) -> bool:
    """Whether the second loss calls the same layer again, after the first backward pass."""
    layer = {case.content[v] for v in network.inputs if v in case.content}
    after = (op for op in case.slice(backward).ops if op.at > first.at and op.carries)
    return any(case.content.get(v) in layer for op in after for v in op.inputs)


def _stored(case: Case, op: Op) -> Op:
    """Where a result was put away: the line that computed it, or wrote it to the buffer that was then reshaped."""
    written = {write.at for write in case.recording.writes}
    one = op
    while one.name in SHAPING and one.at not in written:
        alive = [made for v in one.inputs if (made := case.made_by.get(v)) is not None and made.carries]
        if len(alive) != 1:
            break
        one = alive[0]
    return one if one.at in written else op


def _network_call(case: Case, op: Op) -> Op:
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


def _crossing(case: Case, backward: Backward, first: Backward) -> tuple[Op, Op] | None:
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
