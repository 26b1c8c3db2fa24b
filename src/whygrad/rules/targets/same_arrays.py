"""JAX: a target that is the online network at every update.

Arrays do not change, so `target_params = params` is a copy. It is a fault where it is made after every update: then a
loss is given the same arrays as prediction and as target each time, or a target that has just been replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from whygrad.flow import syntax
from whygrad.flow.events import Backward, Copy, Doubled
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.targets import sync_source
from whygrad.rules.targets.averages import averaged_with_itself, unused_averages
from whygrad.rules.targets.distributions import distributions
from whygrad.rules.targets.handed import handed_as
from whygrad.rules.targets.objective import CONTRACTS, bootstraps, objectives
from whygrad.rules.targets.second_names import second_names
from whygrad.rules.targets.stored_twice import kept_alike, stored_twice
from whygrad.rules.targets.twins import target_networks

_OFTEN = 3
_NEARLY = 0.9
_DELAY = 4
_OBJECT_ROUNDS = 2


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
    kinds = (_given_twice, _kept_twice, _differentiated_twice, _replaced_each_time, _passed_by, _left_aside,
             _one_object, _acting)  # fmt: skip
    for one in (same for kind in kinds for same in kind(case)):
        if not any(one.members & other.members or one.where == other.where for other in known):
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


def _kept_twice(case: Case) -> Iterator[Same]:
    """The same, where another network learns from the target; an average of the two is computed inside, and dropped."""
    mixed = averaged_with_itself(case) if case.recording.doubled else set()
    for event in case.recording.doubled:
        if event.calls < _OFTEN or event.times < event.calls or not event.variables & mixed:
            continue
        for objective in objectives(case):
            read = objective.variables(sum(objective.bits.values()) & ~objective.trained)
            members = set(read & event.variables & mixed)
            if members and _inside(case, objective.backward, event):
                yield _explained(case, members, objective.backward, event)


def _differentiated_twice(case: Case) -> Iterator[Same]:
    """The same for the function that is differentiated: `jax.grad(loss)(params, params, batch)`."""
    for objective in objectives(case):
        call = case.site(objective.backward.stack)
        given = [name for name in syntax.arguments(call) if name] if call is not None else []
        twice = next((name for i, name in enumerate(given) if name in given[:i]), None)
        for target in bootstraps(case, objective, live=False) if twice is not None else ():
            ours = objective.live[target.prediction] & objective.trained
            members = set(objective.variables(ours & objective.read.get(target.value, 0)))
            if members and all(_is_of(case.variable(v).name, twice or "") for v in members):
                yield _twice(members, objective.backward, call, twice or "")


def _is_of(name: str, given: str) -> bool:
    """Whether an expression's last word is one of those that a variable is called by: `state.params`, `params`."""
    return given.rpartition(".")[2] in re.findall(r"\w+", name)


def _twice(members: set[int], backward: Backward, call: Site | None, name: str) -> Same:
    return Same(members, backward, call, f"`{name}` is passed twice",
        f"The function takes two sets of parameters and is given `{name}` for both.",
        "pass the target parameters as the other argument")  # fmt: skip


def _passed_by(case: Case) -> Iterator[Same]:
    """A moving average is kept as a target and used by nothing, and the target is computed with the online network."""
    # Arrays that a compiled function took in are the online network's in the first update alone: W503.
    kept = set() if any(v.constant for v in case.recording.variables.values()) else unused_averages(case)
    for objective in objectives(case) if kept else ():
        for target in (*bootstraps(case, objective, live=False), *distributions(case, objective, live=False)):
            ours = objective.live[target.prediction] & objective.trained
            members = set(objective.variables(ours & objective.read.get(target.value, 0)))
            where = _reads(case, objective.backward, target.value, members) if members and members <= kept else None
            if where is not None:
                yield Same(members, objective.backward, where, "these are the parameters that are being trained",
                    "The program keeps an average of them after each update, and no loss is computed with that.",
                    "compute the target with the averaged parameters")  # fmt: skip


def _left_aside(case: Case) -> Iterator[Same]:
    """A tree that began as the trained one is kept beside it, and the online network makes its target itself."""
    for spare in case.recording.spare:
        for objective in () if _computed_with(case, spare.values) else objectives(case):
            for target in (*bootstraps(case, objective, live=False), *distributions(case, objective, live=False)):
                members = set(objective.variables(objective.read.get(target.value, 0)) & spare.originals)
                where = _reads(case, objective.backward, target.value, members) if members else None
                if where is not None:
                    yield Same(members, objective.backward, where, f"this should be `{spare.name}`",
                        f"The program keeps `{spare.name}`, with the first numbers of `{spare.online}`, and computes "
                        "nothing with it.", f"compute the target with `{spare.name}`")  # fmt: skip


def _computed_with(case: Case, values: frozenset[int]) -> bool:
    """Whether a network was called with some of these arrays in training, or with what syncs made of them since.

    An average mixes no input in. The forward pass that made their first numbers is another call than the update.
    """
    kept, known, passes = set(values), case.recording.values, case.recording.backwards
    if len(passes) < 2:
        return True
    begun = max(
        (_shared(case, made.stack, passes[0].stack) for v in values if (made := case.made_by.get(v))), default=-1
    )
    for op in case.recording.ops.values():
        if kept.intersection(op.inputs):
            training = op.at > passes[0].at or _shared(case, op.stack, passes[0].stack) > begun
            if training and (op.name in CONTRACTS or "gather" in op.name):
                return True
            shapes = {known[v].shape for v in kept.intersection(op.inputs) if v in known}
            kept.update(v for v in op.outputs if v in known and known[v].shape in shapes)
    return False


def _shared(case: Case, one: int, other: int) -> int:
    """How many calls, from the outermost on, two operations lie in together."""
    pairs = zip(reversed(case.stack(one)), reversed(case.stack(other)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _reads(case: Case, backward: Backward, value: int, members: set[int]) -> Site | None:
    """The line, in the function of the loss, that calls the network on the way to a value: the last one before it.

    Not the one that only says which action is best, where there is another.
    """
    for through_choices in (False, True):
        todo, seen = [value], {value}
        while todo:
            todo.sort(key=lambda v: made.at if (made := case.made_by.get(v)) is not None else 0)
            op = case.made_by.get(todo.pop())
            if op is None or (op.kind == "discrete" and not through_choices):
                continue
            if op.name != "captured" and any(case.content.get(v) in members for v in op.inputs):
                return _beside(case, op, backward)
            fresh = [v for v in op.inputs if v not in seen and v not in case.content]
            captured = [v for v in fresh if (made := case.made_by.get(v)) is not None and made.name == "captured"]
            if any(case.content.get(case.made_by[v].inputs[0]) in members for v in captured):
                return _beside(case, op, backward)
            seen.update(fresh)
            todo.extend(fresh)
    return None


def _beside(case: Case, op: Op, backward: Backward) -> Site | None:
    """The line of an operation in the function that asks for the gradient, or that calls the one which asks."""
    inner, outer = case.stack(op.stack), case.stack(backward.stack)
    common = _shared(case, op.stack, backward.stack)
    if common < min(len(inner), len(outer)):
        one, other = inner[-1 - common], outer[-1 - common]
        if (one.file, one.function, one.first_line) == (other.file, other.function, other.first_line):
            return one
    return case.seen_from(op.stack, backward.stack)


def _one_object(case: Case) -> Iterator[Same]:
    """Models that change in place (Flax NNX): the target is called by a second name of the online network."""
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    late = 0
    for objective in objectives(case):
        for target in bootstraps(case, objective, live=False):
            ours = objective.live[target.prediction] & objective.trained
            members = set(objective.variables(ours & objective.read.get(target.value, 0)))
            if not members or not _up_to_date(case, objective.backward, target.value, members):
                late += bool(members) and any(s.at < objective.backward.at for s in case.recording.steps)
                continue
            # A state that is copied now and then is up to date at times; one object by two names is so always.
            whole = not late and sum(s.at < objective.backward.at for s in case.recording.steps) >= _OBJECT_ROUNDS
            predicted = _called_by(case, target.prediction, members, whole)
            # What both sides are called by is a function of the parameters, which the caller hands it.
            for name in (n for n in _called_by(case, target.value, members, whole) if n not in predicted):
                for site, value in syntax.bindings(files, name):
                    other = syntax.dotted(value)
                    if other and other != name:
                        yield Same(members, objective.backward, site, f"`{name}` and `{other}` are one network",
                            f"`{name} = {other}` makes no second network.",
                            f"make `{name}` a network of its own: nnx.clone({other})")  # fmt: skip
                        return


def _acting(case: Case) -> Iterator[Same]:
    """The same of a policy, which makes the actions of the critic's target."""
    for one in second_names(case):
        yield Same(set(one.members), one.backward, one.where, f"`{one.name}` and `{one.other}` are one network",
            f"`{one.name} = {one.other}` makes no second network.",
            f"make `{one.name}` a network of its own: nnx.clone({one.other})")  # fmt: skip


def _up_to_date(case: Case, backward: Backward, value: int, members: set[int]) -> bool:
    """Whether a value was computed with what the variables held after an update, just as the prediction."""
    after = {n for s in case.recording.steps if s.at < backward.at for n in s.after.values()}
    read = {backward.read[v] for v in members if v in backward.read}
    todo, seen = [value], {value}
    met: set[int] = set()
    while todo:
        number = todo.pop()
        if case.content.get(number) in members:
            met.add(number)
            continue
        op = case.made_by.get(number)
        fresh = [v for v in op.inputs if v not in seen] if op is not None else []
        seen.update(fresh)
        todo.extend(fresh)
    return bool(met) and met <= read and bool(met & after)


def _called_by(case: Case, value: int, members: set[int], holders: bool) -> list[str]:
    """By which names the network was called on the way to a value, or what holds it (`target` of `target.mixer(…)`)."""
    found: list[str] = []
    todo, seen = [value], {value}
    while todo:
        op = case.made_by.get(todo.pop())
        if op is None:
            continue
        if any(case.content.get(v) in members for v in op.inputs):
            stack = case.stack(op.stack)
            for index, site in enumerate(stack):
                name = syntax.callee(site)
                spoken = (name, name.rpartition(".")[0]) if holders else (name,)
                for one in spoken if syntax.given_at(site) else (name,):
                    outside = handed_as(stack, index, one) if one and syntax.given_at(site) else ""
                    found += [each for each in (one, outside) if each and each not in found]
        fresh = [v for v in op.inputs if v not in seen and v not in case.content]
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _inside(case: Case, backward: Backward, event: Doubled) -> bool:
    """Whether a gradient was asked for in a call from the event's place."""
    outer, stack = case.stack(event.stack), case.stack(backward.stack)
    return bool(outer) and stack[-len(outer) :] == outer


def _explained(case: Case, members: set[int], backward: Backward, event: Doubled) -> Same:
    call = case.site(event.stack)
    given = syntax.arguments(call) if call is not None else []
    twice = next((name for i, name in enumerate(given) if name in given[:i]), None)
    if twice is not None:
        return _twice(members, backward, call, twice)
    files = sorted({site.file for stack in case.recording.stacks for site in stack if site.own})
    for target in given:
        for site, value in reversed(list(syntax.bindings(files, target))):
            online = next((o for o in given if o != target and sync_source.is_alias(value, o)), None)
            if online is not None:
                return Same(members, backward, site, "runs after every update",
                    f"`{target}` is replaced by `{online}` after every update.",
                    f"replace `{target}` only after every so many updates, or average: optax.incremental_update(…)",
                )  # fmt: skip
    apart = _bound_alike(files, given)
    if apart is not None:
        target, where, source = apart
        return Same(members, backward, where, f"`{target}` is what is trained",
            f"`{target}` is given `{source}` after every update, as the trained network is.",
            f"give `{target}` the average, or what it was before: it is to follow slowly",
        )  # fmt: skip
    ours = next((o for o in given if all(_is_of(case.variable(v).name, o) for v in members)), "")
    for target in given if ours else ():
        alike = kept_alike(call, target, ours) if call is not None and target != ours else None
        if alike is not None:
            return Same(members, backward, alike, "runs after every update",
                f"`{target}` becomes what `{ours}` is, after every update.",
                f"replace `{target}` only after every so many updates, or average: optax.incremental_update(…)",
            )  # fmt: skip
    again = stored_twice(case, backward, members)
    if again is not None:
        return Same(members, backward, again, "the trained parameters, a second time",
            "After each update the state holds the new parameters in the place of the target as well.",
            "keep the target's own parameters in the state, and replace them only after every so many updates",
        )  # fmt: skip
    return Same(members, backward, call, "both sets of parameters are the same arrays",
        "The function takes two sets of parameters and is given the same arrays for both.",
        "pass target parameters that are replaced only after every so many updates")  # fmt: skip


def _bound_alike(files: list[str], given: list[str]) -> tuple[str, Site, str] | None:
    """Of two arguments that one name is bound to, the second: `self.critic = new; self.target = new`."""
    found: dict[tuple[str, str, str], str] = {}
    for name in given:
        for site, value in syntax.bindings(files, name):
            source = syntax.dotted(value)
            key = site.file, site.function, source
            if source and found.setdefault(key, name) != name:
                return name, site, source
    return None


def _replaced_each_time(case: Case) -> Iterator[Same]:
    """A target that is replaced after every update, wholly or nearly."""
    twins = target_networks(case)
    for twin in twins:
        steps = sorted(s.at for s in case.recording.steps if s.applied & twin.originals)
        # What a loop carries has a name of its own inside: it is one target under two names.
        taken = [c for other in twins if other.originals == twin.originals for c in other.into]
        share = _share(taken, steps)
        if share is None:
            continue
        copy = next(c for c in twin.into if c.at > twin.begun)
        where = stored_twice(case, twin.objective.backward, set(twin.originals)) if share == 1.0 else None
        where = where or case.site(copy.stack)
        if share == 1.0:
            yield Same(set(twin.members), twin.objective.backward, where, "runs after every update",
                f"`{twin.name}` is replaced by `{twin.online}` after every update.",
                f"replace `{twin.name}` only after every so many updates, or average with a small share")  # fmt: skip
        else:
            yield Same(set(twin.members), twin.objective.backward, where, f"takes {share:.4g} of the online network",
                f"`{twin.name}` takes {share:.4g} of `{twin.online}` at each sync; the share of an average is "
                "around 0.005.", "swap the two, or their shares: "
                f"optax.incremental_update({twin.online}, {twin.name}, tau)")  # fmt: skip


def _share(copies: list[Copy], steps: list[int]) -> float | None:
    """The share that the target takes between any two updates; None where it is small, or not taken each time.

    A share of nearly everything is no average even where it is taken only after every second or third update (a
    delayed policy); the whole is a copy then, and meant.
    """
    if len(steps) <= _OFTEN:
        return None
    taken = [[c.share for c in copies if begin <= c.at < end and c.share is not None] for begin, end in pairwise(steps)]
    shares = [share for between in taken for share in between]
    if not shares or min(shares) < _NEARLY:
        return None
    times = sum(bool(between) for between in taken)
    delayed = max(shares) < 1.0 and times >= _OFTEN and times * _DELAY >= len(taken)
    return min(shares) if times == len(taken) or delayed else None
