"""Where variables were made: the line that says most about a layer, a network, or a part of one."""

from __future__ import annotations

from whygrad.flow.site import Site, Stack
from whygrad.flow.source import line_text
from whygrad.flow.syntax import around, assignments, expression_around
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
    shared: Site | None = None
    for depth, sites in enumerate(zip(*(reversed(stack) for stack in stacks), strict=False)):
        if len({(s.file, s.line, s.function) for s in sites}) > 1:
            part = any(not case.family(case.variable(v).network, members) <= members for v in members)
            alone = part and _made_alone(case, members, stacks[0][len(stacks[0]) - depth :], sites[0])
            beside = len({(s.file, s.function) for s in sites}) == 1
            first = min(sites, key=lambda s: s.line) if shared is not None else None
            if beside and (shared is None or (part and not alone)):
                shared = expression_around(sites) or first
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


def _made_alone(case: Case, members: set[int], made: Stack, inside: Site) -> bool:
    """Whether a call made one whole part of a network and nothing besides, and its name is given outside of the call.

    Of the elements of a list, which one line makes, each is looked at by itself.
    """
    below = _below(case)
    whole = {part for v in members if (part := whole_part(case, v, members))}
    if len(whole) != 1 or not made:
        return False
    name = whole.pop()
    steps = steps_of_name(name)
    _, _, function = around(inside)
    first, last = (function.lineno, function.end_lineno or 0) if function is not None else (0, 0)
    if any(first <= site.line <= last for site, _ in assignments(inside.file).get(f"self{steps[-1]}", ())):
        return False
    places = [(s.file, s.line, s.function) for s in made]
    return all(
        [(s.file, s.line, s.function) for s in case.stack(case.variable(v).created)[-len(made) :]] != places
        for v in below.get("".join(steps[:-1]), set()) - members
    )


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
