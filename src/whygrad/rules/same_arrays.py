"""JAX: a target that is the online network at every update.

Arrays do not change, so `target_params = params` is a copy. It is a fault where it is made after every update: then a
loss is given the same arrays as prediction and as target each time, or a target that has just been replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from whygrad.flow.recording import Backward, Doubled
from whygrad.flow.site import Site
from whygrad.rules import sync_source
from whygrad.rules.case import Case
from whygrad.rules.objective import bootstraps, objectives
from whygrad.rules.twins import Twin, target_networks

_OFTEN = 3
_NEARLY = 0.9


@dataclass(slots=True)
class Same:
    """The variables, the loss, the line to change, and what to say about it."""

    members: set[int]
    backward: Backward
    where: Site | None
    label: str
    why: str
    fix: str


def found(case: Case) -> list[Same]:
    """Each network once."""
    known: list[Same] = []
    for one in (*_given_twice(case), *_replaced_each_time(case)):
        if not any(one.members & other.members for other in known):
            known.append(one)
    return known


def _given_twice(case: Case) -> Iterator[Same]:
    """A compiled function takes two sets of parameters and is given the same arrays for both, in each call."""
    for event in case.recording.doubled:
        if event.calls < _OFTEN or event.times < event.calls or not event.variables:
            continue
        for objective in objectives(case):
            if not _inside(case, objective.backward, event):
                continue
            for target in bootstraps(case, objective, live=False):
                ours = objective.live[target.prediction] & objective.trained
                members = set(objective.variables(ours & objective.read.get(target.value, 0)))
                if members and members <= event.variables:
                    yield _explained(case, members, objective.backward, event)


def _inside(case: Case, backward: Backward, event: Doubled) -> bool:
    """Whether a gradient was asked for in a call from the event's place."""
    outer, stack = case.stack(event.stack), case.stack(backward.stack)
    return bool(outer) and stack[-len(outer) :] == outer


def _explained(case: Case, members: set[int], backward: Backward, event: Doubled) -> Same:
    call = case.site(event.stack)
    given = sync_source.arguments(call) if call is not None else []
    twice = next((name for i, name in enumerate(given) if name in given[:i]), None)
    if twice is not None:
        return Same(members, backward, call, f"`{twice}` is passed twice", "The function takes two sets of parameters "
            f"and is given `{twice}` for both.", "pass the target parameters as the other argument")  # fmt: skip
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    for target in given:
        for site, value in reversed(list(sync_source.bindings(files, target))):
            online = next((o for o in given if o != target and sync_source.is_alias(value, o)), None)
            if online is not None:
                return Same(members, backward, site, "runs after every update",
                    f"`{target}` is replaced by `{online}` after every update.",
                    f"replace `{target}` only after every so many updates, or average: optax.incremental_update(…)",
                )  # fmt: skip
    return Same(members, backward, call, "both sets of parameters are the same arrays",
        "The function takes two sets of parameters and is given the same arrays for both.",
        "pass target parameters that are replaced only after every so many updates")  # fmt: skip


def _replaced_each_time(case: Case) -> Iterator[Same]:
    """A target that is replaced after every update, wholly or nearly."""
    for twin in target_networks(case):
        steps = sorted(s.at for s in case.recording.steps if s.applied & twin.originals)
        share = _share(twin, steps)
        if share is None:
            continue
        copy = next(c for c in twin.into if c.at > twin.begun)
        where = case.site(copy.stack)
        if share == 1.0:
            yield Same(set(twin.members), twin.objective.backward, where, "runs after every update",
                f"`{twin.name}` is replaced by `{twin.online}` after every update.",
                f"replace `{twin.name}` only after every so many updates, or average with a small share")  # fmt: skip
        else:
            yield Same(set(twin.members), twin.objective.backward, where, f"takes {share:.4g} of the online network",
                f"`{twin.name}` takes {share:.4g} of `{twin.online}` after every update; the share of an average is "
                "around 0.005.", "swap the two, or their shares: "
                f"optax.incremental_update({twin.online}, {twin.name}, tau)")  # fmt: skip


def _share(twin: Twin, steps: list[int]) -> float | None:
    """The share that the target takes between any two updates; None where it is small, or not taken each time."""
    if len(steps) <= _OFTEN:
        return None
    shares: list[float] = []
    for begin, end in pairwise(steps):
        between = [c.share for c in twin.into if begin <= c.at < end and c.share is not None]
        if not between or min(between) < _NEARLY:
            return None
        shares.extend(between)
    return min(shares)
