"""Target networks that are kept in step and never asked: the loss takes its targets from the trained network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.operations import Op
from whygrad.rules.case import Case
from whygrad.rules.targets.distributions import distributions
from whygrad.rules.targets.objective import CONTRACTS, Bootstrap, bootstraps, objectives
from whygrad.rules.targets.twins import groups

_SYNCED = 2


@dataclass(frozen=True, slots=True)
class Idle:
    """A target network that nothing uses, and the call that should have used it."""

    name: str
    members: frozenset[int]
    online: str
    originals: frozenset[int]
    found: Bootstrap
    call: Op
    """Where the trained network is read for the target."""


def idle_targets(case: Case) -> Iterator[Idle]:
    """Networks that the trained one is copied into again and again, of which no forward pass is ever computed."""
    if case.recording.framework == "jax":
        return  # there a target is an argument: see `same_arrays`
    begun = min((s.at for s in case.recording.steps), default=0)
    parts = groups(case)
    called = _called(case, begun)
    for name, members in parts.items():
        if members & case.trained or members & called or not any(len(case.variable(v).shape) > 1 for v in members):
            continue
        synced = [c for c in case.recording.copies if c.target in members and c.source in case.trained and c.at > begun]
        sources = {c.source for c in synced}
        online = next((n for n, theirs in parts.items() if sources & theirs), None)
        times = max((sum(c.target == v for c in synced) for v in members), default=0)
        if online is None or times < _SYNCED:
            continue
        asked = _asked_instead(case, parts[online])
        if asked is not None:
            yield Idle(name, frozenset(members), online, frozenset(parts[online]), *asked)


def _called(case: Case, begun: int) -> set[int]:
    """Variables with which something was computed since training began; an average for a sync mixes no input in."""
    found: set[int] = set()
    for op in case.recording.ops.values():
        if op.at > begun and (op.name in CONTRACTS or "gather" in op.name or op.kind == "leave"):
            found |= {v for n in op.inputs if (v := case.content.get(n)) is not None}
    return found


def _asked_instead(case: Case, originals: set[int]) -> tuple[Bootstrap, Op] | None:
    """The bootstrap target that is computed with the trained network, and the operation that reads it there."""
    for objective in objectives(case):
        if bootstraps(case, objective, live=True) or any(distributions(case, objective, live=True)):
            continue  # the gradient flows through the target: W501 says so
        mask = sum(objective.bits[v] for v in originals if v in objective.bits)
        for found in (*bootstraps(case, objective, live=False), *distributions(case, objective, live=False)):
            if not mask & objective.read.get(found.value, 0):
                continue
            todo, seen = [found.value], {found.value}
            while todo:
                op = case.made_by.get(todo.pop())
                if op is None or op.kind == "discrete":  # which action is the best: a double agent asks that of it
                    continue
                if op.name != "read_value" and any(case.content.get(v) in originals for v in op.inputs):
                    return found, op
                fresh = [v for v in op.inputs if v not in seen]
                seen.update(fresh)
                todo.extend(fresh)
    return None
