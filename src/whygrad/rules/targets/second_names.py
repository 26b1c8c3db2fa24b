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
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.targets.objective import bootstraps, objectives


@dataclass(frozen=True, slots=True)
class SecondName:
    """The variables, the loss whose target they make, where the name was bound, and both names."""

    members: frozenset[int]
    backward: Backward
    where: Site
    name: str
    other: str


def second_names(case: Case) -> Iterator[SecondName]:
    """Each network once."""
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    told: set[Site] = set()
    for objective in objectives(case):
        for target in bootstraps(case, objective, live=False):
            read = objective.read.get(target.value, 0) & ~objective.trained
            members = frozenset(objective.variables(read)) & case.trained
            for site, name, other in _bound(case, files, target.value, members) if members else ():
                if site not in told and _handed_both(files, name, other):
                    told.add(site)
                    yield SecondName(members, objective.backward, site, name, other)


def _bound(case: Case, files: list[str], value: int, members: frozenset[int]) -> Iterator[tuple[Site, str, str]]:
    """The names that the calls on the way to a value were given, and that were bound to another name."""
    names: dict[str, None] = {}
    todo, seen = [value], {value}
    while todo:
        op = case.made_by.get(todo.pop())
        if op is None:
            continue
        if any(case.content.get(v) in members for v in op.inputs):
            for site in case.stack(op.stack):
                names.update(dict.fromkeys((*syntax.arguments(site), syntax.callee(site))))
        fresh = [v for v in op.inputs if v not in seen]
        seen.update(fresh)
        todo.extend(fresh)
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
