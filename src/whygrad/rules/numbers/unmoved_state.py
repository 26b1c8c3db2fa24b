"""Weights of a recurrent network that never see a state: the loop hands on the zeros that it began with.

A constant input of zeros (a decoder that is fed nothing) is quiet: only what a loop carries along counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site, shared_site
from whygrad.rules.case import Case
from whygrad.rules.cuts.last_use import last_use
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.numbers.flatness import Dead, dead_ends, pass_before, was_alive, zero_gradients
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W401", "zero-gradient"

_ENOUGH = 3
_FAR = 200


def unmoved_states(case: Case) -> Iterator[Finding]:
    """JAX: loops that carry zeros along as they are, and weights that are multiplied with nothing else."""
    if case.recording.framework != "jax":
        return
    found: dict[tuple[str, Site | None], Dead] = {}
    for variable, steps in zero_gradients(case).items():
        if len(steps) < _ENOUGH or variable not in case.trained or was_alive(case, variable):
            continue
        backward = pass_before(case, steps[-1], variable)
        for dead in dead_ends(case, backward, steps[-1], {variable}) if backward is not None else ():
            state = case.recording.values.get(dead.entering) if dead.entering is not None else None
            if dead.why == "zero input" and state is not None and state.kept and state.steady:
                found.setdefault((state.kept, _in_body(case, dead)), dead).variables.add(variable)
                break
    for (name, where), dead in found.items():
        if _dropped_inside(case, dead, name):
            continue
        loss, members = case.loss_site(dead.backward), dead.variables
        stations = [(where, dead.op.name, "given the same zeros in each round"), (loss, "loss", "the loss")]
        gets = verb(members, case, "gets", "get")
        yield Finding(
            code=CODE, rule=NAME, severity="warning",
            message=f"{subject(case, members)} {gets} a gradient of exactly zero from the loss{at_line(loss, where)}",
            label="given the same zeros in each round",
            why=f"The loop hands `{name}` on as it is, so that it stays the zeros it began with, and what is "
            "multiplied with zeros gets no gradient. It was so in every update that was looked at.",
            fix=f"return the new state of the step in the place of `{name}`",
            variables=case.names(members), where=where, loss=loss, seen=len(zero_gradients(case)[min(members)]),
            path=tuple(PathStep(site, op, role) for site, op, role in stations if site is not None),
        )  # fmt: skip


def _dropped_inside(case: Case, dead: Dead, name: str) -> bool:
    """Whether a network computes with the state, and nothing of it reaches the loss: W105 names what is dropped."""
    for missing in missing_gradients(case):
        if missing.backward.stack != dead.backward.stack:
            continue
        ops = last_use(case, missing, set(missing.unreached)).values()
        todo, seen = [v for op in ops for v in op.inputs], set[int]()
        while todo and len(seen) < _FAR:
            number = todo.pop()
            value, made = case.recording.values.get(number), case.made_by.get(number)
            if value is not None and value.kept == name:
                return True
            fresh = [v for v in made.inputs if v not in seen] if made is not None else []
            seen.update(fresh)
            todo.extend(fresh)
    return False


def _in_body(case: Case, dead: Dead) -> Site | None:
    """The line of the loop's body: one further in than the function that made the zeros and runs the loop."""
    inner = case.stack(dead.op.stack)
    outer = case.stack(dead.zero.stack) if dead.zero is not None else ()
    for level in range(len(outer)):
        site = shared_site(inner, outer[level:])
        if site is not None:
            return inner[max(0, inner.index(site) - 1)]
    return case.site(dead.op.stack)
