"""JAX: a network that changes in place (Flax NNX) and makes the actions of a target by a second name of its own.

The target of the critic takes its actions from the policy. That may be meant (SAC); where the program hands one call
both names, as it hands a sync the network and its target, there were to be two networks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import syntax
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import bootstraps, objectives

_OFTEN = 2


@dataclass(frozen=True, slots=True)
class SecondName:
    """The variables, the loss whose target they make, where the name was bound, and both names."""

    members: frozenset[int]
    backward: Backward
    where: Site
    name: str
    other: str


def second_names(case: Case) -> Iterator[SecondName]:
    """Each network once: one that every target after an update has used as the update left it."""
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    found: dict[Site, SecondName] = {}
    current: dict[Site, list[bool]] = {}
    for objective in objectives(case):
        for target in bootstraps(case, objective, live=False):
            read = objective.read.get(target.value, 0) & ~objective.trained
            members = frozenset(objective.variables(read)) & case.trained
            uses = _uses(case, target.value, members) if members else []
            changed = [op for op in uses if any(s.at < op.at and s.applied & members for s in case.recording.steps)]
            for site, name, other in _bound(case, files, uses, members) if changed else ():
                current.setdefault(site, []).append(all(_is_current(case, op, members) for op in changed))
                if site not in found and _handed_both(files, name, other):
                    found[site] = SecondName(members, objective.backward, site, name, other)
    for site, one in found.items():
        # What is copied now and then is current right after it; one object by two names is so always.
        if len(current[site]) >= _OFTEN and all(current[site]):
            yield one


def _uses(case: Case, value: int, members: frozenset[int]) -> list[Op]:
    """The operations on the way to a value that take in one of these variables."""
    found: list[Op] = []
    todo, seen = [value], {value}
    while todo:
        op = case.made_by.get(todo.pop())
        if op is None:
            continue
        if any(case.content.get(v) in members for v in op.inputs):
            found.append(op)
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _is_current(case: Case, op: Op, members: frozenset[int]) -> bool:
    """Whether an operation was given what the last update before it had made of the variables."""
    held: dict[int, int] = {}
    for step in case.recording.steps:
        if step.at < op.at:
            held.update({v: step.after[v] for v in members if v in step.after})
    # A compiled function hands what it was given on under a later number.
    return all(v >= held.get(case.content[v], v) for v in op.inputs if case.content.get(v) in members)


def _bound(case: Case, files: list[str], uses: list[Op], members: frozenset[int]) -> Iterator[tuple[Site, str, str]]:
    """The names that these calls were given, and that were bound to another name."""
    names: dict[str, None] = {}
    for op in uses:
        for site in case.stack(op.stack):
            names.update(dict.fromkeys((*syntax.arguments(site), syntax.callee(site))))
    words = {word for v in members for word in re.findall(r"\w+", case.variable(v).name)}
    for name in filter(None, names):
        for site, bound in syntax.bindings(files, name):
            other = syntax.dotted(bound)
            if other != name and other.rpartition(".")[2] in words:  # a network's name, and no batch's
                yield site, name, other


def _handed_both(files: list[str], name: str, other: str) -> bool:
    """Whether one call is given both names."""
    for file in files:
        tree = syntax.tree_of(file)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                given = {syntax.dotted(argument) for argument in (*node.args, *(k.value for k in node.keywords))}
                if {name, other} <= given:
                    return True
    return False
