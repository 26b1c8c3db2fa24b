"""Networks of one shape that stand side by side in a loss, each behind a trained one: the heads of two towers."""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, Objective, objectives


def one_of_two_towers(case: Case, network: str, members: set[int]) -> bool:
    """Whether a trained network is built like this one, and what both are given in a loss is learned itself.

    A target has a twin as well, and is given data: the next states, while its twin is given these.
    """
    by_network: dict[str, set[int]] = {}
    for variable in case.recording.variables.values():
        by_network.setdefault(variable.network, set()).add(variable.id)
    shapes = _shapes(case, members)
    twins = [own for name, own in by_network.items() if name != network and _shapes(case, own) == shapes]
    twins = [own for own in twins if own <= case.trained]
    return any(
        _given_what_learns(case, objective, members) and any(_given_what_learns(case, objective, own) for own in twins)
        for objective in objectives(case)
    )


def _shapes(case: Case, members: set[int]) -> list[str]:
    return sorted(str(case.variable(v).shape) for v in members)


def _given_what_learns(case: Case, objective: Objective, members: set[int]) -> bool:
    """Whether what a trained network makes goes into these layers, with a way back for the gradient."""
    own = sum(objective.bits[v] for v in members if v in objective.bits)
    for op in objective.part.ops if own else ():
        if op.name in CONTRACTS and any(case.content.get(v) in members for v in op.inputs):
            arriving = [objective.live.get(v, 0) for v in op.inputs if v not in case.content]
            if any(live & objective.trained & ~own for live in arriving):
                return True
    return False
