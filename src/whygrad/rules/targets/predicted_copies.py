"""Networks that are to predict what an older copy of themselves says: BYOL and its kin.

Told from a reference or a teacher, which may well stay, by two things. The copy was made of first weights, which know
nothing yet; and the trained network's output goes through a layer more, a predictor, before it is held against the
copy's bare output. What is kept of an old model is compared at the same depth.
"""

from __future__ import annotations

from whygrad.rules.case import Case
from whygrad.rules.targets.objective import CONTRACTS, Objective, objectives


def predicts_its_copy(case: Case, members: set[int], originals: set[int]) -> bool:
    """Whether a predictor on top of these originals is trained to say what their first copy says."""
    if case.recording.framework == "jax" or not _first_copy(case, members, originals):
        return False
    return any(_meets(case, objective, members, originals) for objective in objectives(case))


def _first_copy(case: Case, members: set[int], originals: set[int]) -> bool:
    """Whether all of it was copied from the originals before these were trained, and they came from no file."""
    begun = min((s.at for s in case.recording.steps if s.applied & originals), default=0)
    used = {v for objective in objectives(case) for v in objective.bits if v in members}
    weights = {v for v in used if len(case.variable(v).shape) > 1}
    sources = {v: case.variable(v).copy_of for v in weights}
    if not weights or any(source not in originals for source in sources.values()):
        return False
    fresh = all(not case.variable(o).copied for o in sources.values() if o is not None)
    return fresh and all(case.variable(v).born < begun for v in weights)


def _meets(case: Case, objective: Objective, members: set[int], originals: set[int]) -> bool:
    ours = sum(objective.bits[v] for v in members if v in objective.bits)
    theirs = sum(objective.bits[v] for v in originals if v in objective.bits) & objective.trained
    beyond = objective.trained & ~theirs
    if not ours or not theirs or not beyond:
        return False
    bare: set[int] = set()
    further: set[int] = set()
    for op in objective.part.ops:
        layer = [objective.bits.get(case.content[v], 0) for v in op.inputs if v in case.content]
        given = [v for v in op.inputs if v not in case.content]
        if any(mask & ours for mask in layer):
            bare.update(op.outputs)
        elif op.name in CONTRACTS and any(mask & beyond for mask in layer):
            if any(objective.live.get(v, 0) & theirs for v in given):
                further.update(op.outputs)
        elif any(v in bare for v in given) and any(v in further for v in given):
            return op.name not in CONTRACTS
        elif not layer and op.name not in CONTRACTS:
            for kept in (bare, further):
                if any(v in kept for v in given):
                    kept.update(op.outputs)
        elif any(v in further for v in given):
            further.update(op.outputs)
    return False
