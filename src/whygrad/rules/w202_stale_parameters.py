"""W202 stale-parameters"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.w105_loss_ignores import created_at
from whygrad.rules.wording import at_line, count, subject

CODE, NAME = "W202", "stale-parameters"
SUMMARY = "the optimizer holds variables that the model no longer uses"


def check(case: Case) -> Iterator[Finding]:
    """Old variables in the optimizer, new ones in the model."""
    pair = case.replaced
    if not pair.stale:
        return
    holder = next(o for o in case.recording.optimizers.values() if o.holds & pair.stale)
    made, built = created_at(case, set(pair.fresh)), case.site(holder.created)
    path = [PathStep(built, holder.name, "the optimizer took the old variables here")] if built is not None else []
    if made is not None:
        path.append(PathStep(made, "creation", "the model got new variables here"))
    yield Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"the optimizer{at_line(built, made)} still holds {count(len(pair.stale), 'variable')} that the model no longer "
        f"uses; {subject(case, pair.fresh)} is trained by nobody",
        why="An optimizer keeps the very tensors it was given. Replacing a layer or a model afterwards leaves it with the old ones.",
        fix="build the optimizer after the model is complete: replaced, loaded, moved, wrapped",
        variables=case.names(pair.fresh), where=made or built,
        label="new variables, made after the optimizer was built", path=tuple(path),
    )  # fmt: skip
