"""Keras: variables that a model trains from some update on, and that its optimizer was not built for.

A base that was frozen is thawed, and the model is not compiled again. A model that was built anew brings other
variables altogether, and has none of the old ones: that is W202.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Step
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, plain_subject, subject, verb

REFUSAL = "Unknown variable"


def joined_late(case: Case) -> tuple[Step, set[int]] | None:
    """The step that was refused, and the variables that were there before the first one and had no part in it."""
    for step in case.recording.steps:
        if step.error is None or REFUSAL not in step.error:
            continue
        before = [s for s in case.recording.steps if s.optimizer == step.optimizer and s.at < step.at and not s.error]
        known = {v for s in before for v in s.applied | s.without}
        given = step.applied | step.without
        joined = given - known
        if joined and given & known and all(case.variable(v).born < before[0].at for v in joined):
            return step, set(joined)
        return None
    return None


def refused_to_join(case: Case) -> Iterator[Finding]:
    """What to say of it."""
    found = joined_late(case)
    if found is None:
        return
    step, joined = found
    refused, built = case.site(step.stack), case.site(case.recording.optimizers[step.optimizer].created)
    name = plain_subject(case, joined)
    stations = [(built, "optimizer", "made here, and built at its first update"), (refused, step.call, "refused here")]
    yield Finding(
        code="W201", rule="not-in-optimizer", severity="error",
        message=f"{subject(case, joined)} {verb(joined, case, 'joins', 'join')} the training after the optimizer was "
        f"built, and is refused{at_line(refused, built)}",
        why="A Keras optimizer keeps a slot for every variable that its first update was given, and takes no others. "
        f"At that time {name} was frozen, or left out.",
        fix=f"compile the model again once {name} may train, or make a new optimizer then; or call optimizer.build(…) "
        "with all that is to train before the first update",
        variables=case.names(joined), where=built or refused, label=f"built without {name}",
        path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
    )  # fmt: skip
