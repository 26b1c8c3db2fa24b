"""The table of a whole update, worked out from a recording: which loss trains which network, by which optimizer."""

from __future__ import annotations

import re

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.ownership import STRONGEST, Cell, LossRow, Network, OptimizerRow, Ownership, State
from whygrad.flow.site import Site
from whygrad.flow.source import expression, line_text
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case, asked_of_each_pass
from whygrad.rules.updates.history import history
from whygrad.rules.updates.replaced import UNNAMED

_LOSSES, _NETWORKS = 24, 24
_ASSIGNED = re.compile(r"\s*([A-Za-z_][\w.\[\]'\"]*)\s*(?::[^=]+)?=(?!=)")


def ownership(case: Case) -> Ownership | None:
    """The table of one recording; None where nothing was trained."""
    recording = case.recording
    losses = _losses(case)
    if not losses:
        return None
    stepped = [o for o in recording.optimizers.values() if any(s.optimizer == o.id for s in recording.steps)]
    place = {o.id: index for index, o in enumerate(stepped)}
    networks = _networks(case, losses)
    columns = [_column(case, name, networks, place) for name in networks]
    rows = [_row(case, passes, list(networks.values()), place) for passes in losses[:_LOSSES]]
    optimizers = [
        OptimizerRow(_named(case, o), o.name, case.site(o.created), sum(s.optimizer == o.id for s in recording.steps))
        for o in stepped
    ]
    return Ownership(recording.framework, tuple(rows), tuple(columns), tuple(optimizers))


def _losses(case: Case) -> list[list[Backward]]:
    """Backward passes by the place where their loss is computed; several requests for one loss are one."""
    held = {v for o in case.recording.optimizers.values() for v in o.holds}
    places: dict[object, list[Backward]] = {}
    for backward in case.recording.backwards:
        if backward.implicit or backward.loss is None or backward.call in ("check", ".grad"):
            continue
        if not any(case.variable(v).parameter or v in held for v in (*backward.got, *backward.wanted)):
            continue  # a gradient with respect to an input
        site = case.loss_site(backward)
        key = (site.file, site.line, site.column) if site is not None else None
        places.setdefault(key, []).append(backward)
    return list(places.values())


def _networks(case: Case, losses: list[list[Backward]]) -> dict[str, set[int]]:
    """The networks that some loss uses or some optimizer holds, in the order in which they were made."""
    recording = case.recording
    held = {v for o in recording.optimizers.values() for v in o.holds}
    found: dict[str, set[int]] = {}
    for variable in recording.variables.values():
        if not (variable.parameter or variable.id in held) or variable.network == UNNAMED:
            continue
        uses = (variable.id in case.used_by(b) or variable.id in b.got for group in losses for b in group)
        if variable.id in held or any(uses):
            found.setdefault(variable.network, set()).add(variable.id)
    parts = [part for name, members in found.items() for part in _parts(case, losses, name, members)]
    return dict(parts[:_NETWORKS])


def _parts(case: Case, losses: list[list[Backward]], name: str, members: set[int]) -> list[tuple[str, set[int]]]:
    """A model that keeps actor and critic under one roof is several networks to its losses."""
    alike: dict[object, dict[str, set[int]]] = {}
    for variable in sorted(members):
        treated = tuple((state, frozenset(by)) for state, by in (_state(case, p, variable) for p in losses))
        rest = case.variable(variable).name.removeprefix(f"{name}.")
        child = rest.partition(".")[0]
        alike.setdefault(treated, {}).setdefault(child, set()).add(variable)
    if len(alike) == 1:
        return [(name, members)]
    most = max(alike.values(), key=len)
    found: dict[str, set[int]] = {}
    for children in alike.values():
        for child, group in children.items():
            whole = len(children) > 3 and children is most
            found.setdefault(name if whole else f"{name}.{child}", set()).update(group)
    return list(found.items())


def _column(case: Case, name: str, networks: dict[str, set[int]], place: dict[int, int]) -> Network:
    recording, members = case.recording, networks[name]
    sources = {v.copy_of for m in members if (v := case.variable(m)).copy_of is not None}
    sources |= {copy.source for copy in recording.copies if copy.target in members}
    origin = {other for other, theirs in networks.items() if theirs & sources} - {name}
    holders = [place[o.id] for o in recording.optimizers.values() if o.id in place and o.holds & members]
    trained = any(s.applied & members for s in recording.steps)
    return Network(
        name, len(members), next(iter(sorted(origin)), "") if not trained else "",
        not any(case.variable(v).trainable for v in members), tuple(sorted(holders)),
    )  # fmt: skip


def _row(case: Case, passes: list[Backward], networks: list[set[int]], place: dict[int, int]) -> LossRow:
    site = case.loss_site(passes[0])
    updates = len({b.loss for b in passes})
    return LossRow(_label(case, passes[0], site), site, updates, tuple(_cell(case, passes, n, place) for n in networks))


def _cell(case: Case, passes: list[Backward], members: set[int], place: dict[int, int]) -> Cell:
    states: dict[State, set[int]] = {}
    appliers: set[int] = set()
    for variable in members:
        state, by = _state(case, passes, variable)
        states.setdefault(state, set()).add(variable)
        appliers |= {place[number] for number in by if number in place}
    best = min(states, key=STRONGEST.index)
    return Cell(best, len(states[best]), tuple(sorted(appliers)) if best == "applied" else ())


def _state(case: Case, passes: list[Backward], variable: int) -> tuple[State, set[int]]:
    """What the passes of one loss do to one variable; the optimizers that apply it."""
    told = history(case)
    came = [b for b in passes if variable in b.got]
    by = {s.optimizer for b in came for s in told.applied.get((b.at, variable), ())}
    if not by and any(b.call != "backward" for b in came):
        by = _unfollowed(case, came, variable)
    if by:
        return "applied", by
    if came:  # the last pass of the recording may not have been cleared yet
        return ("cleared" if any((b.at, variable) in told.cleared for b in came) else "unapplied"), set()
    if any(variable in within_reach(case, b) for b in passes if b.wanted):
        return "unasked", set()
    return ("stopped" if any(variable in case.used_by(b) for b in passes) else "unused"), set()


@asked_of_each_pass
def within_reach(case: Case, backward: Backward) -> set[int]:
    """Variables that the gradient of a loss would arrive at, asked for or not."""
    arrived = reach.gradient_reach(case.recording, case.slice(backward, reach.CERTAIN), backward.tape)
    return {case.content[n] for n in arrived if n in case.content}


def _unfollowed(case: Case, came: list[Backward], variable: int) -> set[int]:
    """Where a gradient was lost sight of on its way (packed, averaged over workers): the next step that applies one."""
    told = history(case)
    found = set()
    for backward in came:
        step = next((s for s in case.recording.steps if s.at > backward.at and variable in s.applied), None)
        if step is not None and variable not in told.fed.get(step.at, {}):
            found.add(step.optimizer)
    return found


def _label(case: Case, backward: Backward, site: Site | None) -> str:
    if site is None:
        return "the loss"
    return _called(site) or expression(site, 40)


def _named(case: Case, optimizer: Optimizer) -> str:
    """What the program calls an optimizer; one that a network made for itself goes by that network's name."""
    site = case.site(optimizer.created)
    label = _called(site)
    owners = {(v.network, v.model) for n in optimizer.holds if (v := case.variable(n)).model}
    if site is not None and label and len(owners) == 1:
        network, model = next(iter(owners))
        if site.function.startswith(f"{model}."):
            return f"{network}.{label}"
    return label or optimizer.name


def _called(site: Site | None) -> str:
    """What the program calls the result of an expression: `actor_loss` of `actor_loss = …`."""
    if site is None:
        return ""
    text = line_text(site.file, site.line)
    found = _ASSIGNED.match(text[text.rfind(";", 0, site.column) + 1 :])  # of several statements on a line, its own
    return found.group(1).removeprefix("self.") if found is not None else ""
