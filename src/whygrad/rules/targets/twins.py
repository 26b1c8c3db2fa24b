"""Networks of one build: the one that is trained, and the one that makes its targets."""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow import reach
from whygrad.flow.site import Site, Stack
from whygrad.rules.case import Case, asked_once
from whygrad.rules.cuts.intent import DIFFERENCE
from whygrad.rules.cuts.roles import fed_with, serves_as_target
from whygrad.rules.targets.distributions import distributions
from whygrad.rules.targets.left_averages import dropped_average, dropped_averages_of, met_in
from whygrad.rules.targets.objective import SHAPING, SUM, Objective, bootstraps, objectives
from whygrad.rules.targets.predicted_copies import predicts_its_copy
from whygrad.rules.targets.twin import Twin

_OFTEN = 2


def groups(case: Case) -> dict[str, set[int]]:
    """Variables by network; a network that holds a trained and an untrained part counts as its parts.

    The averages that a normalisation keeps are no part of their own: they sit in a layer that is trained.
    """
    found: dict[str, set[int]] = {}
    for variable in case.recording.variables.values():
        if variable.parameter and variable.network != "unnamed parameters":
            found.setdefault(variable.network, set()).add(variable.id)
    if case.recording.framework == "jax":
        apart = [one for name, members in found.items() for one in _asked_apart(case, name, members)]
        found = {}
        for part, own in apart:
            found.setdefault(part, set()).update(own)
    split: dict[str, set[int]] = {}
    for name, members in found.items():
        learning = {case.variable(v).owner for v in members & case.trained}
        if learning and any(v not in case.trained and case.variable(v).owner not in learning for v in members):
            for member in members:
                part = ".".join(case.variable(member).name.split(".")[:2])
                split.setdefault(part, set()).add(member)
        else:
            split[name] = members
    return split


def _asked_apart(case: Case, name: str, members: set[int]) -> Iterator[tuple[str, set[int]]]:
    """JAX: networks that are each the `params` of their own loss function, and share nothing but that name."""
    rest = set(members)
    for backward in case.recording.backwards:
        own = rest & set(backward.wanted) if not backward.implicit else set()
        if own and own != rest:
            loss = case.loss_site(backward)
            rest -= own
            yield f"{name} (line {loss.line if loss is not None else 0})", own
    if rest:
        yield name, rest


@asked_once
def target_networks(case: Case) -> list[Twin]:
    """Untrained networks of a trained one's build from which a loss takes its targets."""
    parts = groups(case)
    trained = {name: members for name, members in parts.items() if members & case.trained}
    found = []
    for name, members in parts.items():
        floating = {v for v in members if case.variable(v).shape}
        if not floating or members & case.trained:
            continue
        online = _original(case, members, trained)
        objective = _serves(case, members, name, trained[online]) if online is not None else None
        if online is None or objective is None or _compared_themselves(case, objective, members):
            continue
        if _asked_beforehand(case, members, trained[online]):
            continue
        if not _heads(case, objective, members, trained[online]):
            found.append(_twin(case, name, members, online, trained[online], objective))
    return found


def _compared_themselves(case: Case, objective: Objective, members: set[int]) -> bool:
    """JAX: whether nothing is computed with these: the loss compares them as they are. They are data (a goal)."""
    reading = [op for op in objective.part.ops if any(case.content.get(v) in members for v in op.inputs)]
    used = [op for op in reading if op.name not in ("captured", "copy")]
    return case.recording.framework == "jax" and bool(used) and all(op.name in DIFFERENCE for op in used)


def _asked_beforehand(case: Case, members: set[int], originals: set[int]) -> bool:
    """Whether these were used before the first update alone, and every loss since takes what they said then: data."""
    begun = next((s.at for s in case.recording.steps if s.applied & originals), None)
    later = [o.part.ops for o in objectives(case) if begun is not None and o.backward.at > begun]
    reading = [op.at for ops in later for op in ops if any(case.content.get(v) in members for v in op.inputs)]
    return begun is not None and bool(reading) and max(reading) < begun


def other_targets(case: Case) -> list[Twin]:
    """Other untrained networks that a loss uses, for which a sync is begun and goes astray.

    A value that is learned in between, or a second term of the loss, may hide that such a one makes targets (IQL, the
    slow critic of Dreamer). But an average with the trained one is a sync, whether it is left lying (PyTorch,
    JAX) or goes, again and again, into the trained one.
    """
    parts, known = groups(case), {twin.name for twin in target_networks(case)}
    trained = {name: members for name, members in parts.items() if members & case.trained}
    found = []
    for name, members in parts.items():
        if name in known or members & case.trained:
            continue
        online = _original(case, members, trained)
        originals = trained[online] if online is not None else _copied_whole(case, members)
        online = online or ", ".join(dict.fromkeys(case.variable(v).network for v in sorted(originals)))
        objective = next((o for o in objectives(case) if any(v in o.bits for v in members)), None)
        if originals and objective is not None:
            twin = _twin(case, name, members, online, originals, objective)
            predicted = predicts_its_copy(case, members, originals)
            if predicted or _left_lying_there(case, twin) or _turned_round(case, twin):
                found.append(twin)
    return found


def _copied_whole(case: Case, members: set[int]) -> set[int]:
    """The trained variables that these, as far as a loss uses them, are a copy of; the program may call them parts."""
    used = {v for o in objectives(case) for v in o.bits if v in members}
    sources = {case.variable(v).copy_of for v in used}
    found = {v for v in sources if v is not None and v in case.trained}
    return found if len(found) == len(used) else set()


def _left_lying_there(case: Case, twin: Twin) -> bool:
    """Whether an average for it is dropped; in JAX after every update, for arrays that are kept look so just once."""
    if case.recording.framework == "tensorflow" or dropped_average(case, twin, alone=True) is None:
        return False
    steps = sum(1 for s in case.recording.steps if s.applied & twin.originals)
    jax = case.recording.framework == "jax"
    return not jax or (steps > _OFTEN and dropped_averages_of(case, twin) >= steps - 1)


def _turned_round(case: Case, twin: Twin) -> bool:
    """Whether the trained network is averaged with the other one, again and again, during the training.

    One that gradients arrive at is no target: there the optimizer was given the wrong one of the two (W205).
    """
    if case.recording.framework == "jax" or any(backward.got & twin.members for backward in case.recording.backwards):
        return False
    averaged = [c.source for c in twin.out_of if c.at > twin.begun and c.share not in (0.0, 1.0)]
    return bool(averaged) and all(averaged.count(v) > 1 for v in set(averaged))


def _heads(case: Case, objective: Objective, members: set[int], originals: set[int]) -> bool:
    """Whether these are two heads of one network, fed with the same and never copied: the mean and the deviation."""
    networks = {case.variable(v).network for v in members | originals}
    if len(networks) > 1 or any(c.target in members and c.source in originals for c in case.recording.copies):
        return False
    ours, theirs = (fed_with(case, side, objective.part.ops) for side in (members, originals))
    return bool(ours) and ours == theirs


def _original(case: Case, members: set[int], trained: dict[str, set[int]]) -> str | None:
    alike = [n for n, theirs in trained.items() if _built_alike(case, members, theirs)]
    copied = {c.source for c in case.recording.copies if c.target in members}
    copied |= {o for v in members if (o := case.variable(v).copy_of) is not None}
    told = next((n for n in alike if trained[n] & copied), None)
    if told is None and len(alike) > 1:
        told = next((n for n in alike if _mixed(case, members, trained[n])), None)
    parts = case.recording.framework == "jax" and bool(copied) and not alike
    part = [n for n, theirs in trained.items() if parts and copied - members <= theirs]
    return told or next(iter(alike or part), None)


def _mixed(case: Case, members: set[int], theirs: set[int]) -> bool:
    """Whether an average of two networks is made, kept or not: the second critic's target is not the first's."""
    shapes = {case.variable(v).shape for v in members if case.variable(v).shape}
    for op in case.recording.ops.values():
        if op.name in SUM and op.kind == "compute" and case.recording.values[op.outputs[0]].shape in shapes:
            met = met_in(case, op, {})
            if len(met) == 2 and met & members and met & theirs:
                return True
    return False


def _built_alike(case: Case, members: set[int], theirs: set[int]) -> bool:
    """Whether two networks have the same shapes; what `vmap` trains several of at once has leading lengths more."""
    ours, others = ([case.variable(v).shape for v in one] for one in (members, theirs))
    more = max(map(len, others)) - max(map(len, ours)) if case.recording.framework == "jax" else 0
    others = [shape[more:] for shape in others] if more > 0 else others
    return sorted(map(str, ours)) == sorted(map(str, others))


def _serves(case: Case, members: set[int], name: str, originals: set[int]) -> Objective | None:
    """The loss that takes its target from these variables."""
    copied = any(c.target in members for c in case.recording.copies)  # also onto itself: a sync that went wrong
    using = []
    for objective in objectives(case):
        mask = sum(objective.bits[v] for v in members if v in objective.bits)
        if mask:
            using.append(objective)
            targets = (*bootstraps(case, objective, live=False), *distributions(case, objective, live=False))
            if any(objective.read.get(b.value, 0) & mask for b in targets):
                return objective
    outside = next((o for o in objectives(case) if _through_numpy(case, o, members, originals)), None)
    if outside is not None:
        return outside
    if using and _onto_itself(case, members):
        return using[0]
    networks = {case.variable(v).network for v in members}
    whole = copied and len(networks) == 1 and name in networks
    if not using or not whole or not serves_as_target(case, name):
        return None
    return None if all(_beside(case, objective, members, originals) for objective in using) else using[0]


def _onto_itself(case: Case, members: set[int]) -> bool:
    """JAX: whether all that is ever given to these is their own content, again and again: an average of itself."""
    if case.recording.framework != "jax":
        return False
    given = [c for c in case.recording.copies if c.target in members]
    rounds = [sum(1 for c in given if c.target == v) for v in members if case.variable(v).shape]
    return bool(rounds) and min(rounds) > 1 and all(c.source in members for c in given)


def _through_numpy(case: Case, objective: Objective, members: set[int], originals: set[int]) -> bool:
    """Whether the targets are computed outside: the variables see another batch, as large, and the result comes back.

    A network that plays (an opponent, an actor) sees one state at a time, and what comes back are rewards. Where the
    loss is not computed with the trained one of the same build (a target actor), its other networks tell the batch.
    """
    part, values = case.slice(objective.backward, reach.SUGGESTED), case.recording.values
    inside = any(v in objective.bits for v in members)
    if inside or not any(values[n].variable in members for n in part.values if n in values):
        return False
    beside = originals if any(v in objective.bits for v in originals) else objective.bits.keys() & case.trained
    theirs = {v for v in fed_with(case, beside, objective.part.ops) if values[v].floating and values[v].shape}
    theirs |= _entered(case, theirs)
    ours = {v for v in fed_with(case, members, part.ops) if values[v].floating and values[v].shape}
    shapes = {values[v].shape for v in theirs if (values[v].shape[0] or 0) > 1}
    others = {_content(case, v) for v in theirs}
    alike = all(values[v].shape in shapes for v in ours) or _row_by_row(case, objective, members, shapes)
    return alike and any(_content(case, v) not in others for v in ours)


def _row_by_row(case: Case, objective: Objective, members: set[int], shapes: set[tuple[int | None, ...]]) -> bool:
    """Whether the update itself shows them one state after the other, about as many as its batch has rows."""
    backward, values = objective.backward, case.recording.values
    asked = case.site(backward.stack)
    since = max((b.at for b in case.recording.backwards if b.at < backward.at), default=0)
    ops = [op for op in case.slice(backward, reach.SUGGESTED).ops if op.at > since]
    within = [op for op in ops if asked is not None and _in_function(case.stack(op.stack), asked)]
    rows = {v for v in fed_with(case, members, within) if values[v].floating and values[v].shape[:1] == (1,)}
    sizes = {values[v].shape[1:] for v in rows}
    return any(sizes == {shape[1:]} and (shape[0] or 0) <= 2 * len(rows) <= 2 * (shape[0] or 0) for shape in shapes)


def _in_function(stack: Stack, asked: Site) -> bool:
    return any((site.file, site.function) == (asked.file, asked.function) for site in stack)


def shown_apart(case: Case, twin: Twin) -> set[int]:
    """What a target is shown and the trained network is not: the next states, as against those before them."""
    part = case.slice(twin.objective.backward, reach.SUGGESTED)
    theirs = fed_with(case, set(twin.originals), twin.objective.part.ops)
    others = {_content(case, v) for v in theirs | _entered(case, theirs)}
    return {v for v in fed_with(case, set(twin.members), part.ops) if _content(case, v) not in others}


def _entered(case: Case, fed: set[int]) -> set[int]:
    """The data that inputs were made of: a recurrent network cuts its batch into steps first."""
    values = case.recording.values
    todo, seen = list(fed), set(fed)
    found: set[int] = set()
    while todo:
        value = todo.pop()
        op = case.made_by.get(value)
        if op is None or op.kind == "enter":
            found |= {value} if values[value].floating and values[value].shape else set()
            continue
        fresh = [v for v in op.inputs if v not in seen and v in values and values[v].variable is None]
        seen.update(fresh)
        todo.extend(fresh)
    return found


def _beside(case: Case, objective: Objective, members: set[int], originals: set[int]) -> bool:
    """Whether the trained network sees only what the other sees too: a teacher or a reference, which stays on purpose.

    A target network sees the next states, and the trained one those before them.
    """
    ours = {_content(case, v) for v in fed_with(case, members, objective.part.ops)}
    theirs = {_content(case, v) for v in fed_with(case, originals, objective.part.ops)}
    return bool(theirs) and theirs <= ours


def _content(case: Case, value: int) -> object:
    """What tells one input from another; the same array, given twice, enters twice.

    Tokens that two networks of one class each cut out of a batch, by the same line of it, are the same tokens.
    """
    known = case.recording.values[value]
    if known.numbers is not None:
        return known.shape, known.numbers
    made = case.made_by.get(value)
    if made is not None and made.name in SHAPING and len(made.inputs) == 1:
        return _content(case, made.inputs[0]), case.site(made.stack)
    return value


def _twin(case: Case, name: str, members: set[int], online: str, originals: set[int], objective: Objective) -> Twin:
    twin = Twin(name, frozenset(members), online, frozenset(originals), objective)
    twin.begun = min((s.at for s in case.recording.steps if s.applied & originals), default=0)
    itself = members | _follows_nobody(case)
    for copy in case.recording.copies:
        if copy.target in members and copy.source in itself:
            twin.itself.append(copy)
        elif copy.target in members:
            twin.into.append(copy)
        elif copy.source in members and copy.target in case.trained:
            twin.out_of.append(copy)
    return twin


def _follows_nobody(case: Case) -> set[int]:
    """JAX: variables that are copied, and to which no chain of copies leads from a trained one.

    A copy of such a one is the target again, by the name that it has outside of a loop.
    """
    if case.recording.framework != "jax":
        return set()
    given: dict[int, set[int]] = {}
    for copy in case.recording.copies:
        given.setdefault(copy.source, set()).add(copy.target)
    todo = list(case.trained)
    fed = set(todo)
    while todo:
        fresh = given.get(todo.pop(), set()) - fed
        fed |= fresh
        todo.extend(fresh)
    return {copy.source for copy in case.recording.copies} - fed
