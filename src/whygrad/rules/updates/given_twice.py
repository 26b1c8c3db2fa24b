"""JAX: one gradient that goes into two updates, its own variables' and another's: the second is where it went astray.

An update that was made for one network and added to another is wrong where it is added. Here each network has an
update of its own, and the optimizer was handed the wrong gradient for one of them.
"""

from __future__ import annotations

from whygrad.flow.events import Backward
from whygrad.flow.site import Site
from whygrad.rules.case import Case

_WALKED = 400


def handed_over(case: Case, backward: Backward, sources: set[int], targets: set[int]) -> Site | None:
    """The call that was given the gradient of `sources` to make the update of `targets`, if they have one of theirs."""
    if case.recording.framework != "jax":
        return None
    gradients = {backward.given[v] for v in sources if v in backward.given}
    ours, theirs = set[Site](), set[Site]()
    for step in case.recording.steps:
        for variable, value in step.taken.items():
            if variable in targets | sources and (site := _enters(case, value, gradients)) is not None:
                (ours if variable in targets else theirs).add(site)
    return next(iter(ours)) if len(ours) == 1 and theirs and not ours & theirs else None


def _enters(case: Case, value: int, gradients: set[int]) -> Site | None:
    """Where one of these gradients goes into what an update is made of."""
    todo, seen = [value], {value}
    while todo and len(seen) < _WALKED:
        made = case.made_by.get(todo.pop())
        if made is None:
            continue
        if any(v in gradients for v in made.inputs):
            return case.site(made.stack)
        fresh = [v for v in made.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return None
