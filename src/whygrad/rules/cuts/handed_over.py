"""Outputs that a network hands to the function of the loss, and that the loss does not use: the second of two heads.

Nothing is wrong where the output is computed. The line to change is the loss.
"""

from __future__ import annotations

from itertools import pairwise

from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import handed_out, lets_fall, takes_several, throws_away, unread_names
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.last_use import runs_others
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import plain_subject, quoted, subject, verb

CODE, NAME = "W105", "loss-ignores"


def handed_over(case: Case, missing: Missing, members: set[int], site: Site | None, output: Op) -> Finding | None:
    """A finding at the loss, where the output got as far as the function that computes it."""
    backward: Backward | None = missing.backward
    if not _alone(case, members):  # of several losses, the one that should use the output is known by what it took
        backward, output = _took_it(case, members) or (None, output)
    loss = case.loss_site(backward) if backward is not None else None
    if site is None or loss is None or not _arrives(case, members, site, output, loss):
        return None
    taken = _taken_at(case, output, loss)
    if lets_fall(site) and (takes_several(site) or (taken is not None and throws_away(taken))):
        return None  # its state alone is handed on, from one call to the next; the output is dropped where it is made
    made = created_at(case, members) if _same_function(site, loss) else None
    it, name = verb(members, case, "it", "them"), plain_subject(case, members)
    steps = [(made or site, "output", "computed here, and handed over"), (loss, "loss", f"the loss, without {it}")]
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss does not use the "
        f"output of {name}",
        why=f"{quoted(made or site, 'The output')} is computed and handed to the function that computes the loss; no "
        "data leads from it to the loss.",
        fix=f"let the loss use the output of {name} (add its term), or do not train {it}",
        variables=case.names(members), where=loss, label=f"computed without the output of {name}", loss=loss,
        path=tuple(PathStep(one, op, role) for one, op, role in steps if one is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _arrives(case: Case, members: set[int], site: Site, output: Op, loss: Site) -> bool:
    """Whether each function on the way returns it, up to the one of the loss."""
    if case.recording.framework == "tensorflow" and _same_function(site, loss) and runs_others(case, site, members):
        return True  # a Keras model that was put together of layers computes nothing but its outputs
    stack = case.stack(output.stack)
    for inner, outer in pairwise(stack[stack.index(site) :] if site in stack else ()):
        if not handed_out(inner):
            return False
        if _same_function(outer, loss):
            return True
    return False


def _taken_at(case: Case, output: Op, loss: Site) -> Site | None:
    """Where the function of the loss calls what it comes from."""
    return next((site for site in case.stack(output.stack) if _same_function(site, loss)), None)


def _alone(case: Case, members: set[int]) -> bool:
    """Whether one loss alone trains their network."""
    return len(_losses(case, members)) == 1


def _losses(case: Case, members: set[int]) -> dict[tuple[str, int], Backward]:
    """The losses that train their network, by line, with the first pass of each."""
    family = {v for member in members for v in case.family(case.variable(member).network, members)}
    found: dict[tuple[str, int], Backward] = {}
    for backward in case.recording.backwards:
        loss = case.loss_site(backward) if not backward.implicit and backward.got & family else None
        if loss is not None:
            found.setdefault((loss.file, loss.line), backward)
    return found


def _took_it(case: Case, members: set[int]) -> tuple[Backward, Op] | None:
    """The one loss of several for which the output got a name that nothing reads; the others threw it away (`_`)."""
    found: list[tuple[Backward, Op]] = []
    for backward in _losses(case, members).values():
        since = max((s.at for s in case.recording.steps if s.at < backward.at), default=0)
        reading = [
            op
            for at, op in case.recording.ops.items()
            if since < at < backward.at and any(case.content.get(v) in members for v in op.inputs)
        ]
        calls = ((op, case.seen_from(op.stack, backward.stack)) for op in reversed(reading))
        found += [(backward, op) for op, call in calls if call is not None and unread_names(call)][:1]
    return found[0] if len(found) == 1 else None


def _same_function(one: Site, other: Site) -> bool:
    return (one.file, one.function, one.first_line) == (other.file, other.function, other.first_line)
