"""PyTorch: a target network that was given the memory of the trained one, not its numbers.

`target.data = online.data` makes two parameters of one piece of memory, in which the optimizer goes on writing. Only a
target counts: weights that are shared for another reason (actors that read a learner's) move together on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Copy
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import Objective, bootstraps, objectives
from whygrad.rules.wording import quoted, subject

CODE, NAME = "W502", "target-is-online"


def one_memory(case: Case) -> Iterator[Finding]:
    """For each line by which a loss's target came to lie in the memory of what the loss trains."""
    told: set[int] = set()
    for objective in objectives(case) if case.recording.shared else ():
        for found in bootstraps(case, objective, live=False):
            ours = objective.variables(objective.live[found.prediction] & objective.trained)
            read = objective.variables(objective.read.get(found.value, 0))
            given = [g for v, g in case.recording.shared.items() if v in read and g.source in ours]
            if given and given[0].stack not in told:
                told.add(given[0].stack)
                yield _finding(case, objective, given)


def _finding(case: Case, objective: Objective, given: list[Copy]) -> Finding:
    where, loss = case.site(given[0].stack), case.loss_site(objective.backward)
    steps = [(where, "data =", "one memory for both"), (loss, "loss", "the loss")]
    target, online = subject(case, {g.target for g in given}), subject(case, {g.source for g in given})
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{target} lies in the memory of {online}: assigning to {quoted(where)} copies nothing",
        why="Assigning to .data hands over the memory, not the numbers. Every step of the optimizer writes into it, so "
        "that the target moves with the online network.",
        fix="copy the numbers: target.data.copy_(online.data), or target.load_state_dict(online.state_dict())",
        variables=case.names({g.source for g in given}), where=where, label="one piece of memory for both from here on",
        loss=loss, path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
