"""Words shared by the rules: naming networks, lines, and the way from a variable to the loss."""

from __future__ import annotations

import os
import re

from whygrad.flow import reach
from whygrad.flow.events import Backward
from whygrad.flow.operations import Op
from whygrad.flow.site import Site
from whygrad.flow.source import expression
from whygrad.rules.case import Case
from whygrad.rules.cuts.never_begun import ASKED
from whygrad.rules.cuts.verdict import Verdict
from whygrad.rules.finding import Finding, PathStep, Severity

_FEW = 2


def count(number: int, word: str) -> str:
    """`1 variable`, `6 variables`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def networks(case: Case, variables: frozenset[int] | set[int]) -> dict[str, list[int]]:
    """Variables by the network they belong to, in the order the networks first appear."""
    groups: dict[str, list[int]] = {}
    for number in sorted(variables):
        groups.setdefault(case.variable(number).network, []).append(number)
    return groups


def subject(case: Case, variables: frozenset[int] | set[int]) -> str:
    """How to call a set of variables: whole networks by their name, parts by theirs."""
    phrases = []
    for network, members in networks(case, variables).items():
        family = case.family(network, variables)
        if len(members) == 1:
            phrases.append(f"`{case.variable(members[0]).name}`")
        elif len(members) == len(family):
            phrases.append(f"`{network}` ({count(len(members), 'variable')})")
        else:
            owners = list(dict.fromkeys(case.variable(m).owner or case.variable(m).name for m in members))
            part = shared_prefix(owners)
            if len(owners) == 1 or part.count(".") > 0 or "['" in part:
                phrases.append(f"`{part}` ({count(len(members), 'variable')})")
            else:
                listed = ", ".join(f"`{o}`" for o in owners[:3])
                more = f" and {len(owners) - 3} more layers" if len(owners) > 3 else ""
                phrases.append(f"{listed}{more} ({len(members)} of {len(family)} variables of `{network}`)")
    if len(phrases) > 3:
        phrases = [*phrases[:3], f"{len(phrases) - 3} more networks"]
    return phrases[0] if len(phrases) == 1 else ", ".join(phrases[:-1]) + " and " + phrases[-1]


def plain_subject(case: Case, variables: frozenset[int] | set[int]) -> str:
    """`subject` without the counts, for a label in the margin."""
    groups = networks(case, variables)
    if len(groups) > 1:
        return "the networks"
    network = next(iter(groups))
    if case.family(network, variables) <= set(variables):
        return f"`{network}`"
    owners = list(dict.fromkeys(case.variable(v).owner.rstrip(".") or case.variable(v).name for v in sorted(variables)))
    shared = shared_prefix(owners) or network
    parts = list(dict.fromkeys("".join(_parts(owner)[: len(_parts(shared)) + 1]) for owner in owners))
    if shared == network and len(parts) == _FEW:  # the network's name alone would say that it is all of it
        return " and ".join(f"`{part}`" for part in parts)
    return f"`{shared}`"


def shared_prefix(owners: list[str]) -> str:
    """`agent.actor` of `agent.actor.0` and `agent.actor.2`."""
    shared = _parts(owners[0])
    for owner in owners[1:]:
        parts = _parts(owner)
        same = 0
        while same < min(len(shared), len(parts)) and shared[same] == parts[same]:
            same += 1
        shared = shared[:same]
    return "".join(shared)


def _parts(owner: str) -> list[str]:
    """`agent`, `.actor`, `.0`; `params`, `['actor']`, `['Dense_0']`."""
    return re.split(r"(?=\.)|(?=\[')", owner)


def verb(variables: frozenset[int] | set[int], case: Case, singular: str, plural: str) -> str:
    """The verb that goes with `subject`."""
    named = re.sub(r" \([^)]*\)", "", subject(case, variables))
    return singular if named.count("`") == 2 else plural


def at_line(site: Site | None, beside: Site | None = None) -> str:
    """` at line 47`, with the file where it is not the obvious one."""
    if site is None:
        return ""
    if beside is not None and beside.file != site.file:
        return f" at {os.path.basename(site.file)}:{site.line}"
    return f" at line {site.line}"


def quoted(site: Site | None, fallback: str = "this") -> str:
    """The source text of a site in backticks."""
    text = expression(site) if site is not None else ""
    return f"`{text}`" if text else fallback


def lost_from(case: Case, verdict: Verdict) -> str:
    """`actor` (6 variables) gets no gradient from the loss at line 47."""
    loss = case.loss_site(verdict.backward)
    if verdict.idle:
        learns = verb(verdict.variables, case, "learns", "learn")
        where = at_line(loss, verdict.where)
        return f"{subject(case, verdict.variables)} {learns} nothing from a term of the loss{where}"
    if verdict.backward.call == ASKED:
        learns = verb(verdict.variables, case, "learns", "learn")
        question = quoted(case.site(verdict.backward.stack), "requires_grad")
        return f"{subject(case, verdict.variables)} never {learns}: {question}{at_line(loss, verdict.where)} is False"
    gets = verb(verdict.variables, case, "gets", "get")
    return f"{subject(case, verdict.variables)} {gets} no gradient from the loss{at_line(loss, verdict.where)}"


def output_step(case: Case, op: Op | None, backward: Backward, name: str) -> list[PathStep]:
    """The station "the actor's output", seen from the function that computes the loss."""
    if op is None:
        return []
    site = case.seen_from(op.stack, backward.stack)
    return [PathStep(site, op.name, f"the output of {name}")] if site is not None else []


def way(case: Case, verdict: Verdict, role: str) -> tuple[PathStep, ...]:
    """The stations from the network's output over the cut to the loss."""
    steps = output_step(case, verdict.first, verdict.backward, plain_subject(case, verdict.variables))
    if verdict.switch_site is not None and verdict.switch is not None:
        steps.append(PathStep(verdict.switch_site, verdict.switch.name, "recording is off from here"))
    if verdict.tape is not None:
        tape = case.site(verdict.tape.stack)
        if tape is not None:
            jax = case.recording.framework == "jax"
            name = ("grad", "the gradient is taken here") if jax else ("GradientTape", "the tape")
            steps.append(PathStep(tape, *name))
    if verdict.where is not None:
        steps.append(PathStep(verdict.where, verdict.op.name, role))
        steps += called_from(case, verdict.op.stack, verdict.where)
    if verdict.entry is not None:
        entry = case.site(verdict.entry.stack)
        if entry is not None:
            steps.append(PathStep(entry, verdict.entry.name, "comes back here, as a constant"))
    loss = case.loss_site(verdict.backward)
    if loss is not None:
        asked = verdict.backward.call == ASKED
        role = "asked here, and it is False" if asked else "the loss"
        steps.append(PathStep(loss, ASKED if asked else "loss", role))
    return _tidy(steps)


def called_from(case: Case, stack: int, where: Site) -> list[PathStep]:
    """The script's own line that led into a library, where the fault lies in a library."""
    if where.own:
        return []
    own = next((site for site in case.stack(stack) if site.own), None)
    return [PathStep(own, "call", "called from here")] if own is not None else []


def _tidy(steps: list[PathStep]) -> tuple[PathStep, ...]:
    """One station per line; the cut outranks what else happens on its line."""
    best: dict[tuple[str, int], PathStep] = {}
    for step in steps:
        key = (step.site.file, step.site.line)
        if key not in best or (step.role != "the loss" and best[key].role.startswith("the output")):
            best[key] = step
    return tuple(best.values())


def weigh(case: Case, verdict: Verdict) -> Severity:
    """An error, unless the variables were loaded from elsewhere and the stop was written down on purpose.

    A warning, where they learn from the rest of the loss.
    """
    if verdict.idle:
        return "warning"
    deliberate = verdict.code in ("W101", "W102") and not verdict.backward.error
    loaded = all(case.variable(v).copied for v in verdict.variables)
    return "note" if deliberate and loaded else "error"


def _silenced_at(case: Case, verdict: Verdict) -> Site | None:
    """PyTorch: where what came of the cut was made a leaf (`loss.requires_grad = True`), so that nothing fails."""
    backward, recording = verdict.backward, case.recording
    if recording.framework != "torch" or verdict.idle or backward.loss is None:
        return None
    # A leaf that a gradient penalty asks about has to be one.
    asked = {v for other in recording.backwards if other.call == "autograd.grad" for v in other.wanted}
    for number in case.slice(backward, reach.SUGGESTED).values:
        leaf, made = recording.values[number].variable, case.made_by.get(number)
        if leaf is None or made is None or made.at < verdict.op.at or leaf in asked or case.variable(leaf).parameter:
            continue
        made_at = case.site(case.variable(leaf).created)
        return made_at if made_at != verdict.where else None  # `Variable(loss, requires_grad=True)` is the cut itself
    return None


def from_verdict(case: Case, verdict: Verdict, rule: str, label: str, why: str, fix: str) -> Finding:
    """A finding for a place where the gradient stops."""
    silenced = _silenced_at(case, verdict)
    path = way(case, verdict, "the gradient stops here")
    if silenced is not None:
        fix += f". The requires_grad{at_line(silenced, verdict.where)} only silences PyTorch's error; it trains nothing"
        path = _tidy([*path, PathStep(silenced, "requires_grad", "silences the error, and trains nothing")])
    return Finding(
        code=verdict.code,
        rule=rule,
        severity=weigh(case, verdict),
        message=lost_from(case, verdict),
        why=why,
        fix=fix,
        variables=case.names(verdict.variables),
        where=verdict.where,
        label=label,
        loss=case.loss_site(verdict.backward),
        path=path,
        first_update=verdict.update,
        seen=verdict.seen,
    )
