"""JAX: optimizers that begin with the same state in every update, and networks that begin with the same parameters too.

New parameters that nothing uses are a matter of their own. Here they are used once more in the same update (another
loss is computed with them), and then both they and the new state of their optimizer are let go.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.updates.let_fall import let_fall
from whygrad.rules.updates.told_apart import told_apart

_BEGINS = frozenset({"init_fn", "init"})
"""Functions of Optax that make a first state."""


@dataclass(slots=True)
class Forgetful:
    """The updates of one optimizer that began anew, and the line that lets the state go."""

    where: Site | None
    variables: set[int]
    times: int
    whole: bool
    """The parameters are those from before the first update, too."""
    anew: bool = False
    """The state is made anew in every update (`optimizer.init(params)` inside of the step)."""


def forgetful(case: Case) -> list[Forgetful]:
    """Optimizers of which no update starts from the state that the one before has made."""
    by_optimizer: dict[int, list[Step]] = {}
    for step in case.recording.steps:
        if step.state:
            by_optimizer.setdefault(step.optimizer, []).append(step)
    found = []
    for optimizer, steps in by_optimizer.items():
        begins = [_begins(case, earlier, later) for earlier, later in pairwise(steps)]
        if begins and all(begin is not None for begin in begins):
            found.append(Forgetful(begins[0], set(steps[0].state), len(begins), False, anew=True))
            continue
        stale = [later for earlier, later in pairwise(steps)
                 if all(earlier.state.get(v) == value for v, value in later.state.items())]  # fmt: skip
        if len(steps) < 2 or len(stale) != len(steps) - 1:
            continue
        variables = set(steps[0].state)
        whole = all(one.before == steps[0].before for one in steps)
        if whole:
            others = [s.stack for s in case.recording.steps if s.optimizer != optimizer]
            where = let_fall(case.stack(steps[0].stack)) or told_apart(case, steps[0].stack, others)
        else:
            edit = next((e for e in case.recording.edits if e.call == "update" and e.variables & variables), None)
            where = case.site(edit.stack if edit is not None else steps[0].stack)
        found.append(Forgetful(where, variables, len(stale), whole))
    return found


def _begins(case: Case, earlier: Step, later: Step) -> Site | None:
    """Where the state of an update was made since the one before, which trained the same parameters on."""
    if not set(earlier.after.values()) & set(later.before.values()):
        return None  # another start: an inner loop, a task of its own
    made = [case.made_by.get(value) for value in later.state.values()]
    if not all(op is not None and op.inside in _BEGINS and op.at > earlier.at for op in made):
        return None
    return case.site(made[0].stack) if made[0] is not None else None
