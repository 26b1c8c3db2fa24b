"""JAX: an optimizer that is given gradients of another tree than the one it was begun for."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import quoted


def gradients_of_another_tree(case: Case) -> Iterator[Finding]:
    """The call that brings together what does not belong together; the shapes did not fit, so JAX noticed."""
    failure = next((f for f in case.recording.failures if f.kind == "gradients of another tree"), None)
    where = case.site(failure.stack) if failure is not None else None
    if where is None:
        return
    yield Finding(
        code="W204", rule="crossed-wires", severity="error",
        message=f"{quoted(where)} brings together gradients, state and parameters of different trees",
        why="An optimizer pairs each gradient with the parameter at the same place of the tree, and with what its "
        "state keeps for it. These are not the gradients of the parameters that it was begun for.",
        fix="hand over what belongs together: the gradient asked for these very parameters, and the state that "
        "tx.init made of them (and keeps in step: params or params['params'], not both)",
        variables=(), where=where, label="given the gradients of something else",
        path=(PathStep(where, "update", "gradients and parameters do not fit"),),
    )  # fmt: skip
