"""JAX: an optimizer makes updates of the gradients, and they are added to nothing."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.events import Edit
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.wording import plain_subject, subject, verb

CODE, NAME = "W206", "update-discarded"


def never_added(case: Case) -> Iterator[Finding]:
    """An optimizer made updates of gradients, and nothing was ever added to the parameters."""
    recording = case.recording
    stepped = {v for step in recording.steps for v in step.before} | _given_to_others(case)
    edits: dict[Site | None, list[Edit]] = {}
    for edit in recording.edits:
        if edit.kind == "other" and edit.call == "update" and not edit.variables & stepped:
            edits.setdefault(case.site(edit.stack), []).append(edit)
    for where, found in edits.items():
        variables = set().union(*(edit.variables for edit in found))
        reads = [b.read for b in recording.backwards if not b.implicit and variables <= set(b.read)]
        if len(reads) < 2 or any(reads[0][v] != read[v] for read in reads for v in variables):
            continue
        network = plain_subject(case, variables).strip("`")
        yield Finding(
            code=CODE,
            rule=NAME,
            severity="error",
            message=f"{subject(case, variables)} {verb(variables, case, 'keeps', 'keep')} the first values: the "
            "optimizer's updates are computed and never applied",
            why="An Optax optimizer returns what is to be added to the parameters. It changes none of them itself.",
            fix=f"apply them: {network} = optax.apply_updates({network}, updates)",
            variables=case.names(variables),
            where=where,
            label="these updates are added to nothing",
            path=stations((where, "update", "computed and dropped")),
            seen=len(found),
        )


def _given_to_others(case: Case) -> set[int]:
    """Variables whose gradient was applied, if to another variable or array: that is for W204 and W202 to say."""
    recording = case.recording
    given = {value: v for b in recording.backwards for v, value in b.given.items()}
    todo = [value for step in (*recording.steps, *recording.astray) for value in step.taken.values()]
    found, seen = set[int](), set(todo)
    while todo:
        value = todo.pop()
        if value in given:
            found.add(given[value])
            continue
        made = case.made_by.get(value)
        fresh = [v for v in made.inputs if v not in seen] if made is not None and made.name != "gradient" else []
        seen.update(fresh)
        todo.extend(fresh)
    return found
