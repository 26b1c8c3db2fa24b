"""Declared contracts: where one is broken, and what declared intent makes of the other findings.

Why a declared variable gets no gradient is answered by the rules themselves: they are asked about a recording in which
the contract's loss is the only one, and what it is declared to train is what was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whygrad.flow import reach
from whygrad.flow.events import Backward, Declared, Step
from whygrad.flow.recording import Recording
from whygrad.rules.case import Case
from whygrad.rules.catalogue import CODES
from whygrad.rules.contract_losses import Bound, bound, steps_of
from whygrad.rules.finding import Finding, PathStep
from whygrad.rules.updates.history import history
from whygrad.rules.wording import at_line, plain_subject, subject, verb

_EXPLAIN = ("W101", "W102", "W103", "W104", "W105", "W106", "W107", "W108", "W109")
"""Rules that say why a variable gets no gradient."""

_ABOUT_MISSING = frozenset({*_EXPLAIN, "W201", "W202", "W203", "W302", "W401", "W403", "W405"})
"""Rules about a variable that does not learn."""


def broken(case: Case) -> Iterator[Finding]:
    """One finding, an error, for each way in which a contract is broken."""
    for one in bound(case):
        if one.backwards:
            yield from _untrained(case, one)
            yield from _unapplied(case, one)
            yield from _disturbed(case, one)


def unchecked(case: Case) -> list[str]:
    """What to tell about contracts that could not be checked, or not wholly."""
    notes = []
    for one in bound(case):
        contract = one.contract
        for name in contract.unknown:
            known = sorted({v.network for v in case.recording.variables.values()})
            listed = f" (there are {', '.join(known[:8])})" if known else ""
            notes.append(f"the contract `{contract.name}` names {name!r}, and no network is called that{listed}")
        checked = bool(contract.windows) or not any(other.windows for other in case.recording.contracts)
        if checked and not one.backwards and case.recording.backwards:
            notes.append(
                f"the contract `{contract.name}` was not checked: no loss of these updates trains what it names"
            )
    return notes


def has_its_loss(recording: Recording, contract: str) -> bool:
    """Whether the loss that a contract speaks of was computed."""
    return any(one.backwards for one in bound(Case(recording)) if one.contract.name == contract)


def meant(case: Case, finding: Finding) -> bool:
    """Whether a finding says what a contract declares to be intended."""
    if finding.contract:
        return False
    if finding.code in _ABOUT_MISSING:
        alone = {case.variable(v).name for v in case.left_alone}
        return bool(finding.variables) and set(finding.variables) <= alone
    if finding.code in ("W204", "W205"):
        for one in bound(case):
            losses = {case.loss_site(b) for b in one.backwards}
            if finding.loss in losses and set(finding.variables) <= set(case.names(one.contract.trains)):
                return True
    return False


def told_already(finding: Finding, promised: list[Finding]) -> bool:
    """Whether a broken contract says the same: one fault is one finding."""
    for one in promised:
        same = set(one.variables) & set(finding.variables)
        if finding.code == one.code and same and (finding.where == one.where or set(finding.variables) <= same):
            return True
    return False


# --- what it is to train --------------------------------------------------------------------------------------


def _expected(case: Case, contract: Declared) -> set[int]:
    """What the loss has to train: all it names, without parts of a network that were frozen on purpose."""
    trains = contract.trains - (case.recording.later_gradients if not contract.windows else set())
    learning = {case.variable(v).network for v in trains if case.variable(v).trainable}
    return {
        v
        for v in trains
        if case.variable(v).trainable or v in contract.listed or case.variable(v).network not in learning
    }


def _untrained(case: Case, one: Bound) -> Iterator[Finding]:
    expected = _expected(case, one.contract)
    alone = _with_this_loss_only(case, one, expected)
    said: set[str] = set()
    for code in _EXPLAIN:
        for finding in CODES[code].check(alone):
            if set(finding.variables) & set(case.names(expected)):
                said |= set(finding.variables)
                yield _breaks(one, finding)
    got = _arrives(case, one)
    rest = {v for v in expected - got if case.variable(v).name not in said}
    if rest and not said:
        yield _without_reason(case, one, rest)


def _with_this_loss_only(case: Case, one: Bound, expected: set[int]) -> Case:
    """The same recording, as if the program had asked this loss for these gradients and for nothing else."""
    recording = case.recording
    got = _arrives(case, one)
    backwards = [replace(b, wanted=tuple(sorted(expected)), got=got) for b in one.backwards]
    steps = [replace(s, applied=s.applied & got, without=s.without | (s.applied - got)) for s in recording.steps]
    return Case(replace(recording, backwards=backwards, steps=steps, later_gradients=set(), contracts=[]))


def _arrives(case: Case, one: Bound) -> frozenset[int]:
    """The variables that get a gradient from this loss; where it was asked for others only, that would get one."""
    got = frozenset[int]().union(*(b.got for b in one.backwards))
    values = case.recording.values
    for backward in one.backwards:
        unasked = one.contract.trains - set(backward.wanted) - got
        if backward.wanted and unasked:
            numbers = reach.gradient_reach(case.recording, case.slice(backward), backward.tape)
            got |= unasked & {values[n].variable for n in numbers if n in values}
    return frozenset(v for v in got if case.variable(v).trainable)


def _without_reason(case: Case, one: Bound, variables: set[int]) -> Finding:
    loss = case.loss_site(one.backwards[0])
    return _breaks(
        one,
        Finding(
            code="W105",
            rule=CODES["W105"].name,
            severity="error",
            message=f"{subject(case, variables)} {verb(variables, case, 'gets', 'get')} no gradient from the "
            f"loss{at_line(loss)}",
            why="No way from these variables to the loss was seen.",
            fix="compute the loss from them, or take them out of `trains`",
            variables=case.names(variables),
            where=loss,
            label="the loss that is declared to train them",
            loss=loss,
        ),
    )


def _unapplied(case: Case, one: Bound) -> Iterator[Finding]:
    """A gradient that nobody applies trains nothing."""
    recording = case.recording
    stepped = [s for b in one.backwards for s in steps_of(case, b) if s.applied and s.error is None]
    if not stepped:
        return
    got = _arrives(case, one)
    applied = {v for s in recording.steps for v in s.applied} | recording.hand_updated | recording.later_gradients
    idle = (_expected(case, one.contract) & got) - applied
    if not idle:
        return
    for finding in CODES["W201"].check(case):
        if set(finding.variables) & set(case.names(idle)):
            yield _breaks(one, finding)
            return
    loss = case.loss_site(one.backwards[0])
    where = case.site(stepped[0].stack)
    yield _breaks(
        one,
        Finding(
            code="W201",
            rule=CODES["W201"].name,
            severity="error",
            message=f"{subject(case, idle)} {verb(idle, case, 'gets', 'get')} a gradient that no optimizer applies",
            why=f"The loss{at_line(loss, where)} gives it a gradient, and no step takes it.",
            fix="give it to the optimizer",
            variables=case.names(idle),
            where=where,
            label=f"does not train {plain_subject(case, idle)}",
            loss=loss,
        ),
    )


# --- what it is to leave alone --------------------------------------------------------------------------------


def _disturbed(case: Case, one: Bound) -> Iterator[Finding]:
    """Gradients that this loss gave to what it should leave alone, and that an optimizer applied."""
    forbidden = one.contract.leaves - one.contract.trains - one.shared
    places: dict[tuple[int, int], tuple[Step, Backward, set[int]]] = {}
    for backward in one.backwards:
        for variable in backward.got & forbidden:
            step = _applied_by(case, backward, variable)
            if step is not None:
                key = step.optimizer, step.stack
                places.setdefault(key, (step, backward, set()))[2].add(variable)
    for step, backward, variables in places.values():
        yield _breaks(one, _leak(case, one.contract, step, backward, variables))


def _applied_by(case: Case, backward: Backward, variable: int) -> Step | None:
    """The step that applied this very gradient; where that cannot be told, the next one if nothing came between."""
    recording, told = case.recording, history(case)
    known = [s for s in told.applied.get((backward.at, variable), []) if s.error is None]
    if known:
        return known[0]
    step = next((s for s in recording.steps if s.at > backward.at and variable in s.applied), None)
    if step is None or step.error is not None or variable in told.fed.get(step.at, {}):
        return None
    if any(backward.at < c.at < step.at and variable in c.variables for c in recording.clears):
        return None
    if any(backward.at < b.at < step.at and variable in b.got for b in recording.backwards):
        return None
    return step


def _leak(case: Case, contract: Declared, step: Step, backward: Backward, variables: set[int]) -> Finding:
    torch = case.recording.framework == "torch"
    optimizer = case.recording.optimizers[step.optimizer]
    loss, asked, stepped = case.loss_site(backward), case.site(backward.stack), case.site(step.stack)
    name, together = plain_subject(case, variables), bool((step.applied | step.without) & contract.trains)
    if together and torch:
        where = case.site(optimizer.created) or stepped
        label = f"this optimizer also holds {name}"
        fix = f"give this optimizer only what the loss trains, and {name} an optimizer of its own"
    elif backward.wanted:
        where, label = asked, f"asks for the gradient of {name} too"
        fix = f"ask only for the variables that the loss trains, and leave {name} to its own loss"
    else:
        where, label = asked, f"leaves a gradient in {name}, which is applied{at_line(stepped, asked)}"
        fix = (
            f"clear {name} after it (zero_grad() before its own backward pass), or turn its gradient off while this "
            "loss is computed"
        )
    steps = [(loss, "loss", "the loss"), (asked, backward.call, "its gradient"), (stepped, "step", "applied here")]
    rule = CODES.get("W205")
    return Finding(
        code="W205",
        rule=rule.name if rule is not None else "wrong-network-trained",
        severity="error",
        message=f"{subject(case, variables)} {verb(variables, case, 'is', 'are')} trained by the "
        f"loss{at_line(loss, where)}, which is declared to leave {verb(variables, case, 'it', 'them')} alone",
        why="The gradient of this loss arrives there, and an optimizer applies it. (A gradient that is cleared before "
        "it is applied breaks no contract.)",
        fix=fix,
        variables=case.names(variables),
        where=where,
        label=label,
        loss=loss,
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )


def _breaks(one: Bound, finding: Finding) -> Finding:
    name = one.contract.name
    return replace(
        finding,
        severity="error",
        message=f"the contract `{name}` is broken: {finding.message}",
        contract=name,
    )
