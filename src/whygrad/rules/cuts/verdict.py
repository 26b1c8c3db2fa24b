"""From "the gradient stops at this operation" to "this is the rule, the line and the way there".

The rules W101–W104, W107 and W108 all start from the same cuts; what tells them apart is the nature of the
operation and what had been switched off around it. It is worked out once, here, and each rule takes its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op, Switch, Tape
from whygrad.flow.site import Site, shared_site
from whygrad.flow.source import line_text
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.loss_of_another_tape import own_loss
from whygrad.rules.cuts.missing import Missing, missing_gradients
from whygrad.rules.targets.objective import SHAPING
from whygrad.rules.updates.swapped import swapped_variables

GRAD, CHECKPOINT = "autograd.grad", "CheckpointFunction"
"""PyTorch: what runs without being recorded, unless it is told to (`create_graph`) or given a live tensor."""

_BUILDS = frozenset({"build", "__init__"})
"""Methods in which a layer makes its variables, once and for all."""

_FORWARD = frozenset({"call", "__call__", "forward"})
"""Methods that a framework calls when a network is called."""


@dataclass(slots=True)
class Verdict:
    """One place where the gradient of some variables stops, and which rule it falls under."""

    code: str
    backward: Backward
    variables: frozenset[int]
    op: Op
    where: Site | None
    update: int
    seen: int
    switch: Switch | None = None
    switch_site: Site | None = None
    tape: Tape | None = None
    entry: Op | None = None
    """Where what had left the framework came back."""
    cut_site: Site | None = None
    """Where the gradient stopped first, when what is named lies behind it."""
    first: Op | None = None
    """The operation of the network itself that comes last before the cut."""
    others: list[Op] = field(default_factory=list)
    idle: bool = False
    """The variables learn from other terms of the loss; the one that is cut here trains nobody."""
    penalised: bool = False
    """They learn from penalties on their own output alone; the term that is cut here trains others."""
    built: Site | None = None
    """TensorFlow: the line in `build` or `__init__` that computed it, once, where a layer did."""


@asked_once
def verdicts(case: Case) -> list[Verdict]:
    """Every cut, under its rule; cuts at one expression are one verdict."""
    merged: dict[tuple[str, str, int], Verdict] = {}
    misplaced = swapped_variables(case)  # W204: an optimizer waits for them after a loss that is not theirs
    for missing in missing_gradients(case):
        if own_loss(case, missing.backward) is not None:
            continue  # W105: the wrong loss is asked
        for cut in missing.cuts:
            if cut.variables <= misplaced:
                continue
            verdict = judge(case, missing, cut)
            place = (verdict.where.file, verdict.where.line) if verdict.where is not None else ("", 0)
            known = merged.get((verdict.code, *place))
            if known is None:
                merged[verdict.code, *place] = verdict
            else:
                known.variables |= verdict.variables
                known.others.append(verdict.op)
    return _best_explained(case, list(merged.values()))


def _best_explained(case: Case, found: list[Verdict]) -> list[Verdict]:
    """One faulty line, reached from two places: the way that stays in the framework tells more.

    In JAX a copy of the parameters (a target's first content) is an operation outside every gradient; what stops the
    gradient inside the differentiated function counts before it.
    """
    if case.recording.framework == "jax":
        within = {v for one in found if one.code != "W101" for v in one.variables}
        found = [one for one in found if one.code != "W101" or not one.variables <= within]
    for one in [v for v in found if v.code == "W102" and _statistic(case, v)]:
        if any(other.code != "W102" and one.variables <= other.variables for other in found):
            found.remove(one)  # a scale is stopped on purpose; what stops the weights themselves is the fault
    beside = {v for one in found if _beside_tape(case, one) for v in one.variables}
    far = [v for v in found if v.code == "W101" and v.tape is not None and not _beside_tape(case, v)]
    found = [v for v in found if v not in far or not v.variables <= beside]
    on_tape = {v for one in found if one.code == "W103" and _recorded(one) for v in one.variables}
    found = [v for v in found if v.code != "W103" or _recorded(v) or not v.variables <= on_tape]
    inside = {v.cut_site for v in found if v.code != "W103"}
    return [v for v in found if v.code != "W103" or v.op.kind != "leave" or v.cut_site not in inside]


def _statistic(case: Case, verdict: Verdict) -> bool:
    """Whether what is stopped is one number for a whole tensor."""
    values = case.recording.values
    return all(size == 1 for v in verdict.op.outputs if v in values for size in values[v].shape)


def _beside_tape(case: Case, verdict: Verdict) -> bool:
    """TensorFlow: computed just outside of the tape, in its own function; what comes from further away is data."""
    opened = case.site(verdict.tape.stack) if verdict.tape is not None and verdict.code == "W101" else None
    where = verdict.where
    return opened is not None and where is not None and (where.file, where.function) == (opened.file, opened.function)


def _recorded(verdict: Verdict) -> bool:
    """TensorFlow: it left while the tape was recording; what left before (a rollout) is data to this loss."""
    return verdict.backward.tape is not None and verdict.backward.tape in verdict.op.tapes


def judge(case: Case, missing: Missing, cut: reach.Cut) -> Verdict:
    """The rule that a cut falls under, and its line."""
    op = cut.op
    verdict = Verdict("W104", missing.backward, cut.variables, op, case.site(op.stack), missing.update, missing.seen)
    verdict.first = _last_of_network(case, missing, cut)
    verdict.cut_site = verdict.where
    tape = case.recording.tapes.get(missing.backward.tape) if missing.backward.tape is not None else None
    left = _leaves_after(case, missing, op)
    if left is not None:
        verdict.code, verdict.op, verdict.where = "W103", left, case.site(left.stack)
        verdict.entry = _entry_of(case, left)
    elif op.name == "captured":
        verdict.code, verdict.where = (
            "W105",
            case.seen_from(_own_capture(case, missing, cut).stack, missing.backward.stack),
        )
    elif tape is not None and tape.id not in op.tapes:
        _judge_tape(case, verdict, tape, missing, cut)
    elif op.switch is not None:
        _judge_switch(case, verdict, case.recording.switches[op.switch])
    elif op.name in (GRAD, CHECKPOINT):
        verdict.code = "W101"  # it computes, and leaves no trace to differentiate
    elif op.kind == "stop" and (index := _index_behind(case, missing, op)) is not None:
        verdict.op, verdict.where = index, case.site(index.stack)  # without the stop nothing would come through either
    elif op.kind == "stop":
        verdict.code = "W102"
    elif op.kind == "write":
        verdict.code = "W108"
    return verdict


def _own_capture(case: Case, missing: Missing, cut: reach.Cut) -> Op:
    """JAX: where the parameters were taken from around the function, in the last update of this loss.

    A target begins with the very arrays of its network: in the first update the one that is called first stands for
    both. They are told apart once the network or its target has moved.
    """
    passes = [b for b in case.recording.backwards if b.stack == missing.backward.stack and b.tape is not None]
    last = passes[-1] if passes else missing.backward
    held = {last.read[v] for v in cut.variables if v in last.read}
    taken = (op for op in case.slice(last, reach.CERTAIN).ops if op.name == "captured" and held.intersection(op.inputs))
    return next(taken, cut.op)


def _judge_tape(case: Case, verdict: Verdict, tape: Tape, missing: Missing, cut: reach.Cut) -> None:
    op = cut.op
    verdict.tape = tape
    if tape.closed is not None and op.at > tape.closed:
        verdict.code = "W107"
        op = verdict.op = _first_to_compute(missing, op)
    elif op.switch is not None:
        verdict.code = "W101"
        _judge_switch(case, verdict, case.recording.switches[op.switch])
        return
    else:
        verdict.code = "W101"
    verdict.built = _while_built(case, op, tape)
    if verdict.built is not None:
        verdict.where = verdict.built
        return
    shared = shared_site(case.stack(op.stack), case.stack(tape.stack))
    verdict.where = _own_call(case, verdict, missing, shared or _caller(case, op))


def _first_to_compute(missing: Missing, op: Op) -> Op:
    """What comes too late for a tape is the first arithmetic: the loss, and not what brings its inputs into shape."""
    shaped = set(op.outputs) if op.name in SHAPING else set()
    for later in missing.part.ops:
        if later.at > op.at and any(v in shaped for v in later.inputs):
            if later.name not in SHAPING:
                return later
            shaped.update(later.outputs)
    return op


def _while_built(case: Case, op: Op, tape: Tape) -> Site | None:
    """Where a layer computes something from its variables while it makes them, to use the result in every call."""
    around = {site.function for site in case.stack(tape.stack)}
    inside = (s for s in case.stack(op.stack) if s.own and s.function.rpartition(".")[2] in _BUILDS)
    found = next(inside, None)
    return found if found is not None and "." in found.function and found.function not in around else None


def _caller(case: Case, op: Op) -> Site | None:
    """Who called the network, where that was in another function than the tape: what is to be moved is the call."""
    stack = case.stack(op.stack)
    outside = (site for site in stack if site.function.rpartition(".")[2] not in _FORWARD)
    return next(outside, None) or case.site(op.stack)


def _own_call(case: Case, verdict: Verdict, missing: Missing, site: Site | None) -> Site | None:
    """The call of the network itself, where the one beside the tape runs other networks too (a whole rollout).

    Not where those are without a gradient as well: then the whole call should have been recorded.
    """
    stack = case.stack(verdict.op.stack)
    if site is None or site not in stack:
        return site
    networks = {case.variable(v).network for v in verdict.variables | missing.variables}
    for index in range(stack.index(site), -1, -1):
        read = case.reads_under.get(stack[index:], set())
        if {case.variable(v).network for v in read if case.variable(v).trainable} <= networks:  # no seeds, no averages
            return stack[index]
    return site


def _judge_switch(case: Case, verdict: Verdict, switch: Switch) -> None:
    verdict.switch = switch
    if switch.inside:
        # A library turned recording off for itself: drawing a sample does that, and so do metrics.
        verdict.code = "W104"
        return
    verdict.code = "W101"
    stack, switched = case.stack(verdict.op.stack), case.stack(switch.stack)
    verdict.switch_site = switched[0] if switched else None
    shared = shared_site(stack, switched)
    if shared is None:  # switched off somewhere else, and never on again
        verdict.where = verdict.switch_site or verdict.where
        return
    verdict.where = shared
    if verdict.switch_site is not None and _for_good(verdict.switch_site):
        verdict.where = verdict.switch_site
    if switch.decorator:
        index = stack.index(shared)
        if index > 0:
            inside = stack[index - 1]
            verdict.where = inside
            first = inside.first_line
            verdict.switch_site = Site(inside.file, first, 0, first, 0, inside.function, inside.own, first)


def _for_good(site: Site) -> bool:
    """`torch.set_grad_enabled(False)` as a statement: it holds for all that follows, and is the line to change."""
    text = line_text(site.file, site.line).strip()
    return text.startswith(("torch.set_grad_enabled(", "set_grad_enabled("))


def _leaves_after(case: Case, missing: Missing, op: Op) -> Op | None:
    """The operation at which the value left the framework, at the cut itself or soon behind it."""
    if op.kind == "leave" or (op.kind == "enter" and op.inputs):
        return op
    if op.kind not in ("stop", "compute", "discrete"):
        return None
    if op.kind == "compute" and op.switch is None and missing.backward.tape is None:
        return None
    if op.switch is not None and _arrives(missing, op):
        return None
    part = missing.part
    follow = set(op.outputs)
    for later in part.ops:
        if later.at <= op.at or not any(v in follow for v in later.inputs):
            continue
        if later.kind == "leave" or (later.kind == "enter" and later.inputs):
            return later
        if later.kind == "discrete":
            continue
        follow.update(later.outputs)
    return None


def _index_behind(case: Case, missing: Missing, stop: Op) -> Op | None:
    """The one operation that makes whole numbers of what was stopped (an index, a comparison), if no way leads past it.

    `torch.max(out.data, 1)[1]`: of two walls, one behind the other, that is the one which no gradient ever passes.
    """
    values, part = case.recording.values, missing.part
    follow, found = set(stop.outputs), list[Op]()
    for later in part.ops:
        if later.at <= stop.at or not any(v in follow for v in later.inputs):
            continue
        made = [v for v in later.outputs if v in part.values]
        if made and not any(values[v].floating for v in made):
            found.append(later)
        else:
            follow.update(later.outputs)
    return found[0] if part.loss not in follow and len({op.stack for op in found}) == 1 else None


def _arrives(missing: Missing, op: Op) -> bool:
    """Whether the loss is computed from a result on a way that stays in the framework."""
    follow = set(op.outputs)
    for later in missing.part.ops:
        if later.at > op.at and later.kind in ("compute", "stop") and any(v in follow for v in later.inputs):
            follow.update(later.outputs)
    return missing.part.loss in follow


def _entry_of(case: Case, left: Op) -> Op | None:
    if left.kind == "enter":
        return None
    entered = [h.entered for h in case.recording.handovers if h.left == left.at]
    return case.recording.ops.get(entered[0]) if entered else None


def _last_of_network(case: Case, missing: Missing, cut: reach.Cut) -> Op | None:
    """The last operation before the cut that reads one of the variables: the network's output."""
    values = case.recording.values
    found = None
    for op in missing.part.ops:
        if op.at > cut.op.at:
            break
        if any(values[v].variable in cut.variables for v in op.inputs if v in values):
            found = op
    return found
