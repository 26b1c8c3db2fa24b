"""W109 frozen"""

from __future__ import annotations

from collections.abc import Iterator

from whygrad.flow.site import Site
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.w105_loss_ignores import created_at
from whygrad.rules.wording import at_line, networks, subject, verb

CODE, NAME = "W109", "frozen"
SUMMARY = "requires_grad=False or trainable=False on what the optimizer is given to train"


def check(case: Case) -> Iterator[Finding]:
    """Variables that an optimizer holds and that are switched off."""
    recording = case.recording
    given = case.held or {v for o in recording.optimizers.values() for v in o.holds}
    frozen = {v for v in given if not recording.variables[v].trainable} - case.trained
    for members in _by_line(case, frozen | _asked_but_frozen(case)):
        yield _finding(case, members)


def _asked_but_frozen(case: Case) -> set[int]:
    """TensorFlow: a model with trainable=False has an empty list of variables to ask for."""
    recording = case.recording
    found: set[int] = set()
    for backward in recording.backwards:
        if backward.tape is None or backward.wanted or backward.asked_values or backward.loss is None:
            continue
        part = case.slice(backward)
        on_way = {recording.values[v].variable for v in part.values if v in recording.values}
        found |= {v for v in on_way if v is not None and not recording.variables[v].trainable}
    return found - case.trained


def _by_line(case: Case, frozen: set[int]) -> list[set[int]]:
    groups: dict[int | str | None, set[int]] = {}
    for variable in frozen:
        key = case.variable(variable).frozen
        groups.setdefault(key if key is not None else case.variable(variable).network, set()).add(variable)
    return list(groups.values())


def _severity(case: Case, members: set[int]) -> Severity:
    """An error where nothing is left to train; a note where weights were loaded or adapters train beside them."""
    recording = case.recording
    given = [o.holds for o in recording.optimizers.values() if o.holds & members]
    if not given or any(all(not recording.variables[v].trainable for v in holds) for holds in given):
        return "error"
    if all(case.variable(v).copied for v in members):
        return "note"
    owners = {case.variable(v).owner.rpartition(".")[0] for v in members}
    beside = [
        v for v in recording.variables.values()
        if v.trainable and v.parameter and v.owner and any(v.owner == o or v.owner.rpartition(".")[0] == o for o in owners)
    ]  # fmt: skip
    adapters = [v for v in beside if len(v.owner.split(".")) > 1 and v.network in networks(case, members)]
    whole = all(
        {v.id for v in recording.variables.values() if v.network == network} <= set(group)
        for network, group in networks(case, members).items()
    )
    if not whole and adapters and owners != {""} and len(owners) > 0 and _interleaved(case, members, adapters):
        return "note"
    return "warning"


def _interleaved(case: Case, members: set[int], adapters: list[object]) -> bool:
    """LoRA and its kin: trainable variables sit right beside the frozen ones, inside the same layer."""
    parents = {case.variable(v).owner.rpartition(".")[0] for v in members if "." in case.variable(v).owner}
    own = {getattr(a, "owner", "") for a in adapters} | {getattr(a, "owner", "").rpartition(".")[0] for a in adapters}
    roots = {case.variable(v).network for v in members}
    return bool((parents - roots) & own)


def _finding(case: Case, members: set[int]) -> Finding:
    line = next((case.variable(v).frozen for v in sorted(members) if case.variable(v).frozen is not None), None)
    where: Site | None = case.site(line) if line is not None else created_at(case, members)
    torch = case.recording.framework == "torch"
    flag = "requires_grad=False" if torch else "trainable=False"
    holder = next((o for o in case.recording.optimizers.values() if o.holds & members), None)
    made = case.site(holder.created) if holder is not None else None
    path = [PathStep(where, flag, "frozen here")] if where is not None else []
    if made is not None:
        path.append(PathStep(made, "optimizer", "and given to this optimizer"))
    fix = "requires_grad_(True)" if torch else "trainable = True (before compile and before the variables are listed)"
    return Finding(
        code=CODE, rule=NAME, severity=_severity(case, members),
        message=f"{subject(case, members)} {verb(members, case, 'is', 'are')} given to the optimizer{at_line(made, where)} but frozen",
        why=f"With {flag} the framework computes no gradient, and the optimizer passes over the variable without a word.",
        fix=f"set {fix} on it, or do not give it to the optimizer if it is meant to stay as it is",
        variables=case.names(members), where=where, label=f"{flag} from here on", path=tuple(path),
    )  # fmt: skip
