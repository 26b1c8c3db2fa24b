"""A step of another optimizer than the one that holds what the loss before it trains."""

from __future__ import annotations

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
    built = case.site(waiting.created) if waiting is not None else None
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
