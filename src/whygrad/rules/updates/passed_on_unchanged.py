"""JAX: parts of a network that an update hands on as they were, while it changes the parts beside them.

An update is recognised by its arithmetic, and a part of a network may be updated by other means. But where the very
same array is read again for the next gradient, and nothing was ever made of its own gradient, there was no update. A
program that chooses, by a condition beside the update, means what it leaves out.
"""

from __future__ import annotations

import ast

from whygrad.flow.site import Site
from whygrad.flow.syntax import around
from whygrad.rules.case import Case, asked_once

_AGAIN = 2
_CHOOSES = (ast.If, ast.IfExp, ast.Match)


@asked_once
def passed_on(case: Case) -> set[int]:
    """Variables that keep their array over several updates of their neighbours."""
    recording = case.recording
    asked = [b for b in recording.backwards if not b.implicit and b.error is None]
    if recording.framework != "jax" or len(asked) < _AGAIN or any(_chosen(case.site(s.stack)) for s in recording.steps):
        return set()
    used = {value for op in recording.ops.values() for value in op.inputs}
    touched = {v for b in asked for v, value in b.given.items() if value in used}
    read: dict[int, list[int]] = {}
    for op in recording.ops.values():
        if op.name == "read_value" and (variable := case.content.get(op.outputs[0])) is not None:
            read.setdefault(variable, []).append(op.inputs[0])
    moved = {v for s in recording.steps for v in s.applied}
    return {
        v
        for v, contents in read.items()
        if len(contents) >= _AGAIN
        and len(set(contents)) == 1
        and v not in touched
        and _beside(case, v, moved, read)
        and sum(v in b.given for b in asked) >= _AGAIN
    }


def _beside(case: Case, variable: int, moved: set[int], read: dict[int, list[int]]) -> bool:
    """Whether another part of the same network was updated between two of its readings."""
    network = case.variable(variable).network
    return any(case.variable(v).network == network and len(set(read.get(v, ()))) >= _AGAIN for v in moved)


def _chosen(site: Site | None) -> bool:
    """Whether a condition stands in the function that updates: what it passes over is left alone on purpose."""
    if site is None:
        return False
    statement, _, function = around(site)
    whole = function or statement
    nodes = list(ast.walk(whole)) if whole is not None else []
    return any(isinstance(n, _CHOOSES) or (isinstance(n, ast.comprehension) and n.ifs) for n in nodes)
