"""PyTorch: terms of a loss that a network makes, and through which nothing that the loss trains is reached.

Two faults look like that. A penalty is computed with the target network in place of the one that is trained. And an
actor's loss asks the critic about the actions of the batch, while the policy's own action, which was computed for it,
is dropped; the entropy still trains the policy, so that no variable is without a gradient.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.cuts.consumer import named_call
from whygrad.rules.cuts.idle_terms import trained_by
from whygrad.rules.cuts.loss_terms import terms_of
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.cuts.roles import fed_with
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.targets.objective import CONTRACTS
from whygrad.rules.updates.history import fresh_since
from whygrad.rules.wording import at_line, plain_subject, quoted

CODE, NAME = "W105", "loss-ignores"
_PASSES = 3


def constant_terms(case: Case) -> Iterator[Finding]:
    """One finding for each line that asks the wrong network, or asks about the wrong thing."""
    if case.recording.framework != "torch":
        return
    counted: dict[int, int] = {}
    told: set[tuple[str, int]] = set()
    for backward in case.recording.backwards:
        usable = not backward.implicit and not backward.error and backward.loss in case.recording.values
        if not usable or counted.get(backward.stack, 0) == _PASSES:
            continue
        counted[backward.stack] = counted.get(backward.stack, 0) + 1
        for finding in _of_loss(case, backward):
            where = finding.where
            if where is not None and (where.file, where.line) not in told:
                told.add((where.file, where.line))
                yield finding


def _of_loss(case: Case, backward: Backward) -> Iterator[Finding]:
    trained = trained_by(case, backward)
    since = fresh_since(case, backward, trained)
    for term, others in _idle(case, backward, trained, since, rows=False):
        twin = _trained_twin(case, term.read, trained)
        apart = not any(v in other.values for other in others for op in term.layers for v in op.outputs)
        if twin and apart:
            yield _wrong_network(case, backward, term, twin)
    lacking = {v for missing in missing_gradients(case) for v in missing.variables}  # told as what it is
    for term, others in _idle(case, backward, trained, since, rows=True):
        if term.read & lacking:
            continue
        action = _dropped_action(case, backward, term, trained, since)
        if action is not None and not any(term.read & other.read for other in others):
            yield _wrong_action(case, backward, term, trained, action)


@dataclass(slots=True)
class _Term:
    """What a term was computed from, as far back as the variables that it reads."""

    value: int
    ops: list[Op]
    values: set[int]
    read: set[int]
    layers: list[Op]


def _idle(
    case: Case, backward: Backward, trained: set[int], since: int, rows: bool
) -> Iterator[tuple[_Term, list[_Term]]]:
    """Terms that layers make, recorded, of nothing that is trained; each with the terms that are trained."""
    made = [value for value in terms_of(case, backward, rows)[0] if value in case.made_by]
    terms = [_term(case, value, backward) for value in made]
    live = [term for term in terms if term.read & trained]
    for term in terms:
        recorded = bool(term.layers) and all(op.switch is None and op.at > since for op in term.layers)
        if live and recorded and not term.read & trained:
            yield term, live


def _term(case: Case, value: int, backward: Backward) -> _Term:
    todo, seen, read, ops = [value], {value}, set[int](), dict[int, Op]()
    while todo:
        number = todo.pop()
        made = case.made_by.get(number)
        if number in case.content:
            read.add(case.content[number])
        elif made is not None and made.at < backward.at:
            ops[made.at] = made
            fresh = [v for v in made.inputs if v not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    ordered = [ops[at] for at in sorted(ops)]
    layers = [op for op in ordered if op.name in CONTRACTS and any(v in case.content for v in op.inputs)]
    return _Term(value, ordered, seen, read, layers)


def _trained_twin(case: Case, asked: set[int], trained: set[int]) -> set[int]:
    """Of what the loss trains, the network that the asked one is a copy of, variable by variable."""
    pairs = {(c.target, c.source) for c in case.recording.copies}
    pairs |= {(v, o) for v in asked if (o := case.variable(v).copy_of) is not None}
    found = {target: source for target, source in pairs if target in asked and source in trained}
    return set(found.values()) if found.keys() >= asked else set()


def _dropped_action(case: Case, backward: Backward, term: _Term, trained: set[int], since: int) -> Op | None:
    """What the trained network made for this loss and nothing uses, of the shape of a batch that was asked about."""
    recording, values = case.recording, case.recording.values
    given = {v for v in fed_with(case, term.read, term.ops) if v not in case.content and values[v].floating}
    if len(given) < 2:
        return None  # a value of states alone is a baseline
    shapes = {values[v].shape for v in given if not values[v].live}
    used = {v for op in recording.ops.values() if op.at < backward.at for v in op.inputs}
    loss = case.slice(backward, reach.CERTAIN).values
    made: dict[int, bool] = {}
    found: list[Op] = []
    for at, op in recording.ops.items():
        if at <= since or at >= backward.at or op.kind != "compute" or not op.carries:
            continue
        own = any(case.content.get(v) in trained or made.get(v) for v in op.inputs)
        for value in op.outputs if own else ():
            known = values.get(value)
            made[value] = True
            if known is not None and known.live and known.shape in shapes and value not in used and value not in loss:
                found.append(op)
    return found[0] if found else None


def _wrong_network(case: Case, backward: Backward, term: _Term, twin: set[int]) -> Finding:
    loss, made = case.loss_site(backward), case.made_by.get(term.value)
    where = case.seen_from(term.layers[0].stack, made.stack if made is not None else backward.stack)
    name, online = plain_subject(case, term.read), plain_subject(case, twin)
    return _finding(case, backward, where, loss, twin,
        f"a term of the loss{at_line(loss, where)} is computed with {name}, and trains nothing",
        f"{name} is the copy that is not trained: to this loss the term is a number",
        f"The loss trains {online}, and this term does not depend on it. Its gradient, if it has one, arrives at "
        f"{name}, which no optimizer holds.",
        f"compute the term with {online}; keep {name} for the targets")  # fmt: skip


def _wrong_action(case: Case, backward: Backward, term: _Term, trained: set[int], action: Op) -> Finding:
    loss, made, first = case.loss_site(backward), case.site(action.stack), term.layers[0]
    where = named_call(case, first, term.read) or case.seen_from(first.stack, backward.stack)
    name, judge = plain_subject(case, trained), plain_subject(case, term.read)
    return _finding(case, backward, where, loss, trained,
        f"the loss{at_line(loss, where)} asks {judge} about data, and not about what {name} says",
        f"nothing of {name} goes in here",
        f"To {name} this term of the loss is a number: it is computed from the batch alone. What {name} said"
        f"{at_line(made, where)} has the same shape and was dropped.",
        f"give {quoted(where)} the output of {name}")  # fmt: skip


def _finding(
    case: Case, backward: Backward, where: Site | None, loss: Site | None, variables: set[int], message: str,
    label: str, why: str, fix: str,
) -> Finding:  # fmt: skip
    steps = [(where, "term", "depends on nothing that is trained"), (loss, "loss", "the loss")]
    return Finding(
        code=CODE, rule=NAME, severity="warning", message=message, why=why, fix=fix, variables=case.names(variables),
        where=where, label=label, loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
        first_update=1 + sum(1 for step in case.recording.steps if step.at < backward.at),
    )  # fmt: skip
