"""Where variables were made: the line that says most about a layer, a network, or a part of one."""

from __future__ import annotations

from whygrad.flow.site import Site, Stack
from whygrad.flow.source import line_text
from whygrad.rules.case import Case


def created_at(case: Case, members: set[int]) -> Site | None:
    """The line that made all of these variables: the innermost one that their creation stacks share.

    Where a part of a network is made line by line in one function, the first of its lines says more than its call.
    """
    stacks = [_outside_model(case, v, members) for v in sorted(members)]
    stacks = [stack for stack in stacks if stack]
    if not stacks:
        return None
    shared: Site | None = None
    for sites in zip(*(reversed(stack) for stack in stacks), strict=False):
        if len({(s.file, s.line, s.function) for s in sites}) > 1:
            part = any(not case.family(case.variable(v).network, members) <= members for v in members)
            if shared is not None and part and len({(s.file, s.function) for s in sites}) == 1:
                shared = min(sites, key=lambda s: s.line)
            break
        shared = sites[0]
    return shared or stacks[0][0]


def _outside_model(case: Case, variable: int, members: set[int]) -> Stack:
    """The creation of a variable as seen from outside its network, where the whole network is meant."""
    one = case.variable(variable)
    stack = case.stack(one.created)
    family = case.family(one.network, members)
    if not one.model or not family <= members:
        return stack
    outside = [site for site in stack if not site.function.startswith(f"{one.model}.")]
    while len(outside) > 1 and line_text(outside[0].file, outside[0].line).lstrip().startswith("return "):
        outside.pop(0)  # a function that builds networks: its caller tells which one
    return tuple(outside) or stack
