"""Models that stay as they are because narrow matrices beside their own learn in their place (LoRA).

Told by the shapes: of one layer an (n, m) matrix is idle, and (n, r) and (r, m) are trained, with r below both.
"""

from __future__ import annotations

import re
from itertools import permutations

from whygrad.rules.case import Case


def adapted(case: Case, idle: set[int]) -> set[int]:
    """What is idle in a model that has such a matrix: its biases, its norms and its tables are left alone as well."""
    models: set[str] = set()
    for variable in idle:
        one = case.variable(variable)
        if len(one.shape) == 2 and _narrow_pair(case, one.owner.rpartition(".")[0] or one.owner, one.shape):
            models.add(_model(one.name))
    return {v for v in idle if _model(case.variable(v).name) in models}


def _model(name: str) -> str:
    """`model` of `model.layers[0].bias`, `params` of `params['head']`."""
    return re.split(r"[.\[]", name, maxsplit=1)[0]


def _narrow_pair(case: Case, around: str, shape: tuple[int | None, ...]) -> bool:
    learns = [case.variable(v) for v in case.trained]
    beside = [v.shape for v in learns if len(v.shape) == 2 and (v.owner == around or v.owner.startswith(f"{around}."))]
    return any(
        (first[0], second[1]) == shape and first[1] == second[0] and all((first[1] or 0) < (n or 0) for n in shape)
        for first, second in permutations(beside, 2)
    )
