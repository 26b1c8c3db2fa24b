"""Gradients that come in every round, and an optimizer that was made for them and never steps."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass

from whygrad.flow.events import Backward
from whygrad.flow.source import line_text
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.targets.twins import target_networks
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.order import astray
from whygrad.rules.updates.wrong_steps import instead_of

_ASSIGNED = re.compile(r"\s*([A-Za-z_][\w.]*)\s*(?::[^=]+)?=(?!=)")
_STEPS = r"\.step\(|\.apply_gradients\(|\.apply\(|\.minimize\("


@dataclass(slots=True)
class Unstepped:
    """Variables whose gradient is computed again and again, the first such pass, and the optimizer that waits."""

    optimizer: Optimizer
    backward: Backward
    variables: set[int]
    rounds: int


def unstepped(case: Case) -> Iterator[Unstepped]:
    """Optimizers that never step, in a run that went to its end and computed their gradients more than once.

    A single pass is a check. A step that stands in the source may be waiting for a round that this run did not reach.
    """
    recording = case.recording
    if recording.cut_short:
        return
    touched = {v for s in recording.steps for v in (*s.applied, *s.without)} | recording.hand_updated
    touched |= recording.moved_later | {w.variable for w in recording.writes if w.variable is not None}
    touched |= {v for leak in leaks(case) if leak.kind == "wrong step" for v in leak.meant}  # W204 says it
    # A network that makes targets is copied to, not trained, even where its class makes an optimizer for it.
    touched |= {v for twin in target_networks(case) for v in twin.members}
    touched |= {v.id for v in recording.variables.values() if v.copy_of is not None}
    stepped = {s.optimizer for s in recording.steps}
    for optimizer in recording.optimizers.values():
        if optimizer.id in stepped or optimizer.skipped or _steps_in_source(case, optimizer):
            continue
        if recording.framework == "torch":
            came = [b for b in recording.backwards if b.call == "backward" and b.got & optimizer.holds - touched]
        elif stepped:
            continue  # which variables it was made for is not known
        else:
            came = [b for b in recording.backwards if b.tape is not None and b.got - touched and not _used(case, b)]
        came = [b for b in came if b.error is None and not b.implicit and b.stack not in astray(case)]
        # The loss that was written for them: others may lead through them on their way.
        own = min(came, key=lambda b: len(b.got - optimizer.holds), default=None) if optimizer.holds else None
        rounds = [b for b in came if b.stack == (own or came[0]).stack]
        if len(rounds) < 2 or instead_of(case, optimizer) is not None:
            continue
        variables = {v for b in rounds for v in b.got if case.variable(v).parameter or v in optimizer.holds} - touched
        if optimizer.holds:
            variables &= optimizer.holds
        if variables:
            yield Unstepped(optimizer, rounds[0], variables, len(rounds))


def optimizer_called(case: Case, optimizer: Optimizer) -> str:
    """What the program calls an optimizer where it makes it: `agent.opt` of `agent.opt = Adam(…)`."""
    site = case.site(optimizer.created)
    found = _ASSIGNED.match(line_text(site.file, site.line)) if site is not None else None
    return found.group(1) if found is not None else ""


def _steps_in_source(case: Case, optimizer: Optimizer) -> bool:
    """Whether a call that steps this optimizer stands somewhere in the program; any call, where its name is unknown.

    A call that ran and stepped others is theirs: networks of one class all call theirs `self.optimizer`.
    """
    name = optimizer_called(case, optimizer).rpartition(".")[2]
    wanted = rf"\b{re.escape(name)}(?:{_STEPS})|\.step\([^)]*\b{re.escape(name)}\b" if name else _STEPS
    files = {site.file for stack in case.recording.stacks for site in stack if site.own}
    files |= {site.file for b in case.recording.backwards for site in case.stack(b.stack)}  # a library trains it
    others = {(site.file, site.line) for s in case.recording.steps for site in case.stack(s.stack)}
    lines = (
        (file, at, text.partition("#")[0]) for file in files for at, text in enumerate(linecache.getlines(file), 1)
    )
    return any(re.search(wanted, text) and (file, at) not in others for file, at, text in lines)


def _used(case: Case, backward: Backward) -> bool:
    """Whether the program computed anything with the gradients it was given."""
    given = set(backward.given.values())
    return not given or any(v in given for op in case.recording.ops.values() for v in op.inputs)
