"""Networks of one class that each make an optimizer: which call was to step the one that waits."""

from __future__ import annotations

from itertools import pairwise

from whygrad.flow.site import Site, Stack
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case


def called_for_another(case: Case, optimizer: Optimizer) -> Site | None:
    """The second of two calls of one function that step a sibling: `q1.train(batch)` twice, and `q2` never."""
    for sibling in _stepping(case, optimizer):
        stacks = dict.fromkeys(s.stack for s in case.recording.steps if s.optimizer == sibling.id)
        for one, other in pairwise(case.stack(number) for number in stacks):
            parted = _parting(one, other)
            if parted is not None:
                return parted
    return None


def built_among(case: Case, optimizer: Optimizer) -> Site | None:
    """Where the program makes what holds this optimizer, which a line makes for its siblings as well."""
    if not _stepping(case, optimizer):
        return None
    stack = case.stack(optimizer.created) if optimizer.created is not None else ()
    return next((site for site in stack if site.own and not site.function.endswith("__init__")), None)


def _stepping(case: Case, optimizer: Optimizer) -> list[Optimizer]:
    """Other optimizers that the same line makes, and that its class steps."""
    line, stepped = case.site(optimizer.created), {s.optimizer for s in case.recording.steps}
    others = [o for o in case.recording.optimizers.values() if o.id != optimizer.id and o.id in stepped]
    alike = [o for o in others if line is not None and _same_line(case.site(o.created), line)]
    return [o for o in alike if line is not None and _steps_itself(case, o, line.function.rpartition(".")[0])]


def _steps_itself(case: Case, optimizer: Optimizer, owner: str) -> bool:
    """Whether the class that makes an optimizer also steps it; elsewhere a loss of several may be stepped for one."""
    sites = [case.site(s.stack) for s in case.recording.steps if s.optimizer == optimizer.id]
    return bool(owner) and all(site is not None and site.function.rpartition(".")[0] == owner for site in sites)


def _parting(one: Stack, other: Stack) -> Site | None:
    """The later of the two lines of one function at which two ways to the same statement part."""
    if not one or not other or len(one) != len(other) or not _same_line(one[0], other[0]):
        return None
    outer = next(((a, b) for a, b in zip(reversed(one), reversed(other), strict=True) if a != b), None)
    if outer is None or (outer[0].file, outer[0].function) != (outer[1].file, outer[1].function):
        return None
    return max(outer, key=lambda site: site.line) if outer[0].line != outer[1].line else None


def _same_line(site: Site | None, other: Site) -> bool:
    return site is not None and (site.file, site.line) == (other.file, other.line)
