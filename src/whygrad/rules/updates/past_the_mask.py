"""JAX: gradients that a mask lets past the optimizer, so that they are added to the weights as they are."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.left_out_by import left_out_by
from whygrad.rules.wording import at_line, plain_subject, subject, verb

_OFTEN = 2
_FAR = 50


def _unchanged(case: Case, taken: int, gradient: int) -> bool:
    """Whether what was applied is the gradient itself, at most clipped."""
    todo, seen = [taken], {taken}
    while todo:
        value = todo.pop()
        made = case.made_by.get(value)
        if value == gradient:
            continue
        if made is None or made.clips is None or len(seen) > _FAR:
            return False
        same = [v for v in made.inputs if _shape(case, v) == _shape(case, taken) and v not in seen]
        seen.update(same)
        todo.extend(same)
    return gradient in seen


def _shape(case: Case, value: int) -> tuple[int | None, ...] | None:
    one = case.recording.values.get(value)
    return one.shape if one is not None else None


def past_the_mask(case: Case) -> Iterator[Finding]:
    """Of one update some variables get what the optimizer made, and others their bare gradient, time and again.

    `optax.masked` leaves what it is not to touch as it is, and that is the gradient, not zero.
    """
    recording = case.recording
    if recording.framework != "jax":
        return
    bare: dict[int, list[frozenset[int]]] = {}
    for step in (one for one in recording.steps if one.call != "update"):  # Optax applies it; by hand it is meant
        given = {v: n for b in recording.backwards if b.at < step.at for v, n in b.given.items()}
        plain = frozenset(v for v in step.applied if v in given and _unchanged(case, step.taken.get(v, -1), given[v]))
        bare.setdefault(step.stack, []).append(plain if plain < step.applied else frozenset())
    for stack, rounds in bare.items():
        members = set(frozenset.intersection(*rounds))
        where, backward = case.site(stack), next((b for b in recording.backwards if b.got & members), None)
        if not members or len(rounds) < _OFTEN or backward is None or where is None:
            continue
        told = left_out_by({site.file for sites in recording.stacks for site in sites if site.own})
        loss = case.loss_site(backward)
        steps = [(told, "optimizer", "is told what to leave alone"), (where, "update", "the gradient is added here")]
        yield Finding(
            code="W205", rule="wrong-network-trained", severity="error",
            message=f"{subject(case, members)} {verb(members, case, 'is', 'are')} moved by the bare gradient, which "
            "the optimizer lets past",
            why="A mask says what an optimizer works on. What it leaves out goes through unchanged, and that is the "
            f"gradient itself: it is added to {plain_subject(case, members)}{at_line(where, told or where)}, up the "
            "loss and with a rate of 1.",
            fix="set the rest to zero as well: optax.multi_transform({'train': tx, 'freeze': optax.set_to_zero()}, "
            "labels), or chain optax.masked(optax.set_to_zero(), the_other_mask)",
            variables=case.names(members), where=told or where, label="lets the gradient of the rest through",
            loss=loss, seen=len(rounds),
            path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        )  # fmt: skip
