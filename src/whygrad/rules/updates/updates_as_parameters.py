"""JAX: what an optimizer returns to be added to the parameters, taken for the new parameters themselves.

`params, opt_state = tx.update(grads, opt_state, params)`: the network's weights become a step of the size of the
learning rate, and the next step takes their place in turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Backward, Edit
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import plain_subject, subject, verb

CODE, NAME = "W206", "update-discarded"
_ROUNDS = 2


def updates_as_parameters(case: Case) -> Iterator[Finding]:
    """Optimizers whose updates the next gradient is taken at."""
    stepped = {v for step in case.recording.steps for v in step.before} | case.recording.unmoved.keys()
    told: set[int] = set()
    for edit in case.recording.edits:
        if edit.kind != "other" or edit.call != "update" or edit.variables & stepped or edit.stack in told:
            continue
        told.add(edit.stack)
        later = [b for b in case.recording.backwards if not b.implicit and set(edit.variables) <= set(b.read)][1:]
        if len(later) >= _ROUNDS and all(_taken_at(case, backward, edit) for backward in later):
            yield _finding(case, edit, len(later))


def _taken_at(case: Case, backward: Backward, edit: Edit) -> bool:
    made = [case.made_by.get(backward.read[v]) for v in edit.variables]
    return all(op is not None and op.inside and op.stack == edit.stack for op in made)


def _finding(case: Case, edit: Edit, seen: int) -> Finding:
    where, variables = case.site(edit.stack), set(edit.variables)
    network = plain_subject(case, variables).strip("`")
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, variables)} {verb(variables, case, 'is', 'are')} replaced by the optimizer's updates: "
        "they are never added to the parameters",
        why="An Optax optimizer returns what is to be added to the parameters. Taken for the new parameters, it throws "
        "away the old ones, and the network is a small step from zero after every update.",
        fix=f"add them: updates, opt_state = tx.update(grads, opt_state, {network}); "
        f"{network} = optax.apply_updates({network}, updates)",
        variables=case.names(variables), where=where, label="these are updates, not parameters",
        path=(PathStep(where, "update", "taken for the new parameters"),) if where is not None else (), seen=seen,
    )  # fmt: skip
