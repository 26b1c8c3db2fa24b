"""A step of another optimizer than the one that holds what the loss before it trains."""

from __future__ import annotations

import re
from collections.abc import Iterator

from whygrad.flow.events import Backward, Step
from whygrad.flow.variables import Optimizer
from whygrad.rules.case import Case
from whygrad.rules.finding import Finding, stations
from whygrad.rules.updates.adversaries import exchanged
from whygrad.rules.updates.history import history
from whygrad.rules.updates.leaks import leaks
from whygrad.rules.updates.order import astray, loss_name, optimizer_name, passes, steps_of
from whygrad.rules.wording import at_line, plain_subject, subject

CODE, NAME = "W204", "crossed-wires"


def wrong_steps(case: Case) -> Iterator[Finding]:
    """Steps that apply what they find, where the gradient that came before them waits for another optimizer."""
    told: set[int] = set()
    for pair in exchanged(case):
        step = next((s for s in case.recording.steps if s.at > pair.judges.at and s.applied & pair.maker), None)
        waiting = next((o for o in case.recording.optimizers.values() if o.holds & pair.judge), None)
        if step is not None:
            yield _wrong_step(case, step, pair.judges, pair.judge, waiting)
            return
    for leak in leaks(case):
        if leak.kind == "wrong step":
            waiting = next((o for o in case.recording.optimizers.values() if o.holds & leak.meant), None)
            told.add(leak.step.stack)
            yield _wrong_step(case, leak.step, leak.backward, leak.meant, waiting)
    for optimizer in case.recording.optimizers.values():
        found = instead_of(case, optimizer)
        if found is not None and found[0].stack not in told:
            told.add(found[0].stack)
            yield _wrong_step(case, *found, optimizer.holds & set(found[1].got), optimizer)


def instead_of(case: Case, optimizer: Optimizer) -> tuple[Step, Backward] | None:
    """For an optimizer that never steps: the step of another one that stands where its own belongs."""
    if steps_of(case, optimizer) or case.recording.cut_short or optimizer.skipped:
        return None
    elsewhere = {v for s in case.recording.steps for v in s.applied}
    came = [b for b in passes(case) if b.got & optimizer.holds - elsewhere and b.stack not in astray(case)]
    for backward in came:
        following = next((b.at for b in passes(case) if b.at > backward.at), None)
        step = next((s for s in case.recording.steps if s.at > backward.at), None)
        if step is None or (following is not None and step.at > following) or step.applied & optimizer.holds:
            continue
        fed = history(case).fed.get(step.at, {})
        fresh = [s for shares in fed.values() for s in shares if not s.spent]
        if not fresh and backward.got <= optimizer.holds:
            return step, backward
    return None


def _wrong_step(
    case: Case, step: Step, backward: Backward, meant: set[int], waiting: Optimizer | None
) -> Finding:  # fmt: skip
    where, came = case.site(step.stack), case.site(backward.stack)
    stepped = optimizer_name(case.recording.optimizers[step.optimizer], where)
    built = case.built(waiting) if waiting is not None else None
    if waiting is not None and _called_like_its_loss(case, case.recording.optimizers[step.optimizer], waiting):
        return _wrongly_built(case, step, backward, meant)
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{stepped}` steps after {loss_name(case, backward)}{at_line(came, where)}, which trains "
        f"{subject(case, meant)}: that gradient is not applied",
        why=f"`{stepped}` does not hold {plain_subject(case, meant)}. It applies what it finds in the .grad of its own "
        "variables: what was left there, or what this loss leaked into them.",
        fix=f"step the optimizer that holds {plain_subject(case, meant)}"
        + (f", built{at_line(built, where)}" if built is not None else ""),
        variables=case.names(meant), where=where, label=f"does not hold {plain_subject(case, meant)}",
        loss=case.loss_site(backward),
        path=stations((built, "optimizer", f"holds {plain_subject(case, meant)}"),
                      (came, "backward", "the gradient comes here"), (where, "step", "the wrong optimizer")),
    )  # fmt: skip


def _wrongly_built(case: Case, step: Step, backward: Backward, meant: set[int]) -> Finding:
    """An optimizer that is called as the loss it steps after, and was given what another one is to move."""
    optimizer = case.recording.optimizers[step.optimizer]
    stepped, built = case.site(step.stack), case.built(optimizer)
    name, came = optimizer_name(optimizer, stepped), case.site(backward.stack)
    held, lost = (subject(case, part).partition(" (")[0] for part in (optimizer.holds, meant))  # parts of one network
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"`{name}` holds {held}, and steps after {loss_name(case, backward)}{at_line(came, built)}, which "
        f"trains {subject(case, meant)}",
        why=f"What that loss gives {lost} is not applied. The optimizer that holds "
        f"{lost} steps after another loss: each of the two was given what is for the other.",
        fix=f"give `{name}` the parameters of {lost}, and the other optimizer those of {held}",
        variables=case.names(meant), where=built or stepped, label=f"holds {held}", loss=case.loss_site(backward),
        path=stations((built, "optimizer", f"holds {held}"), (came, "backward", "the gradient comes here"),
                      (stepped, "step", "does not hold what it was computed for")),
    )  # fmt: skip


def _called_like_its_loss(case: Case, one: Optimizer, other: Optimizer) -> bool:
    """Whether each of two bears a word of the loss that it steps after: `trainer_G` and `loss_G`, say.

    Then the steps stand where they should, and the optimizers were given the wrong lists.
    """
    words = [_words(optimizer_name(o, case.site(steps[0].stack))) if (steps := steps_of(case, o)) else set[str]()
             for o in (one, other)]  # fmt: skip
    own = words[0] - words[1], words[1] - words[0]
    for optimizer, mine in zip((one, other), own, strict=True):
        for step in steps_of(case, optimizer):
            before = [b for b in passes(case) if b.at < step.at]
            if not before or not mine & _words(loss_name(case, before[-1])):
                return False
    return all(own)


def _words(name: str) -> set[str]:
    return set(re.split(r"[\W_]+", name.lower())) - {""}
