"""JAX: the gradient is taken at a copy, the target, and applied to what it was copied from.

`value_and_grad(loss)(state.target_params)`, then `state.apply_gradients(grads=grads)`: the two trees are alike, and
nothing complains. A copy that is made anew for each gradient is meant so: weights that were adapted, a worker's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.events import Backward, Step
from whygrad.flow.site import Site
from whygrad.rules.case import Case, asked_once
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.crossings import crossings
from whygrad.rules.updates.history import trace
from whygrad.rules.updates.older_content import read_for
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W204", "crossed-wires"
_AGAIN = 2
_NEAR, _FAR = 24, 200
_CHOICES = frozenset({"cond", "where", "select_n"})


@dataclass(slots=True)
class TakenAtCopy:
    """Variables that stay what was copied, the request for their gradient, and the updates that use it elsewhere."""

    variables: set[int]
    backward: Backward
    steps: list[Step]


@asked_once
def taken_at_copies(case: Case) -> list[TakenAtCopy]:
    """By the place of the update."""
    recording = case.recording
    moved = {v for s in recording.steps for v in (*s.applied, *s.without)} | recording.moved_later
    found = []
    for uses in _by_place(case).values():
        members, asked = set(), None
        for variable in {u.variable for u in uses} - moved:
            chain = [u for u in uses if u.variable == variable]
            if _stays_behind(case, chain):
                members.add(variable)
                asked = chain[0].backward
        if asked is not None:
            found.append(TakenAtCopy(members, asked, list({u.step.at: u.step for u in uses}.values())))
    return found


@dataclass(slots=True)
class _Use:
    """The gradient of a variable, taken at one content of it, that went into an array of something else."""

    variable: int
    step: Step
    backward: Backward
    before: int
    after: int

    @property
    def read(self) -> int:
        return self.backward.read[self.variable]


def _by_place(case: Case) -> dict[int, list[_Use]]:
    """Gradients that went into arrays which are not their variable's: those that nobody knows, or another network's."""
    if case.recording.framework != "jax":
        return {}
    pairs = [(s, v, v) for s in case.recording.astray for v in s.applied]
    told = crossings(case)
    for step in (s for s in case.recording.steps if s.stack not in told):
        for target, value in step.taken.items():
            sources = {share.variable for share in trace(case, value)}
            if len(sources) == 1 and target not in sources:
                pairs.append((step, sources.pop(), target))
    found: dict[int, list[_Use]] = {}
    for step, variable, target in pairs:
        backward = read_for(case, variable, step)
        if backward is not None:
            use = _Use(variable, step, backward, step.before[target], step.after[target])
            found.setdefault(step.stack, []).append(use)
    return found


def _stays_behind(case: Case, chain: list[_Use]) -> bool:
    """Whether what a gradient is taken at goes on as it was, a copy of what the updates change one after the other."""
    if not all(case.is_made_of(b.before, {a.after}, _NEAR) for a, b in pairwise(chain)):
        return False
    originals = {n for use in chain for n in (use.before, use.after)}
    if not any(case.is_made_of(use.read, originals, _FAR) for use in chain):
        return False
    again = sum(a.read == b.read for a, b in pairwise(chain))
    if again >= _AGAIN:
        return True
    # Of a loop two rounds are known. A sync in a branch leaves it as it was in others; an average goes on from itself.
    return any(
        _may_stay(case, a.read, b.read) or (_goes_on(case, a.read, b.read, originals) and _makes_the_target(case, a))
        for a, b in pairwise(chain)
    )


def _may_stay(case: Case, old: int, new: int) -> bool:
    """Whether the new content is chosen, and the old one is what it can be."""
    made = case.made_by.get(new)
    return made is not None and made.name in _CHOICES and any(_behind(case, v) == old for v in made.inputs)


def _goes_on(case: Case, old: int, new: int, others: set[int]) -> bool:
    """Whether the new content is the old one still, or has a share of it, and not only by way of the others."""
    todo, seen = [new], {new}
    while todo and len(seen) < _NEAR:
        number = todo.pop(0)
        if number == old:
            return True
        made = case.made_by.get(number)
        fresh = [v for v in made.inputs if v not in seen | others] if made is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return False


def _makes_the_target(case: Case, use: _Use) -> bool:
    """Whether the same content enters the same loss as a constant: an average that an optimizer keeps does not."""
    ops = case.slice(use.backward).ops
    return any(use.read in op.inputs and op.name != "read_value" for op in ops)


def _behind(case: Case, value: int) -> int:
    made = case.made_by.get(value)
    return made.inputs[0] if made is not None and made.name == "captured" else value


def findings(case: Case) -> Iterator[Finding]:
    """One for each place."""
    for one in taken_at_copies(case):
        where, applied = case.site(one.backward.stack), case.site(one.steps[0].stack)
        stations: list[tuple[Site | None, str, str]] = [
            (where, "grad", "the gradient of the copy"), (applied, "update", "applied to the original"),
        ]  # fmt: skip
        yield Finding(
            code=CODE, rule=NAME, severity="error",
            message=f"the gradient is taken at {subject(case, one.variables)}, and applied{at_line(applied, where)} to "
            f"what {verb(one.variables, case, 'it is a copy', 'they are copies')} of",
            why="The update changes other arrays than those that the loss is computed with. While the copy stays as it "
            "is, the loss does not see what the steps have changed.",
            fix="take the gradient at the parameters that the update changes; keep the copy for the targets",
            variables=case.names(one.variables), where=where, label="takes the gradient of a copy",
            loss=case.loss_site(one.backward), seen=len(one.steps),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip
