"""Layers of a list of which a loop runs all but some: `for block in self.blocks[:-1]`.

Nothing is wrong with the layer that is left out, nor with the line that made it: the loop is the line to change.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.flow.syntax import around, at_node, spoken_in
from whygrad.rules.case import Case
from whygrad.rules.cuts.creation import created_at
from whygrad.rules.cuts.missing import Missing
from whygrad.rules.cuts.stand_ins import severity_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.wording import at_line, subject, verb

CODE, NAME = "W105", "loss-ignores"
_ELEMENT = re.compile(r"\[\d+\]|\.\d+(?=\.|$)")


def left_out_of_loop(case: Case, missing: Missing, never: set[int]) -> Iterator[tuple[set[int], Finding]]:
    """Of what was never computed, the elements of lists whose other elements a loop runs."""
    values = case.recording.values
    read = {values[v].variable for v in missing.part.values if v in values}
    told: set[int] = set()
    for name, elements in sorted(_lists(case).items()):
        lost = {v for members in elements.values() if members <= never for v in members} - told
        used = {v for members in elements.values() for v in members if v in read}
        loop = _loop(case, missing, name, used) if lost and used else None
        if loop is not None:
            told |= lost
            yield lost, _finding(case, missing, name, lost, loop)


def _lists(case: Case) -> dict[str, dict[str, set[int]]]:
    """The variables below each list, by element."""
    found: dict[str, dict[str, set[int]]] = {}
    for variable in case.recording.variables.values():
        for element in _ELEMENT.finditer(variable.name):
            name = variable.name[: element.start()]
            found.setdefault(name, {}).setdefault(element.group(0), set()).add(variable.id)
    return found


def _loop(case: Case, missing: Missing, name: str, used: set[int]) -> Site | None:
    """What the loop runs over that calls the others."""
    words = re.findall(r"[^\W\d]\w*", name)
    values = case.recording.values
    for op in missing.part.ops:
        if not words or not any(v in values and values[v].variable in used for v in op.inputs):
            continue
        for site in case.stack(op.stack):
            over = next((loop.iter for loop in reversed(around(site)[1]) if _speaks_of(loop.iter, words[-1])), None)
            if over is not None:
                return at_node(site, over)
    return None


def _speaks_of(node: ast.expr, word: str) -> bool:
    keys = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return word in spoken_in(node) | keys


def _finding(case: Case, missing: Missing, name: str, members: set[int], loop: Site) -> Finding:
    made, loss = created_at(case, members), case.loss_site(missing.backward)
    steps = [(made, "creation", "made here"), (loop, "loop", "and not run here"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity=severity_of(case, members, missing),
        message=f"{subject(case, members)} {verb(members, case, 'gets', 'get')} no gradient: the loop{at_line(loop)} "
        f"runs the others of `{name}`, and not {verb(members, case, 'it', 'them')}",
        why="It exists and the optimizer holds it, but the forward pass never uses it.",
        fix=f"let the loop run over all of `{name}`, or make no more of them than it runs",
        variables=case.names(members), where=loop, label=f"runs a part of `{name}`", loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=missing.update, seen=missing.seen,
    )  # fmt: skip
