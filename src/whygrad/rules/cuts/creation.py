"""Where variables were made: the line that says most about a layer, a network, or a part of one."""

from __future__ import annotations

import itertools

from whygrad.flow.site import Site, Stack
from whygrad.flow.source import is_given_back, is_statement
from whygrad.flow.syntax import expression_around
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.consumer import steps_of_name


def created_at(case: Case, members: set[int]) -> Site | None:
    """The line that made all of these variables: the innermost one that their creation stacks share.

    Where a part of a network is made line by line in one function, the first of its lines says more than its call;
    unless the call made just that part: `self.middle = Block(16)` says which of many blocks is meant, and the lines of
    `Block` do not.
    """
    stacks = [_outside_model(case, v, members) for v in sorted(members)]
    stacks = [stack for stack in stacks if stack]
    if not stacks:
        return None
    levels: list[Stack] = list(zip(*(reversed(stack) for stack in stacks), strict=False))
    shared = list(itertools.takewhile(lambda sites: len({_line(s) for s in sites}) == 1, levels))
    parted = levels[len(shared)] if len(shared) < len(levels) else None
    part = any(not case.family(case.variable(v).network, members) <= members for v in members)
    alone = _made_alone(case, members, [sites[0] for sites in levels]) if part else None
    if alone is not None and alone < len(shared):
        return shared[alone][0]
    if parted is not None and (part or not shared) and len({(s.file, s.function) for s in parted}) == 1:
        found = expression_around(parted)
        if found is not None or shared:
            return found or min(parted, key=lambda s: s.line)
    return shared[-1][0] if shared else stacks[0][0]


def _line(site: Site) -> tuple[str, int, str]:
    return site.file, site.line, site.function


def _outside_model(case: Case, variable: int, members: set[int]) -> Stack:
    """The creation of a variable as seen from outside its network, where the whole network is meant."""
    one = case.variable(variable)
    stack = case.stack(one.created)
    family = case.family(one.network, members)
    if not one.model or not family <= members:
        return stack
    outside = [site for site in stack if not site.function.startswith(f"{one.model}.")]
    while len(outside) > 1 and is_given_back(outside[0]):
        outside.pop(0)  # a function that builds networks: its caller tells which one
    return tuple(outside) or stack


def _made_alone(case: Case, members: set[int], calls: list[Site]) -> int | None:
    """The outermost of these calls that made whole parts of a network and nothing besides, and gives them back.

    What a loop makes by the same lines (the elements of a list) counts for the same; which of it is meant, names tell.
    """
    names = {whole_part(case, v, members) for v in members}
    if "" in names:
        return None
    stacks = {v.id: tuple(_line(s) for s in reversed(case.stack(v.created))) for v in case.recording.variables.values()}
    ours = {stacks[v] for v in members}
    others = {stack for v, stack in stacks.items() if stack not in ours and case.variable(v).trainable}
    way = tuple(_line(site) for site in calls)
    for depth, call in enumerate(calls[:-1]):
        if not is_statement(call) and not any(stack[: depth + 1] == way[: depth + 1] for stack in others):
            return depth
    return None


def whole_parts(case: Case, members: set[int]) -> list[set[int]]:
    """Variables by the largest part of a network that consists of such alone; else by their layer."""
    groups: dict[str, set[int]] = {}
    for member in sorted(members):
        one = case.variable(member)
        groups.setdefault(whole_part(case, member, members) or one.owner or one.name, set()).add(member)
    return list(groups.values())


def whole_part(case: Case, variable: int, members: set[int]) -> str:
    """The largest part of its network (`model.middle`) of which all variables are among these; empty where none is."""
    steps, below = steps_of_name(case.variable(variable).name), _below(case)
    names = ("".join(steps[:count]) for count in range(1, len(steps)))
    return next((name for name in names if below[name] <= members), "")


@asked_once
def _below(case: Case) -> dict[str, set[int]]:
    """For each part of a network, by its name, the variables that could be trained in it."""
    found: dict[str, set[int]] = {}
    for variable in case.recording.variables.values():
        steps = steps_of_name(variable.name)
        for count in range(1, len(steps)):
            found.setdefault("".join(steps[:count]), set()).update({variable.id} if variable.trainable else ())
    return found
