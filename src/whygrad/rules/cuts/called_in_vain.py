"""Networks that are called for a loss, and whose result the loss does not use.

`mu = actor(state)`, and then `-critic(state, action)` with the action of the replay buffer. What reaches the loss of
such a network is data of long ago, which left the framework on purpose; that its new result is dropped is the fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site

if TYPE_CHECKING:
    from whygrad.rules.case import Case

_LAID_TOGETHER = frozenset({
    "cat", "concat", "concatenate", "stack", "to", "float", "cast", "view", "reshape", "unsqueeze", "squeeze",
    "flatten", "expand_dims", "getitem", "__getitem__", "strided_slice", "identity",
})  # fmt: skip
"""What is done to a batch before a network is given it."""


def without_older_data(case: Case, backward: Backward, part: reach.Slice, cuts: list[reach.Cut]) -> list[reach.Cut]:
    """Without the cuts of long ago, of what is computed anew for this loss and then dropped."""
    if case.recording.framework == "jax":
        return _inside(case, backward, part, cuts)
    since = max((s.at for s in case.recording.steps if s.at < backward.at), default=0)
    tape = case.recording.tapes.get(backward.tape) if backward.tape is not None else None
    if tape is not None and tape.opened < backward.at:
        since = max(since, tape.opened)  # a rollout before the first step is as old as one before the last
    cuts = [c for c in cuts if c.op.at > since or not _in_vain(case, backward, part, c.variables, since)]
    cuts = [c for c in cuts if c.op.at > since or not _replayed(case, backward, c.op)]
    cuts = [c for c in cuts if not _rolled_out(c.op) or not _in_vain_at_last(case, backward, part, c)]
    return _without_acting(case, backward, cuts)


def _rolled_out(op: Op) -> bool:
    """Whether it is what a rollout does to values that it keeps: computed unrecorded, or handed to NumPy."""
    return op.switch is not None or op.kind == "leave"


def _in_vain_at_last(case: Case, backward: Backward, part: reach.Slice, cut: reach.Cut) -> bool:
    """PyTorch: whether what is cut was computed once more after that, recorded, for this loss, and nothing came of it.

    The rollout before the first step lies as far back as those between later ones; no tape says where a loss begins.
    """
    place, ops = case.site(backward.stack), case.recording.ops
    if place is None or case.recording.framework != "torch":
        return False
    last: dict[int, Op] = {}
    for at, op in ops.items():
        if cut.op.at < at < backward.at:
            last.update({case.content[v]: op for v in op.inputs if case.content.get(v) in cut.variables})
    if not last or last.keys() != cut.variables or not all(op.carries for op in last.values()):
        return False
    if not all(any(_same_function(site, place) for site in case.stack(op.stack)) for op in last.values()):
        return False
    begun, used = {op.at for op in last.values()}, {op.at for op in part.ops}
    follow: set[int] = set()
    for at, op in ops.items():
        if min(begun) <= at < backward.at and (at in begun or any(v in follow for v in op.inputs)):
            if at in used or op.kind in ("leave", "stop", "write"):
                return False
            follow.update(op.outputs)
    return True


def _without_acting(case: Case, backward: Backward, cuts: list[reach.Cut]) -> list[reach.Cut]:
    """PyTorch: without calls far from this loss that ran unrecorded, of what is called for it and stopped there.

    A rollout runs under `no_grad`, and what it made (values, hidden states) comes back as data of the loss.
    """
    place = case.site(backward.stack)
    if place is None or case.recording.framework != "torch":
        return cuts
    near = {c.op.at for c in cuts if any(_same_function(site, place) for site in case.stack(c.op.stack))}
    stopped = {v for c in cuts if c.op.switch is None and c.op.at in near for v in c.variables}
    return [c for c in cuts if c.op.switch is None or c.op.at in near or not c.variables <= stopped]


def _replayed(case: Case, backward: Backward, stopped: Op) -> bool:
    """Whether what left comes back as a batch that a network is trained on by another loss: the actions of a replay.

    An actor's loss that is computed with them is no loss of the actor; that they left as it acted is right.
    """
    left = _exits_of(case, stopped)
    back = {h.entered for h in case.recording.handovers if h.left in left}
    layers = _layers_fed(case, backward, back)
    for other in case.recording.backwards if layers else ():
        if other.stack == backward.stack or other.implicit or other.error or other.loss not in case.recording.values:
            continue
        if layers & _layers_fed(case, other, back) & other.got:
            return True
    return False


def _exits_of(case: Case, stopped: Op) -> set[int]:
    """Where what was stopped leaves the framework; a whole network may run while nothing is recorded."""
    follow, left = set(stopped.outputs), {stopped.at} if stopped.kind == "leave" else set()
    for at, op in case.recording.ops.items():
        if at > stopped.at and any(v in follow for v in op.inputs):
            if op.kind == "leave":
                left.add(at)
            elif stopped.switch is not None and op.switch == stopped.switch:
                follow.update(op.outputs)
    return left


def _layers_fed(case: Case, backward: Backward, entries: set[int]) -> set[int]:
    """The variables of the layers that a loss gives one of these entries to, as a part of their input."""
    follow: set[int] = set()
    found: set[int] = set()
    for op in case.slice(backward, reach.CERTAIN).ops:
        if op.at in entries:
            follow.update(op.outputs)
        elif any(v in follow for v in op.inputs):
            layer = {case.content[v] for v in op.inputs if v in case.content}
            found |= layer
            if not layer and op.name in _LAID_TOGETHER:
                follow.update(op.outputs)
    return found


def _in_vain(case: Case, backward: Backward, part: reach.Slice, variables: frozenset[int], since: int) -> bool:
    """Whether these were all used since the last step, in the function of this loss, and nothing came of it."""
    used, place = {op.at for op in part.ops}, case.site(backward.stack)
    follow: set[int] = set()
    met: set[int] = set()
    for at, op in case.recording.ops.items():
        if at <= since or at >= backward.at:
            continue
        read = {case.content[v] for v in op.inputs if v in case.content} & variables
        if not read and not any(v in follow for v in op.inputs):
            continue
        if at in used or op.kind in ("leave", "stop", "write"):
            return False
        if read and not any(place is not None and _same_function(site, place) for site in case.stack(op.stack)):
            return False
        met |= read
        follow.update(op.outputs)
    return bool(met) and met >= variables


def _same_function(one: Site, other: Site) -> bool:
    return (one.file, one.function) == (other.file, other.function)


def _inside(case: Case, backward: Backward, part: reach.Slice, cuts: list[reach.Cut]) -> list[reach.Cut]:
    """JAX: without those outside of the differentiated function, of what it computes inside and then drops.

    A critic's old values reach the loss as data; that its new one does not is another matter.
    """
    if not any(backward.tape not in cut.op.tapes for cut in cuts):
        return cuts
    used = {op.at for op in part.ops}
    inside = {
        case.recording.values[v].variable
        for op in case.recording.ops.values()
        if backward.tape in op.tapes and op.at not in used and op.kind == "compute" and op.name != "read_value"
        for v in op.inputs
    }
    return [c for c in cuts if backward.tape in c.op.tapes or c.op.name == "captured" or not c.variables <= inside]
