"""What became of variables that a loss does not use: the last thing computed from them, and where it is let go."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.site import Site, Stack
from whygrad.flow.source import is_statement
from whygrad.rules.case import Case
from whygrad.rules.cuts.logged_means import is_mean
from whygrad.rules.cuts.missing import Missing


def last_use(case: Case, missing: Missing, variables: set[int]) -> dict[int, Op]:
    """For each variable, the last operation of this update computed from it; one pass for all of them."""
    recording = case.recording
    before = [s.at for s in recording.steps if s.at < reach.began(recording, missing.backward)]
    since = max(before, default=0) if missing.update > 1 else 0
    inside = missing.backward.tape if recording.framework == "jax" else None  # what ran before is data to it
    bit = {v: 1 << i for i, v in enumerate(sorted(variables))}
    masks: dict[int, int] = {}
    last: dict[int, Op] = {}
    initial = {v.id: bit[v.variable] for v in recording.values.values() if v.variable in bit}
    choosing = {op.at for op in missing.part.ops}  # which action a target is taken for: that is no use in the loss
    for at, op in recording.ops.items():
        if at < since or at >= missing.backward.at or at in choosing:
            continue
        mask = 0
        for value in op.inputs:
            mask |= masks.get(value, 0) | initial.get(value, 0)
        if not mask or op.kind == "write" or op.name == "gradient":
            continue
        if op.kind == "stop" and all(value in initial for value in op.inputs):
            continue  # the weights themselves, for a copy (state_dict)
        if inside is not None and inside not in op.tapes:
            continue
        for value in op.outputs:
            masks[value] = masks.get(value, 0) | mask
        if op.kind in ("leave", "stop") or op.name == "read_value":
            continue  # what is stopped and not used is for a log, or for NumPy
        mean = is_mean(case, op)
        for variable, flag in bit.items():
            if mask & flag and not (mean and variable in last):  # kept for a log; the output itself tells more
                last[variable] = op
    return {variable: op for variable, op in last.items() if not _built_with(case, missing, op)}


def _built_with(case: Case, missing: Missing, op: Op) -> bool:
    """TensorFlow: whether an output was computed long before the loss, elsewhere: a call that builds a network."""
    tape = case.recording.tapes.get(missing.backward.tape) if missing.backward.tape is not None else None
    asked = case.site(missing.backward.stack)
    if tape is None or asked is None or case.recording.framework != "tensorflow" or op.at >= tape.opened:
        return False
    return not any(site.function == asked.function for site in case.stack(op.stack))


def dropped_at(case: Case, missing: Missing, op: Op, variables: set[int]) -> Site | None:
    """The line that lets the output go: outward from the operation, as long as only these variables are at work."""
    stack = case.stack(op.stack)
    limit = case.seen_from(op.stack, missing.backward.stack)
    chosen = stack[0] if stack else None
    own = variables | _in_turn(case, stack[stack.index(limit) :] if limit in stack else stack[-1:], variables)
    own |= _bystanders(case)
    for depth in range(1, len(stack)):
        if chosen is not None and is_statement(chosen):
            break  # nothing takes what it gives
        if chosen == limit or _others(case, case.reads_under.get(stack[depth:], set()) - own, variables):
            break
        chosen = stack[depth]
    return chosen


def _bystanders(case: Case) -> set[int]:
    """Variables that nobody trains, or wants to: what an inner loop changes for an outer loss."""
    wanted = {v for b in case.recording.backwards if not b.implicit for v in (*b.wanted, *b.got)}
    held = {v for o in case.recording.optimizers.values() for v in o.holds}
    return {v.id for v in case.recording.variables.values()} - wanted - held


def _in_turn(case: Case, outer: Stack, variables: set[int]) -> set[int]:
    """What a call reads at the very lines where it reads these: the other rounds of a loop over layers."""
    at = {
        stack: read
        for stack, read in case.reads_at.items()
        if len(stack) > len(outer) and stack[-len(outer) :] == outer and read & variables
    }
    around = {stack[depth:] for stack in at for depth in range(1, len(stack))}  # calls that are handed all of them
    return {other for stack, read in at.items() if stack not in around for other in read}


def runs_others(case: Case, site: Site, members: set[int]) -> bool:
    """Whether the call at a site also runs layers of the same network that do learn."""
    own = {case.variable(v).network for v in members}
    for stack, read in case.reads_under.items():
        others = _others(case, read, members) if stack[0] == site else set[int]()
        if any(case.variable(v).network in own for v in others):
            return True
    return False


def routed(case: Case, variables: set[int]) -> set[int]:
    """Members of a list whose other members are used now and then (experts, heads): their turn has not come."""
    routed: set[int] = set()
    for variable in variables:
        parts = case.variable(variable).owner.split(".")
        numbered = [index for index in range(1, len(parts)) if parts[index].isdigit()]
        if any(_waits_for_its_turn(case, parts[:index], parts[index]) for index in numbered):
            routed.add(variable)
    return routed


def _waits_for_its_turn(case: Case, family: list[str], element: str) -> bool:
    """Whether the other elements of a list are trained in turns, and nothing of this one is yet."""
    prefix = ".".join(family) + "."
    members = {v.id: v.owner[len(prefix) :] for v in case.recording.variables.values() if v.owner.startswith(prefix)}
    own = {v for v, rest in members.items() if rest.partition(".")[0] == element}
    siblings, steps = members.keys() - own, case.recording.steps
    turns = {frozenset(s.applied & siblings) for s in steps if (s.applied | s.without) & siblings}
    return len(turns) > 1 and not any(step.applied & own for step in steps)


def _list_of(owner: str) -> str | None:
    """`moe.experts` of `moe.experts.3.fc`: the nearest numbered container."""
    parts = owner.split(".")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index].isdigit():
            return ".".join(parts[:index])
    return None


def _others(case: Case, read: set[int], variables: set[int]) -> set[int]:
    """What is read beside these variables, other than by the rest of a list that they are in.

    One line may call each of a list in turn. What lies in one and the same element is another matter.
    """
    owners = [case.variable(v).owner for v in variables]
    lists = {_list_of(owner) for owner in owners} - {None}
    elements = {_element_of(owner) for owner in owners} - {None}
    return {
        v
        for v in read - variables
        for owner in [case.variable(v).owner]
        if _list_of(owner) not in lists or _element_of(owner) in elements
    }


def _element_of(owner: str) -> str | None:
    """`moe.experts.3` of `moe.experts.3.fc`."""
    family = _list_of(owner)
    return ".".join(owner.split(".")[: family.count(".") + 2]) if family is not None else None
