"""Two parts of one build in one model: the one that is trained is never called, the other one is in its place."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.consumer import stand_in, steps_of_name
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.wording import at_line, networks, plain_subject, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"


def severity_of(case: Case, members: set[int], missing: Missing) -> Severity:
    """An error where a whole network, or all that an optimizer has, is ignored; else a warning."""
    whole = all(case.family(network, members) <= set(group) for network, group in networks(case, members).items())
    return "error" if whole or case.held_alone(members) or missing.backward.error else "warning"


def stood_in(case: Case, missing: Missing, members: set[int]) -> Finding | None:
    """JAX: of two parts of one build the first is called twice and the second never."""
    found = stand_in(case, missing, members) if case.recording.framework == "jax" else None
    if found is None:
        return None
    where, other = found
    loss = case.loss_site(missing.backward)
    name, it = plain_subject(case, members), verb(members, case, "it", "them")
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: `{other}` is used a "
        "second time in its place",
        why=f"`{other}` is of the same build and is called twice for one loss; {name} is never called.",
        fix=f"call {name} in {quoted(where)}, or remove {it}",
        variables=case.names(members), where=where, label=f"this uses `{other}` once more, and {name} not at all",
        loss=loss, path=tuple(PathStep(s, op, role) for s, op, role in [
            (where, "call", "used a second time"), (loss, "loss", "the loss")] if s is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def used_instead(case: Case, missing: Missing, never: set[int]) -> Iterator[tuple[set[int], Finding]]:
    """Parts that are asked for and never called, where the loss is computed with another of the same build.

    An average of the weights that is there for evaluation, a target that sits in the same model as its original.
    """
    if case.recording.framework == "jax":
        return
    parts = _parts(case)
    ops = case.slice(missing.backward, reach.CERTAIN).ops
    read = {v for op in ops for n in op.inputs if (v := case.content.get(n)) is not None}
    for name, members in parts.items():
        if not members <= never:
            continue
        for other, theirs in parts.items():
            beside = other.rpartition(".")[0] == name.rpartition(".")[0] and other != name
            untrained = theirs & read and not theirs & (case.trained | set(missing.backward.wanted))
            if beside and untrained and _same_build(case, members, theirs):
                where = _called_at(case, ops, theirs & read)
                if where is not None:
                    yield members, _finding(case, missing, members, name, other, where)
                    break


def network_used_instead(case: Case, missing: Missing, unused: set[int]) -> Iterator[tuple[set[int], Finding]]:
    """Networks that the loss is not computed with, where the copy that follows them carries its gradient instead."""
    if case.recording.framework == "jax" or not unused:
        return
    part = case.slice(missing.backward, reach.CERTAIN)
    arrived = reach.gradient_reach(case.recording, part, missing.backward.tape)
    live = [op for op in part.ops if any(v in arrived for v in op.outputs)]
    read = {v for op in live for n in op.inputs if (v := case.content.get(n)) is not None}
    copied = {(c.source, c.target) for c in case.recording.copies} | {
        (v.copy_of, v.id) for v in case.recording.variables.values() if v.copy_of is not None
    }
    groups = {name: set(group) for name, group in networks(case, read | unused).items()}
    for name, members in groups.items():
        if not members <= unused or members != case.family(name, members):
            continue
        for other, theirs in groups.items():
            follows = any(source in members and target in theirs for source, target in copied)
            if other != name and follows and not theirs & case.trained and _same_build(case, members, theirs):
                used = next(op for op in reversed(live) if any(case.content.get(n) in theirs for n in op.inputs))
                where = case.seen_from(used.stack, missing.backward.stack)
                if where is not None:
                    yield members, _finding(case, missing, members, name, other, where)
                    break


def _parts(case: Case) -> dict[str, set[int]]:
    """The attributes of each model, as far as they hold weights: `model.network`, `model.average`."""
    found: dict[str, set[int]] = {}
    for variable in case.recording.variables.values():
        steps = steps_of_name(variable.name)
        if len(steps) > 2 and variable.parameter and variable.trainable:
            found.setdefault("".join(steps[:2]), set()).add(variable.id)
    return found


def _same_build(case: Case, one: set[int], other: set[int]) -> bool:
    shapes = [[str(case.variable(v).shape) for v in sorted(side)] for side in (one, other)]
    return len(one) > 1 and sorted(shapes[0]) == sorted(shapes[1])


def _called_at(case: Case, ops: list[Op], members: set[int]) -> Site | None:
    """The innermost line that runs the whole part."""
    for op in ops:
        if op.name != "read_value" and any(case.content.get(n) in members for n in op.inputs):
            stack = case.stack(op.stack)
            depths = range(len(stack))
            return next((stack[d] for d in depths if members <= case.reads_under.get(stack[d:], set())), None)
    return None


def _finding(case: Case, missing: Missing, members: set[int], name: str, other: str, where: Site) -> Finding:
    loss = case.loss_site(missing.backward)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{name}` ({len(members)} variables) gets no gradient: the loss{at_line(loss, where)} is computed "
        f"with `{other}` in its place",
        why=f"`{other}` is of the same build, and no gradient is asked for it; `{name}` is never called for this loss.",
        fix=f"call `{name}` in {quoted(where)} while training",
        variables=case.names(members), where=where, label=f"this runs `{other}`, and `{name}` is the one to be trained",
        loss=loss, path=tuple(PathStep(s, op, role) for s, op, role in [
            (where, "call", f"computed with `{other}`"), (loss, "loss", "the loss")] if s is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip
