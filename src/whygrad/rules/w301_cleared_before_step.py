"""W301 cleared-before-step

What it checks
    zero_grad() (or p.grad = None, p.grad.zero_()) between backward() and
    step(): the gradient is gone before an optimizer could apply it. Also a
    loss whose gradient is cleared each time while others are applied, and
    an accumulation over several batches that clears at every batch.

Why it matters
    The step finds nothing and changes nothing, and PyTorch says so nowhere.
    The loss is flat, or falls by what the other losses teach.

Example
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = F.mse_loss(net(states), targets)
        loss.backward()
        optimizer.zero_grad()          # takes what backward() gave
        optimizer.step()               # nothing is left to apply
    TensorFlow
        Not possible in TensorFlow with a gradient itself, which is a value. A
        sum that a program keeps can be emptied too early, as in JAX.
    JAX
        total = jax.grad(net_loss)(params)             # a sum of gradients
        total = jax.tree.map(jnp.zeros_like, total)    # too early
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, total)

Instead
    PyTorch
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = F.mse_loss(net(states), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    TensorFlow
        Nothing to repair.
    JAX
        total = jax.grad(net_loss)(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, total)
        total = jax.tree.map(jnp.zeros_like, total)

What does not help
    A higher learning rate: multiplies a gradient that is not there.
    zero_grad(set_to_none=False): leaves zeros in place of None. Adam then
    goes on with its old moments, which looks like training.
    retain_graph=True: keeps the graph, not the gradient.

When it is meant
    Clearing before backward, after step, or once before several losses is
    quiet, and so is clearing what another loss has left in a network. A
    gradient that the program reads itself (its norm, a saliency map) may be
    cleared. Otherwise write `# whygrad: ok W301` on the line that clears.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from whygrad.flow.events import Backward
from whygrad.rules.case import Case
from whygrad.rules.cuts.missing import missing_gradients
from whygrad.rules.finding import Finding, PathStep, Severity
from whygrad.rules.numbers.handed_zeros import handed_zeros
from whygrad.rules.updates.accumulators import Emptied, emptied
from whygrad.rules.updates.cleared import Cleared, always_cleared
from whygrad.rules.updates.dropped_sums import DroppedSum, emptied_sums
from whygrad.rules.updates.history import history
from whygrad.rules.updates.order import loss_name, passes
from whygrad.rules.updates.swapped import swapped_variables
from whygrad.rules.wording import at_line, quoted, subject, verb

CODE, NAME = "W301", "cleared-before-step"
SUMMARY = "zero_grad between backward and step: the step has nothing to apply"


def check(case: Case) -> Iterator[Finding]:
    """Gradients that were cleared before an optimizer could apply them."""
    told: set[int] = swapped_variables(case)  # W204: the optimizers hold each other's variables
    if told:
        return
    for optimizer in case.recording.optimizers.values():
        for away in always_cleared(case, optimizer):
            told |= away.variables
            yield _finding(case, away, "error")
    for away in _wasted_passes(case):
        if not away.variables & told:
            told |= away.variables
            yield _finding(case, away, "warning")
    for one in emptied(case):
        yield _emptied(case, one)
    for total in emptied_sums(case):
        yield _zeros_applied(case, total)
    yield from (found for found in handed_zeros(case) if found.code == CODE)


def _emptied(case: Case, one: Emptied) -> Finding:
    """Gradients that were summed up in variables of their own."""
    where, summed, applied = case.site(one.write.stack), case.site(one.filled.stack), case.site(one.step.stack)
    steps = [(summed, one.filled.by, "the gradient is added here"), (where, one.write.by, "and is overwritten here"),
             (applied, one.step.call, "before it could be applied here")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.variables)} {verb(one.variables, case, 'gets', 'get')} zeros in every step: the "
        f"gradients that were summed up{at_line(summed, where)} are overwritten before they are applied",
        why=f"{quoted(applied, 'The step')} is given variables that hold the sum of several gradients. They were set "
        "to zero just before, so that the step changes nothing.",
        fix=f"move {quoted(where, 'the reset')} behind {quoted(applied, 'the step')}",
        variables=case.names(one.variables), where=where, label="empties what the gradients were summed up in",
        loss=case.loss_site(one.backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=one.times,
    )  # fmt: skip


def _zeros_applied(case: Case, one: DroppedSum) -> Finding:
    """JAX: zeros took the place of a sum of gradients."""
    zeros, applied = one.zeros.stack if one.zeros is not None else None, case.recording.unmoved[min(one.variables)]
    where, summed, given = case.site(zeros), case.site(one.op.stack), case.site(applied)
    steps = [(summed, one.op.name, "the gradient is added here"), (where, "zeros", "and zeros take its place here"),
             (given, "update", "before it could be applied here")]  # fmt: skip
    return Finding(
        code=CODE, rule=NAME, severity="error",
        message=f"{subject(case, one.variables)} {verb(one.variables, case, 'gets', 'get')} zeros in every step: they "
        f"take the place of the gradients that were summed up{at_line(summed, where)}",
        why=f"{quoted(given, 'The step')} is to apply the sum of several gradients. Zeros were put in its place just "
        "before, so that the step changes nothing.",
        fix=f"move {quoted(where, 'the reset')} behind {quoted(given, 'the step')}, or give the step the sum from "
        "before",
        variables=case.names(one.variables), where=where, label="takes the place of the sum of the gradients",
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None), seen=one.times,
    )  # fmt: skip


def _wasted_passes(case: Case) -> Iterator[Cleared]:
    """Losses of which no gradient is ever applied, because it is cleared each time, while others are applied."""
    told, recording = history(case), case.recording
    # A loss that does not reach what it is to train leaves a gradient elsewhere, which is rightly cleared.
    astray = {missing.backward.stack for missing in missing_gradients(case)}
    sites: dict[int, list[Backward]] = {}
    for backward in passes(case):
        sites.setdefault(backward.stack, []).append(backward)
    for group in sites.values():
        if group[0].stack in astray or not all(_for_training(case, backward) for backward in group):
            continue
        applied = [b for b in group if any((b.at, v) in told.applied for v in b.got)]
        wasted = [b for b in group if b.got and all((b.at, v) in told.cleared for v in b.got)]
        if not wasted or (applied and not _one_in_several(case, group, applied)):
            continue
        if len(wasted) + len(applied) < len(group) - 1 or (not applied and len(wasted) < 2):
            continue
        first = wasted[0]
        clears = {(clear := told.cleared[first.at, v]).at: clear for v in first.got}
        step = next((s for s in recording.steps if s.at > min(clears) and s.applied & first.got), None)
        if len(clears) == 1 and step is not None and not _meant_for_others(case, first, min(clears)):
            yield Cleared(next(iter(clears.values())), set(first.got), first, step)


def _meant_for_others(case: Case, backward: Backward, cleared: int) -> bool:
    """Whether a step of other variables followed the pass, which this loss is for and does not reach."""
    step = next((s for s in case.recording.steps if s.at > backward.at), None)
    holds = case.recording.optimizers[step.optimizer].holds if step is not None and step.at < cleared else set[int]()
    return bool(holds) and not holds & backward.got


def _for_training(case: Case, backward: Backward) -> bool:
    """No gradient that somebody looks at: of an input, of a copy, or read by the program itself."""
    held = {v for o in case.recording.optimizers.values() for v in o.holds}
    return backward.got <= held and not backward.got & case.recording.hand_updated and not backward.taken_out


def _one_in_several(case: Case, group: list[Backward], applied: list[Backward]) -> bool:
    """Whether each step takes the last of several passes: an accumulation undone.

    The same number each time, or as many as an episode has steps; an update that is given up now and then is another
    matter, and some of those come one after the other.
    """
    if len(applied) < 2:
        return False
    places = [group.index(b) for b in applied]
    gaps = {places[0] + 1, *(b - a for a, b in pairwise(places))}
    return min(gaps) > 1 and (len(gaps) == 1 or len(applied) > 2)


def _finding(case: Case, away: Cleared, severity: Severity) -> Finding:
    clear, variables, backward, step = away.clear, away.variables, away.backward, away.step
    where, came, applied = case.site(clear.stack), case.site(backward.stack), case.site(step.stack)
    call = clear.call if clear.call == "zero_grad" else f"p.{clear.call}"
    if clear.call != "zero_grad":  # one by one, in a function of its own: the call is what stands in the wrong place
        where = case.seen_from(clear.stack, backward.stack)
    if case.recording.optimizers[step.optimizer].by_hand:
        applied = case.seen_from(step.stack, backward.stack)
    steps = [
        (came, "backward", "the gradient comes here"),
        (where, call, "and is cleared here"),
        (applied, step.call, "before it could be applied here"),
    ]
    one = severity == "error"
    what = (
        f"{subject(case, variables)} {verb(variables, case, 'comes', 'come')} to every step without a gradient: it is "
        f"cleared after the backward pass{at_line(came, where)}"
        if one
        else f"the gradient of {loss_name(case, backward)}{at_line(came, where)} is cleared before a step applies it"
    )
    return Finding(
        code=CODE, rule=NAME, severity=severity, message=what,
        why=f"{quoted(came, 'backward()')} puts gradients into .grad, and the next step applies what is there. "
        + ("Here nothing is left, and the step changes nothing." if one else "What this loss had put there is gone."),
        fix=f"move {quoted(where, 'the clearing')} before {quoted(came, 'backward()')} or after "
        f"{quoted(applied, 'the step')}",
        variables=case.names(variables), where=where, label="clears what the backward pass has just computed",
        loss=case.loss_site(backward),
        path=tuple(PathStep(site, op, role) for site, op, role in steps if site is not None),
    )  # fmt: skip
