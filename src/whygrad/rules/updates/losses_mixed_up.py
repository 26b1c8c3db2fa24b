"""JAX, TensorFlow: gradients of several losses, of which each network was given that of a loss it has no part in.

Where every loss is differentiated with respect to all networks, what belongs together is a matter of order. A loss that
was not computed from a network has zeros for it; the one that was has a gradient, and nobody applied that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Backward, Step
from whygrad.rules.case import Case, asked_once
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.history import history
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W204", "crossed-wires"
_ROUNDS = 2


@dataclass(slots=True)
class MixedUp:
    """What a step was given zeros of one loss for, that loss, the one it has a gradient of, and the steps."""

    variables: set[int]
    given: Backward
    meant: Backward
    steps: list[Step]


@asked_once
def losses_mixed_up(case: Case) -> list[MixedUp]:
    """By the line that applies them."""
    recording, told = case.recording, history(case)
    if recording.framework == "torch":
        return []
    found: dict[int, MixedUp] = {}
    before: dict[int, int] = {}
    for step in recording.steps:
        for variable, shares in told.fed.get(step.at, {}).items():
            begun, before[variable] = before.get(variable, 0), step.at
            new = [share.backward for share in shares if share.backward.at > begun]  # no momentum of rounds before
            given = {backward.at for backward in new}
            asked = len(given) == 1 and variable in new[0].wanted
            if not asked or case.reads(new[0], variable) or variable in new[0].got:
                continue
            round_ = [b for b in recording.backwards if begun < b.at < step.at and not b.implicit and b.at not in given]
            meant = [b for b in round_ if variable in b.got and case.reads(b, variable)]
            if meant and not any((b.at, variable) in told.applied for b in meant):
                nearest = min(meant, key=lambda b: len(b.got))  # an actor's loss goes through its critics as well
                one = found.setdefault(step.stack, MixedUp(set(), new[0], nearest, []))
                one.variables.add(variable)
                if step not in one.steps:
                    one.steps.append(step)
    return [one for one in found.values() if len(one.steps) >= _ROUNDS]


def findings(case: Case) -> Iterator[Finding]:
    """One for each line."""
    for one in losses_mixed_up(case):
        where = case.site(one.steps[0].stack)
        given, meant = case.loss_site(one.given), case.loss_site(one.meant)
        asked = case.site(one.given.stack)
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{subject(case, one.variables)} {verb(one.variables, case, 'is', 'are')} given the gradient of a "
            "loss that was not computed from "
            f"{verb(one.variables, case, 'it', 'them')}; that of the loss which was is applied by nobody",
            why="Several losses are differentiated with respect to all of them. The one that this line applies the "
            f"gradient of{at_line(given, where)} does not depend on {verb(one.variables, case, 'it', 'them')}: that "
            "gradient is zero, and the right one is dropped.",
            fix="put each network together with the gradient of its own loss: by one order, or by names",
            variables=case.names(one.variables), where=where, label="given the gradient of another one's loss",
            loss=meant, path=stations((asked, one.given.call, "the gradients come from here"),
                                      (where, "update", "and are handed out here")), seen=len(one.steps),
        )  # fmt: skip
