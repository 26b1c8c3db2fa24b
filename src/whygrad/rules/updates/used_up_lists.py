"""PyTorch: an optimizer that is given a generator of parameters which somebody has gone through before.

`parameters()` gives each parameter once. A count of them, a print, or the optimizer before this one leaves it empty.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import quoted

CODE, NAME = "W201", "not-in-optimizer"


def used_up_lists(case: Case) -> Iterator[Finding]:
    """Optimizers that were refused because of it, and those that were made with one group empty."""
    told: set[int] = set()
    for refused in case.recording.given_nothing:
        where = case.site(refused.stack)
        if not refused.used_up or where is None or refused.stack in told:
            continue
        told.add(refused.stack)
        nothing = "a group without parameters: its" if refused.part else "no parameters: the"
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"{quoted(where, 'the optimizer')} is given {nothing} generator was used up before",
            why="parameters() returns a generator, which gives each parameter once. Whoever went through it first (a "
            "count, a print, another optimizer) left nothing over for this one.",
            fix="call parameters() again for each use, or keep a list: list(model.parameters())",
            variables=(), where=where,
            label="one group of this is empty" if refused.part else "nothing is left in here",
            path=(PathStep(where, "optimizer", "gets an empty group" if refused.part else "gets an empty list"),),
        )  # fmt: skip
