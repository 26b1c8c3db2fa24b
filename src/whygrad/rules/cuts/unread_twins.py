"""Of two outputs of one call, alike in shape, the loss has a term for the first, and nothing reads the second.

`q1, q2 = critic(states, actions)`, and then `mse(q1, goal)` alone: the layers are right, and the loss is not.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.syntax import bound_at
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.let_fall import handed_back, read_around
from whygrad.rules.wording import quoted, subject, verb


def unread_twin(case: Case, missing: Missing, members: set[int], output: Op) -> Finding | None:
    """Told at the loss, where it stands in the function that was given both."""
    call, loss = handed_back(case.stack(output.stack)), case.loss_site(missing.backward)
    if call is None or loss is None or (call.file, call.function) != (loss.file, loss.function):
        return None
    unread = sorted(bound_at(call) - read_around(call))
    if len(unread) != 1 or unread[0].startswith("_") or not _has_twin(case, missing, call, output):
        return None
    made = case.site(output.stack)
    steps = [(made, "output", "computed here"), (call, "call", f"`{unread[0]}`, which nothing reads"),
             (loss, "loss", "the loss, which has a term for the other one")]  # fmt: skip
    return Finding(
        code="W105", rule="loss-ignores", severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loss has "
        f"no term for `{unread[0]}`",
        why=f"{quoted(call)} gives two outputs of one shape. The loss is computed from the other one; nothing "
        f"reads `{unread[0]}`.",
        fix=f"add the same term for `{unread[0]}` to the loss",
        variables=case.names(members), where=loss, label=f"nothing of `{unread[0]}` is in this loss", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip


def _has_twin(case: Case, missing: Missing, call: Site, output: Op) -> bool:
    """Whether the loss takes an output of the same call, of the same shape and made in the same way."""
    values = case.recording.values
    shape = values[output.outputs[0]].shape
    ops = case.slice(missing.backward).ops
    inside = {op.at: op for op in ops if call in case.stack(op.stack)}
    taken = {v for op in ops if op.at not in inside for v in op.inputs}
    given = [(op, v) for op in inside.values() for v in op.outputs if v in taken]
    return any(_way(case, op) == _way(case, output) and values[v].shape == shape for op, v in given)


def _way(case: Case, op: Op) -> list[str]:
    """By which operations a value is made: the last one, and those that made what it takes."""
    return [op.name, *(case.made_by[v].name for v in op.inputs if v in case.made_by)]
