"""Two losses and two networks, of which the second gradient is asked of the first loss.

`tape.gradient(loss_1, critic_2.trainable_variables)`: the loss of the second network was computed and is used by
nothing, and the one that is asked trains the first. The line to change is the one that asks.
"""

from __future__ import annotations

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, quoted, subject, verb


def asked_of_another(
    case: Case, missing: Missing, members: set[int], term: Op, *, unseen: bool = False
) -> Finding | None:
    """Told where the loss that is asked is asked elsewhere for other variables, which it does train.

    `unseen`: it may use these, but the tape that is asked was opened later.
    """
    backward = missing.backward
    others = [
        b
        for b in case.recording.backwards
        if b.at != backward.at and b.loss == backward.loss and b.got and not set(b.wanted) & set(backward.wanted)
    ]
    where, own = case.site(backward.stack), case.site(term.stack)
    if not others or not backward.wanted or backward.got or where is None:
        return None
    loss, other = case.loss_site(backward), case.site(others[0].stack)
    them = verb(members, case, "it", "them")
    fault = "which this tape has not seen" if unseen else f"which does not use {them}"
    steps = [(own, "loss", "their own loss, used by nothing"), (where, backward.call, "asked of another loss")]
    return Finding(
        code="W105", rule="loss-ignores", severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: it is asked of the loss"
        f"{at_line(loss, where)}, {fault}",
        why=f"That loss trains others, by the request{at_line(other, where)}. "
        f"The loss{at_line(own, where)} was computed for these, and nobody asks for its gradient.",
        fix=f"take the loss{at_line(own, where)} in {quoted(where)}",
        variables=case.names(members), where=where, label="this asks the wrong loss", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip
