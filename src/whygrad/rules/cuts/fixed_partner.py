"""Frozen networks that a trained one is compared with: a teacher, a fixed random network."""

from __future__ import annotations

from whygrad.flow import reach
from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.cuts.intent import DIFFERENCE


def only_compared(case: Case, members: set[int]) -> bool:
    """Whether all that a loss has of these variables is a difference whose other side is trained.

    Such a network is to stay as it is, whoever was given its parameters along with the rest of the module.
    """
    met = False
    for backward in case.recording.backwards:
        if backward.loss is None or backward.implicit or not any(case.uses(backward, v) for v in members):
            continue
        part = case.slice(backward, reach.CERTAIN)
        ours: set[int] = set()
        theirs: set[int] = set()
        for op in part.ops:
            mine, learns = _reads(case, op, members, ours), _reads(case, op, case.trained, theirs)
            if mine and _compares(op, ours, theirs):
                met = True
            elif mine:
                ours.update(op.outputs)
            if learns and op.kind == "compute" and op.switch is None:  # an action that was drawn is data
                theirs.update(op.outputs)
        if part.loss in ours:
            return False
    return met


def _reads(case: Case, op: Op, variables: set[int], made: set[int]) -> bool:
    return any(v in made or case.content.get(v) in variables for v in op.inputs)


def _compares(op: Op, ours: set[int], theirs: set[int]) -> bool:
    if op.name not in DIFFERENCE or len(op.inputs) < 2:
        return False
    sides = [(v in ours, v in theirs) for v in op.inputs[:2]]
    return sorted(sides) == [(False, True), (True, False)]
