"""PyTorch: one prediction for each row against several targets: mse_loss of (B, 1) and (B, 4).

A log-probability of four actions that was not summed up makes a target of one number four of them. Broadcasting holds
the prediction against each, and what is learned is their mean. The other way round, several predictions and one
target, is an ensemble.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import Objective
from whygrad.rules.wording import at_line, quoted

CODE, NAME = "W504", "broadcast"
_LOSSES = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"})
"""Functions that warn of two sizes, and mean nothing but one target for each prediction."""


def several_targets(case: Case, objective: Objective) -> Iterator[tuple[Op, Finding]]:
    """The loss functions of an objective that broadcast a column of predictions."""
    if case.recording.framework != "torch":
        return
    for op in objective.part.ops:
        if op.name in _LOSSES and len(op.inputs) >= 2 and _stretches(case, objective, op):
            yield op, _finding(case, objective, op)


def _stretches(case: Case, objective: Objective, op: Op) -> bool:
    one, other = (case.recording.values[v].shape for v in op.inputs[:2])
    learns = [bool(objective.live.get(v, 0) & objective.trained) for v in op.inputs[:2]]
    column, wide = (one, other) if learns[0] else (other, one)
    if sum(learns) != 1 or len(column) != 2 or len(wide) != 2 or column[0] != wide[0]:
        return False
    return column[1] == 1 and (wide[1] or 0) > 1 and (column[0] or 0) > 1


def _finding(case: Case, objective: Objective, op: Op) -> Finding:
    where, loss = case.site(op.stack), case.loss_site(objective.backward)
    shapes = [case.recording.values[v].shape for v in op.inputs[:2]]
    held = " against ".join(f"({rows}, {columns})" for rows, columns in shapes)
    several = max(columns or 0 for _, columns in shapes)
    steps = [(where, op.name, f"each prediction meets {several} targets"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="warning",
        message=f"{quoted(where)} holds each prediction against {several} targets: {held}",
        why=f"Broadcasting repeats the prediction for each of the {several} columns, and the loss"
        f"{at_line(loss, where)} pulls it to their mean. PyTorch warns of the two sizes.",
        fix="give both the same shape before they meet: what belongs to one number is summed up first (the "
        "log-probability of several actions: .sum(dim=1, keepdim=True))",
        variables=case.names(objective.variables(objective.trained)), where=where, label=held, loss=loss,
        path=tuple(PathStep(site, name, role) for site, name, role in steps if site is not None),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < objective.backward.at),
    )  # fmt: skip
