"""Whether a network that holds still makes bootstrap targets, or is a reference that may well stay what it was.

A target network says of the next states what the trained one will be asked to say of the states before them, by the
same output, and without following it learns nothing new. The reference of a preference loss, of a penalty on the
distance to the first policy, or the old model whose answers are to be kept, is a copy too, and stays on purpose.
"""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.distributions import distributions
from whygrad.rules.targets.objective import Objective, bootstraps, objectives
from whygrad.rules.targets.predicted_copies import predicts_its_copy


def makes_targets(case: Case, members: set[int], originals: set[int]) -> bool:
    """Whether what these say is discounted and added to data for the output that they have a copy of."""
    return (
        any(_bootstraps_own(case, o, members, originals) for o in objectives(case))
        or _by_way_of(case, members, originals)
        or predicts_its_copy(case, members, originals)
    )


def _bootstraps_own(case: Case, objective: Objective, members: set[int], originals: set[int]) -> bool:
    mask = sum(objective.bits[v] for v in members if v in objective.bits)
    found = [
        b
        for b in (*bootstraps(case, objective, live=False), *distributions(case, objective, live=False))
        if objective.read.get(b.value, 0) & mask
    ]
    if not found:
        return False
    predicted, said = 0, 0
    for one in found:
        predicted |= objective.live.get(one.prediction, 0)
        said |= objective.read[one.value] & mask
    counterparts = {o for v in objective.variables(said) if (o := case.variable(v).copy_of) is not None}
    counterparts &= originals & case.trained
    asked = counterparts & objective.variables(predicted)
    return not asked or counterparts <= asked  # another output of the same network: a penalty in the reward


def _by_way_of(case: Case, members: set[int], originals: set[int]) -> bool:
    """Whether a value network is trained to what these say, and the trained one's targets are made with that (IQL)."""
    for first in objectives(case):
        taught = first.variables(first.trained)
        if not any(v in first.bits for v in members) or taught & originals:
            continue
        for second in objectives(case):
            mask = sum(second.bits[v] for v in taught if v in second.bits)
            if second.variables(second.trained) & originals and any(
                second.read.get(b.value, 0) & mask for b in bootstraps(case, second, live=False)
            ):
                return True
    return False
